"""One comparison in every form, with names as they are."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from sda.evaluation.alarms import Alarm
from sda.evaluation.evaluator import Evaluation, Options
from sda.evaluation.score import Score
from sda.evaluation.texts import evaluate_texts
from sda.show.comparison import COUNTS, as_latex, as_markdown, as_rich, compare, short_names
from sda.show.evaluation_page import as_html, as_json


def evaluation(bleu: float, alarm: bool = False) -> Evaluation:
    alarms = [Alarm("duplicates", ("bleu-2",), "too [b]many[/b] & <more>")] if alarm else []
    return Evaluation(
        20,
        10,
        [Score("bleu-2", bleu, True, "refs:5"), Score("length", 12.25, None, "x")],
        [Score("bleu-2", 0.9, True, "refs:5", None, (0.8, 1.0))],
        alarms,
        ["few sentences"],
        [{"sample": "a <b>", "train": "a & b", "similarity": 0.5}],
    )


PAIR = [evaluation(0.5), evaluation(0.75, alarm=True)]
NAMES = ["[a]", "b_2"]


def test_scores_stand_in_groups_beside_real_text() -> None:
    comparison = compare(NAMES, PAIR)

    assert comparison.header == ["", "real text", "[a]", "b_2"]
    assert [(group.title, group.rows) for group in comparison.groups] == [
        ("quality", [["bleu-2", "0.900", "0.500", "0.750!"]]),
        ("words and lengths", [["length", "-", "12.2", "12.2"]]),
    ]
    assert comparison.alarms == [("b_2", "too [b]many[/b] & <more>")]
    assert comparison.notes == ["few sentences"]


def test_some_scores_may_be_left_out() -> None:
    odd = Evaluation(1, 1, [Score("novelty-6", 0.5, None, "")])

    assert compare(["a"], [odd]).groups == []
    assert compare(["a"], [odd], only=None).groups[0].title == "novelty"


def test_counts_are_whole_numbers() -> None:
    texts = ["a dog runs", "a cat sits", "a dog sits there"] * 4
    found = evaluate_texts(texts, texts, texts, options=Options(features=False))
    rows = {
        name: cell
        for group in compare(["a"], [found], only=None).groups
        for name, cell, *_ in group.rows
    }

    assert {name for name, cell in rows.items() if cell.isdigit()} == set(COUNTS)
    assert rows["types"] == "6"
    assert rows["copied-span-max"] == "4"


def test_the_terminal_shows_brackets() -> None:
    console = Console(file=io.StringIO(), width=100)
    console.print(as_rich(compare(NAMES, PAIR), "[title]"))
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "[title]" in text and "[a]" in text and "0.750!" in text


def test_markdown() -> None:
    assert as_markdown(compare(["a|b", "c"], PAIR)).splitlines() == [
        "|  | real text | a\\|b | c |",
        "| --- | ---: | ---: | ---: |",
        "| **quality** |  |  |  |",
        "| bleu-2 | 0.900 | 0.500 | 0.750! |",
        "| **words and lengths** |  |  |  |",
        "| length | - | 12.2 | 12.2 |",
        "",
        "- c: too [b]many[/b] & <more>.",
        "",
        "- few sentences.",
    ]


def test_latex_is_escaped() -> None:
    lines = as_latex(compare(NAMES, PAIR)).splitlines()
    assert lines[:3] == ["\\begin{tabular}{lrrr}", "\\toprule", " & real text & [a] & b\\_2 \\\\"]
    assert lines[-2:] == ["\\bottomrule", "\\end{tabular}"]


def test_html_is_escaped_and_holds_signatures() -> None:
    files = [Path("x/one.txt"), Path("x/two.txt")]
    page = as_html(files, PAIR, compare(short_names(files), PAIR, only=None))
    assert "too [b]many[/b] &amp; &lt;more&gt;" in page
    assert "a &lt;b&gt;" in page
    assert "refs:5" in page and "0.8 to 1" in page


def test_json_is_one_object_or_a_list() -> None:
    one = as_json([Path("a.txt")], PAIR[:1])
    assert isinstance(one, dict)
    assert one["file"] == "a.txt"
    assert one["alarms"] == []
    assert one["ceiling"][0]["name"] == "bleu-2"
    assert isinstance(as_json([Path("a.txt"), Path("b.txt")], PAIR), list)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["x/set_mle.txt", "set_maligan.txt.gz"], ["mle", "maligan"]),
        (["a.txt"], ["a"]),
        (["one/a.txt", "two/a.txt"], ["one/a.txt", "two/a.txt"]),
        (["run-1.txt", "run-12.txt"], ["1", "12"]),
        (["mle.txt", "maligan.txt"], ["mle", "maligan"]),
        (["a_.txt", "a_b.txt"], ["a_", "b"]),
    ],
)
def test_names_are_short_where_they_can_be(files: list[str], names: list[str]) -> None:
    assert short_names([Path(file) for file in files]) == names
