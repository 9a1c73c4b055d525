"""One page that needs nothing else and trusts no text in it."""

import json
import shutil
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.runs.report import run_names, run_views, write_report
from sda.runs.run import Run
from sda.show.run_page import score_table
from show.pages import EVIL, page_of


@pytest.fixture
def copy(toy_run: Run, tmp_path: Path) -> Run:
    shutil.copytree(toy_run.path, tmp_path / "copy")
    return Run(tmp_path / "copy")


def test_the_page_of_a_run(toy_run: Run) -> None:
    page = page_of(toy_run.folder.report)

    assert page.tags.count("svg") == 1
    for words in ("Scores on test data", "real text", "mle, T = 0.8", "sda", "bleu-3"):
        assert words in page.text
    assert toy_run.folder.samples.read_text().splitlines()[0] in page.text
    assert "sentences in the buffer" in page.text
    assert "rollouts = 1  # --set" in page.text


def test_the_page_loads_nothing(toy_run: Run) -> None:
    page = page_of(toy_run.folder.report)

    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    # A drawing refers to its own parts by name.
    assert page.loads
    assert all(target.startswith("#") for target in page.loads)
    assert not any("url(" in style and "url(#" not in style for style in page.styles)
    assert "@import" not in toy_run.folder.report.read_text()


def test_texts_are_not_taken_for_html(copy: Run, tmp_path: Path) -> None:
    copy.folder.samples.write_text(f"{EVIL} sample\n")
    record = {"text": f"{EVIL} buffer", "score": 1.0, "epoch": 2}
    copy.folder.buffer.write_text(json.dumps(record) + "\n")
    with copy.folder.config.open("a") as config:
        config.write(f"# {EVIL} settings\n")
    rows = copy.folder.read_scores()
    rows[1]["name"] = f"{EVIL} row"
    rows[1]["alarms"] = [{"message": f"{EVIL} alarm"}]
    rows[1]["scores"].append({"name": f"{EVIL} score", "value": 1.0, "signature": f"{EVIL} sign"})
    copy.folder.scores.write_text(json.dumps({"rows": rows}))
    write_report([copy], tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")

    assert "script" not in page.tags
    for place in ("sample", "buffer", "settings", "row", "alarm", "score", "sign"):
        assert f"{EVIL} {place}" in page.text


def test_names_of_folders_are_not_taken_for_html_or_formulas(copy: Run, tmp_path: Path) -> None:
    odd = tmp_path / "<script>&$x^$"
    copy.path.rename(odd)
    other = tmp_path / "_plain"
    shutil.copytree(odd, other)
    write_report([Run(odd), Run(other)], tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")

    assert "script" not in page.tags
    assert "g_loss, <script>&$x^$" in page.text
    assert "g_loss, _plain" in page.text


def test_several_runs(toy_run: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        shutil.copytree(toy_run.path, folder)
    write_report([Run(first), Run(second)], tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")

    for words in ("first: sda", "second: real text", "g_loss, first", "g_loss, second"):
        assert words in page.text
    assert page.tags.count("svg") == 1
    # The scores of all rows, and the settings of each run.
    assert page.tags.count("details") == 3


def test_runs_on_other_texts_are_refused(toy_run: Run, captions_run: Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="runs are compared on one text"):
        write_report([toy_run, captions_run], tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_runs_of_one_name_are_told_apart(toy_run: Run, tmp_path: Path) -> None:
    shutil.copytree(toy_run.path, tmp_path / toy_run.path.name)
    other = Run(tmp_path / toy_run.path.name)
    assert run_names([toy_run]) == ["run"]
    assert run_names([toy_run, other]) == [str(toy_run.path), str(other.path)]
    write_report([toy_run, other], tmp_path / "report.html")

    text = page_of(tmp_path / "report.html").text
    assert f"g_loss, {toy_run.path}" in text
    assert f"g_loss, {other.path}" in text


def test_the_same_run_draws_the_same_bytes(toy_run: Run, tmp_path: Path) -> None:
    write_report([toy_run], tmp_path / "report.html")

    assert (tmp_path / "report.html").read_bytes() == toy_run.folder.report.read_bytes()


def test_a_run_that_has_just_begun(copy: Run, tmp_path: Path) -> None:
    copy.folder.clear_results()
    copy.folder.progress.unlink()
    write_report([copy], tmp_path / "report.html")

    assert "No run is finished yet." in page_of(tmp_path / "report.html").text


def test_the_table_of_scores(toy_run: Run, captions_run: Run) -> None:
    views = run_views([toy_run, captions_run])
    table = score_table(views, ["bleu-3", "nll-oracle", "nothing"])
    bleu = [row.value("bleu-3") for run in (toy_run, captions_run) for row in run.scores()]

    assert len(table.header) == 9
    body = table.body
    assert [row[0] for row in body] == ["bleu-3", "nll-oracle"]
    assert body[0][1:] == [f"{value:.3f}" for value in bleu]
    # A file has no oracle.
    assert body[1][1:5] == ["-"] * 4
    assert "-" not in body[1][5:]
