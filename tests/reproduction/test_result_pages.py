"""The pages of results say what the ledger says, in their tables and in their sentences."""

import re
from functools import cache
from pathlib import Path

import pytest

from reproduction.records import jobs_of, record_of, write_ledger
from sda.reproduction.blocks import TablesOf, tables_of, updated
from sda.reproduction.contrasts import difference_sheet, distance_sheet
from sda.reproduction.definitions import experiment, experiment_names
from sda.reproduction.ledger import Ledger
from sda.reproduction.short_tables import MOST_COLUMNS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "results"
TABLES = tables_of(Ledger(ROOT / "results"), "small")
README = ROOT / "README.md"
INDEX = FOLDER / "README.md"
# Made by hand before there was a ledger, as they say themselves.
OLDER = ("generators", "curves", "published-oracle")
# Their figures are of commands that stand there: on files that may not come with the project, and
# of simulated studies.
TYPED = ("augment", "human", "never-worse", "other-metrics", "transfer")
PAGES = [FOLDER / f"{name}.md" for name in experiment_names()]
# Figures of sentences that stand in no table: a difference of two rows neither of which the table
# is about, a difference of differences, one seed of several, or a run of the log.
BY_HAND = {
    "ablation": {"0.073"},
    "recommended": {"0.218"},
    "recommended-news": {"0.168"},
    "size": {"0.169", "0.043"},
    "vocabulary": {"0.015", "0.199", "0.309"},
}


@cache
def figures_of(name: str) -> frozenset[str]:
    """All figures that the full tables of an experiment hold, without their signs."""
    texts = [
        text
        for table in TABLES(name)
        for sheet in (table.sheet(), difference_sheet(table), distance_sheet(table))
        for row in sheet.body
        for text in row
    ]
    return frozenset(re.findall(r"\d+\.\d{3}", " ".join(texts)))


def sentences_of(path: Path) -> str:
    """The page without its generated blocks."""
    return re.sub(r"<!-- begin .*?<!-- end -->", "", path.read_text(encoding="utf-8"), flags=re.S)


def unknown_figures(path: Path, names: list[str]) -> list[str]:
    """The figures of three decimals that the full tables of these experiments do not hold."""
    known = BY_HAND.get(path.stem, set()).union(*map(figures_of, names))
    return [
        figure for figure in re.findall(r"\d+\.\d{3}", sentences_of(path)) if figure not in known
    ]


def is_up_to_date(path: Path, tables: TablesOf) -> bool:
    text = path.read_text(encoding="utf-8")
    return updated(text, tables, str(path)) == text


def test_there_is_a_page_for_every_experiment_and_nothing_else() -> None:
    names = {path.stem for path in FOLDER.glob("*.md")}

    assert names == {"README", *experiment_names(), *OLDER, *TYPED}


def test_the_index_leads_to_every_page() -> None:
    links = re.findall(r"\]\(([\w-]+)\.md\)", INDEX.read_text(encoding="utf-8"))

    assert set(links) == {*experiment_names(), *OLDER, *TYPED}


@pytest.mark.parametrize("path", [README, INDEX, *PAGES], ids=lambda path: path.stem)
def test_a_page_is_up_to_date(path: Path) -> None:
    assert is_up_to_date(path, TABLES), f"run sda table --update {path.relative_to(ROOT)}"


def test_a_page_follows_its_ledger(tmp_path: Path) -> None:
    run = record_of(jobs_of("grammar")["mle", 0], scores={"grammar-issues": 99.9})
    ledger = write_ledger(tmp_path, [run])

    assert not is_up_to_date(FOLDER / "grammar.md", tables_of(ledger, "small"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_has_its_parts(path: Path) -> None:
    text, name = path.read_text(encoding="utf-8"), path.stem

    assert text.startswith(f"# {experiment(name).heading()}\n")
    for kind in ("question", "table", "provenance"):
        assert len(re.findall(rf"<!-- begin {kind} {name}\b[^-]", text)) == 1, kind
    has_figure = f"](../figures/{name}-small.svg)" in text
    assert has_figure or name == "samples"


@pytest.mark.parametrize("path", [README, *PAGES], ids=lambda path: path.stem)
def test_tables_are_narrow(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) <= MOST_COLUMNS + 1, line


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_figures_of_sentences_come_from_the_ledger(path: Path) -> None:
    linked = re.findall(r"\]\(([\w-]+)\.md\)", sentences_of(path))
    names = [name for name in {path.stem, *linked} if name in experiment_names()]

    assert unknown_figures(path, names) == []


def test_figures_of_the_verdicts_come_from_the_pages_they_name() -> None:
    """Line by line, so that a figure of COCO is not excused by one of the news."""
    lines = INDEX.read_text(encoding="utf-8").splitlines()
    verdicts = [line for line in lines if line.startswith("| ") and ".md)" in line]

    assert len(verdicts) >= 12
    for line in verdicts:
        pages = re.findall(r"\]\(([\w-]+)\.md\)", line)
        if set(pages) <= set(TYPED):
            text = "".join((FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in pages)
            assert all(figure in text for figure in re.findall(r"\d+\.\d+", line)), line
            continue
        known = set().union(*map(figures_of, pages))
        assert set(re.findall(r"\d+\.\d{3}", line)) <= known, line
    assert unknown_figures(INDEX, experiment_names()) == []


def test_figures_of_the_readme_come_from_the_ledger() -> None:
    text = README.read_text(encoding="utf-8").partition("## What it did not")[2]
    figures = re.findall(r"\d+\.\d{3}", text)

    assert len(figures) >= 4 and set(figures) <= figures_of("coco")


def test_a_figure_that_no_table_has_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "grammar.md"
    page.write_text("It has 0.517 of BLEU-3 and 9.123 of nothing.\n")

    assert unknown_figures(page, ["grammar"]) == ["9.123"]
