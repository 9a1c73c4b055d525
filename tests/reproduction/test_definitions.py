"""The experiments' files are sound, and hold what the paper printed."""

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.records import record_of, write_ledger
from sda.errors import UserError
from sda.reproduction import definitions
from sda.reproduction.definitions import Portion, chosen, experiment, experiment_names, merged
from sda.reproduction.figures import draw_figure
from sda.reproduction.jobs import plan_jobs
from sda.reproduction.looks import title_of
from sda.reproduction.tables import base_tables
from sda.settings.layers import names_of
from sda.settings.schema import leaves

ROOT = Path(__file__).parents[2]
NUMBERS = {
    "ablation": "",
    "baselines": "",
    "budget": "",
    "coco": "E2",
    "emnlp": "E3",
    "grammar": "E5",
    "imitation": "E8",
    "memorization": "E6",
    "recommended": "",
    "recommended-checked": "",
    "recommended-coco": "",
    "recommended-news": "",
    "repetition": "E10",
    "samples": "E12",
    "size": "E7",
    "synthetic20": "E1",
    "synthetic40": "E1",
    "vocabulary": "E9",
}
# The tables of the paper, typed once more from its pages; shares where it has per cent.
TABLES = """
coco rnn mle 0.800 0.599 0.367 0.201
coco rnn rl 0.819 0.601 0.370 0.211
coco rnn eda 0.822 0.610 0.373 0.220
coco rnn sda 0.826 0.612 0.378 0.222
coco leakrnn mle 0.916 0.789 0.594 0.404
coco leakrnn rl 0.921 0.797 0.602 0.416
coco leakrnn eda 0.932 0.838 0.691 0.526
coco leakrnn sda 0.943 0.856 0.738 0.599
emnlp rnn mle 0.626 0.350 0.160 0.085
emnlp rnn rl 0.630 0.354 0.164 0.087
emnlp rnn eda 0.639 0.361 0.172 0.106
emnlp rnn sda 0.641 0.368 0.176 0.109
emnlp leakrnn mle 0.914 0.692 0.461 0.280
emnlp leakrnn rl 0.916 0.707 0.469 0.289
emnlp leakrnn eda 0.921 0.738 0.509 0.312
emnlp leakrnn sda 0.929 0.744 0.519 0.330
grammar leakrnn mle 9.880 23.990
grammar leakrnn rl 12.929 26.280
grammar leakrnn sda 9.874 27.850
imitation leakrnn mle 0.916
imitation leakrnn mixed 0.919
imitation leakrnn sda 0.943
size leakrnn mle-5 0.8199
size leakrnn sda-5 0.8537
size leakrnn mle-10 0.8551
size leakrnn sda-10 0.8746
size leakrnn mle-50 0.9024
size leakrnn sda-50 0.9181
size leakrnn mle-100 0.9144
size leakrnn sda-100 0.9290
vocabulary leakrnn mle 0.914 0.002
vocabulary leakrnn un 0.915 0.009
vocabulary leakrnn sda 0.928 0.005
repetition leakrnn mle 0.914 0.838
repetition leakrnn un 0.912 0.800
repetition leakrnn sda 0.920 0.816
"""
PAPER: dict[str, dict[str, dict[str, tuple[float, ...]]]] = {}
for line in TABLES.split("\n")[1:-1]:
    table, base, row, *figures = line.split()
    PAPER.setdefault(table, {}).setdefault(base, {})[row] = tuple(map(float, figures))
names = pytest.mark.parametrize("name", NUMBERS)


def test_names_and_numbers() -> None:
    assert {name: experiment(name).number for name in experiment_names()} == NUMBERS


def test_an_experiment_like_another_has_its_text_and_sizes() -> None:
    news, rare = experiment("emnlp"), experiment("vocabulary")

    assert (rare.source, rare.settings, rare.profiles) == (
        news.source,
        news.settings,
        news.profiles,
    )
    assert rare.rows != news.rows and rare.question != news.question
    # A figure of its own, where the other has one too.
    assert rare.panels != news.panels == experiment("recommended-news").panels


@names
def test_the_papers_figures(name: str) -> None:
    found = experiment(name)
    printed = PAPER.get(name, {})
    for base in found.bases:
        rows = {
            row.name: tuple(row.paper[base].values()) for row in found.rows if base in row.paper
        }
        assert rows == printed.get(base, {})
    for row in found.rows:
        assert set(row.paper) <= set(found.bases)
        assert all(list(figures) == found.scores for figures in row.paper.values())
        # A control is what the paper does not have.
        assert not (row.is_control and row.paper)
    assert set(found.paper_real) <= set(found.scores)
    assert bool(found.paper_real) == (name == "grammar")


@names
def test_rows_and_columns_differ(name: str) -> None:
    found = experiment(name)

    assert set(found.subjects) <= {row.name for row in found.rows}
    titles = [row.title for row in found.rows]
    assert len(set(titles)) == len(titles)
    columns = [*found.scores, *found.beside]
    assert len(set(columns)) == len(columns)


@names
def test_names_in_a_file_are_known(name: str) -> None:
    found = experiment(name)

    assert set(found.bases) <= set(names_of("generators"))
    assert set(found.profiles) <= set(names_of("profiles"))
    for row in found.rows:
        assert row.method in names_of("methods") and row.preset in names_of("presets")
        assert set(row.bases or ()) <= set(found.bases)
    assert "\n" not in found.title and found.question.endswith("?")
    assert found.heading() == f"{found.number} {found.title}".strip()


