"""Evaluations side by side: groups of scores, real text first, alarms beside the figures."""

from sda.evaluation.alarms import Alarm
from sda.evaluation.catalogue import kind_of
from sda.evaluation.evaluator import Evaluation, Options
from sda.evaluation.score import Score
from sda.evaluation.texts import evaluate_texts
from sda.show.evaluation_table import evaluation_table
from sda.show.table import Figure


def evaluation(bleu: float, alarm: bool = False) -> Evaluation:
    alarms = [Alarm("duplicates", ("bleu-2",), "too many")] if alarm else []
    return Evaluation(
        20,
        10,
        [Score("bleu-2", bleu, True, "refs:5"), Score("length", 12.25, None, "x")],
        [Score("bleu-2", 0.9, True, "refs:5", None, (0.8, 1.0))],
        alarms,
        ["few sentences"],
    )


PAIR = [evaluation(0.5), evaluation(0.75, alarm=True)]


def test_scores_stand_in_groups_beside_real_text() -> None:
    table = evaluation_table(["a", "b"], PAIR)

    assert table.title == "2 files, 10 sentences of each"
    assert table.header == ["", "real text", "a", "b"]
    assert [(group.title, table.texts(group)) for group in table.groups] == [
        ("quality", [["bleu-2", "0.900", "0.500", "0.750!"]]),
        ("words and lengths", [["length", "-", "12.2", "12.2"]]),
    ]
    ((name, text),) = table.alarms
    assert name == "b"
    # What it is, then what to do.
    assert text.startswith("too many. Write with sda sample RUN --unique")
    assert table.notes == ["few sentences."]


def test_numbers_stay_numbers() -> None:
    row = evaluation_table(["a", "b"], PAIR).groups[0].rows[0]

    assert [cell.value for cell in row if isinstance(cell, Figure)] == [0.9, 0.5, 0.75]


def test_some_scores_may_be_left_out() -> None:
    odd = Evaluation(1, 1, [Score("novelty-6", 0.5, None, "")])

    assert evaluation_table(["a"], [odd]).groups == []
    assert evaluation_table(["a"], [odd], every=True).groups[0].title == "novelty"


def test_counts_are_whole_numbers() -> None:
    texts = ["a dog runs", "a cat sits", "a dog sits there"] * 4
    found = evaluate_texts(texts, texts, texts, options=Options(features=False))
    table = evaluation_table(["a"], [found], every=True)
    rows = {name: cell for name, cell, *_ in table.body}

    counts = {name for name in rows if kind_of(name).digits == 0}
    assert counts >= {"types", "rare-types", "copied-span-max", "length-q50"}
    assert {name for name, cell in rows.items() if cell.isdigit()} == counts
    assert rows["types"] == "6"
    assert rows["copied-span-max"] == "4"