@names
def test_no_row_is_overruled(name: str) -> None:
    """What a profile says for one base is laid over what a row says for all."""
    found = experiment(name)
    for profile in found.profiles.values():
        for base, case in profile.get("for", {}).items():
            for row in found.rows:
                if base in (row.bases or found.bases):
                    assert not dict(leaves(case)).keys() & dict(leaves(row.settings)).keys()


def test_an_unknown_experiment_is_one_sentence_with_all_names() -> None:
    with pytest.raises(UserError) as caught:
        experiment("cocoa")

    assert str(caught.value) == f"unknown experiment 'cocoa' (known: {', '.join(NUMBERS)})"


def changed(monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]) -> None:
    """Every file says something else for these keys."""
    read = definitions._read
    monkeypatch.setattr(definitions, "_read", lambda name: read(name) | change)


MLE = {"method": "mle"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sources": "x"}, "'sources': "),
        ({"seeds": {"rnn": "few"}}, "'seeds.rnn': "),
        ({"subjects": ["adv"]}, "'subjects': no row 'adv' (known: mle, rl, "),
        ({"paper": {"rnn": {"mle": [0.5]}}}, "'paper.rnn.mle' has 1 figures for 4 scores"),
        ({"paper": {"rnn": {"adv": [0.5] * 4}}}, "'paper': no row 'adv'"),
        ({"rows": [MLE, {"title": "x"}]}, "'rows', entry 2: 'method' is missing"),
        ({"rows": [MLE, MLE]}, "two rows are called 'mle'; give one another 'name'"),
        ({"rows": [MLE | {"titel": "x"}], "paper": {}}, ", row 'mle': 'titel': "),
        ({"rows": [MLE | {"like": "x"}], "paper": {}}, ", row 'mle': 'like': no row 'x'"),
        (
            {"rows": [MLE | {"as_long_as": "x"}], "paper": {}, "subjects": []},
            "'as_long_as': no row 'x'",
        ),
    ],
)
def test_mistakes_in_a_file_name_file_and_key(
    change: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(monkeypatch, change)
    with pytest.raises(UserError) as caught:
        experiment("coco")

    message = str(caught.value)
    assert message.startswith("experiments/coco.toml")
    assert words in message and "\n" not in message


def test_a_row_like_another_has_its_settings_under_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    start = MLE | {"settings": {"mle": {"epochs": 3, "rate": 0.1}}, "profiles": {"small": {}}}
    like = {"method": "rl", "like": "mle", "settings": {"mle": {"rate": 0.2}}}
    changed(monkeypatch, {"rows": [start, like], "paper": {}, "subjects": []})
    row = experiment("coco").row("rl")

    assert row.settings == {"mle": {"epochs": 3, "rate": 0.2}}
    assert row.profiles == {"small": {}}
    assert (row.name, row.title) == ("rl", "+RL")


def test_the_experiment_of_the_page_is_planned_tabled_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    section = page.partition("# Add an experiment in one file")[2]
    (tmp_path / "shorter.toml").write_text(section.partition("```toml\n")[2].partition("```")[0])
    monkeypatch.setattr(definitions, "_folder", lambda: tmp_path)
    found = experiment("shorter")
    jobs = plan_jobs(found, Portion("smoke", seeds=1))

    assert [job.name for job in jobs] == [
        f"rnn-{row}-smoke-0" for row in ("mle", "sda", "sda-none")
    ]
    assert jobs[2].start is not None and jobs[2].start.key == jobs[0].key != jobs[2].key
    ledger = write_ledger(tmp_path / "results", [record_of(job) for job in jobs])
    (table,) = base_tables(found, ledger, Portion("smoke", seeds=1))
    assert [row.title for row in table.rows] == ["RNN", "RNN +SDA", "RNN +SDA, no completions"]
    assert draw_figure(found, "smoke", ledger, ".svg")


def test_titles_of_methods_are_those_of_known_methods() -> None:
    looks = tomllib.loads(
        (resources.files("sda.configs") / "looks" / "methods.toml").read_text(encoding="utf-8")
    )
    families = [method for family in looks["figures"]["families"] for method in family["methods"]]

    assert set(looks["titles"]) | set(families) <= set(names_of("methods"))
    assert len(set(families)) == len(families)
    assert title_of("mine") == "mine"


TABLES = st.recursive(
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(0, 3), max_size=3),
    lambda inner: st.dictionaries(st.sampled_from(["A", "B"]), inner, max_size=2),
)


@given(st.lists(TABLES, max_size=3))
def test_the_later_table_wins_value_by_value(tables: list[dict[str, Any]]) -> None:
    before = [dict(leaves(table)) for table in tables]
    expected = {key: value for table in before for key, value in table.items()}

    assert dict(leaves(merged(*tables))) == expected
    # The tables themselves belong to the experiment, and stay as they are.
    assert [dict(leaves(table)) for table in tables] == before


def test_a_section_and_a_value_of_one_name() -> None:
    assert merged({"a": {"b": 1}}, {"a": 2}) == {"a": 2}
    assert merged({"a": 2}, {"a": {"b": 1}}) == {"a": {"b": 1}}


def test_chosen_names_keep_their_own_order() -> None:
    known = ["mle", "rl", "sda"]

    assert chosen(None, known, "row") == known
    assert chosen(["sda", "mle", "sda"], known, "row") == ["mle", "sda"]
    with pytest.raises(UserError, match=r"^unknown row 'adv' \(known: mle, rl, sda\)$"):
        chosen(["adv"], known, "row")
