"""Rows of a table become points, and a sentence where nothing was compared."""

from __future__ import annotations

from typing import Any

from planes import scores

from sda.scoring.comparison import Change, Comparison, Quality
from sda.scoring.planes import curve_on
from sda.show.run_points import metric_points, plain_verdict, table_points
from sda.show.run_view import RunView


def row(name: str, temperature: float | None, diversity: float, quality: float) -> dict[str, Any]:
    found = scores(self_bleu_5=diversity, bleu_5=quality)
    return {"name": name, "temperature": temperature, "scores": found}


REAL = row("real text", None, 0.1, 0.2)
START = [row("mle", 1.0, 0.2, 0.3), row("mle", 0.8, 0.3, 0.4)]
LAST = row("sda", 1.0, 0.25, 0.375)


def view(*rows: dict[str, Any], name: str = "run") -> RunView:
    return RunView(name, "", "", rows, [], None, {}, None, None, "", None, None, False)


def test_a_start_has_a_point_a_temperature_and_the_result_one() -> None:
    found = table_points([view(REAL, *START, LAST)])

    assert found["real"] == REAL["scores"]
    assert [(track["name"], track["start"]) for track in found["curves"]] == [
        ("start (mle)", None),
        ("sda", "start"),
    ]
    assert [point["decoding"] for point in found["curves"][0]["points"]] == [1.0, 0.8]


def test_runs_share_a_start_and_are_told_apart() -> None:
    other = row("rl", 1.0, 0.3, 0.3)
    another = [row("mle", 1.0, 0.5, 0.5), row("mle", 0.8, 0.6, 0.6)]
    runs = [
        view(REAL, *START, LAST, name="one"),
        view(REAL, *START, other, name="rl"),
        view(REAL, *another, LAST, name="three"),
    ]

    assert [track["name"] for track in table_points(runs)["curves"]] == [
        "start (mle)",
        "one: sda",
        "rl",
        "three: start (mle)",
        "three: sda",
    ]


def test_an_unfinished_run_has_no_points() -> None:
    assert table_points([view()]) == {"real": [], "curves": []}
    assert plain_verdict(view()) is None


def test_what_the_metric_saw() -> None:
    changes = (Change("self-bleu-5", 0.2, 0.3, 0.1),)
    found = metric_points(Comparison(changes, Quality("kindness", 0.5, 0.75, 0.1, 9, 1.0)))

    assert found is not None
    plane, points = found
    curves = [curve_on(plane, track) for track in points["curves"]]
    pairs = [(c.name, c.diversity.item(), c.quality.item()) for c in curves if c is not None]
    assert pairs == [("start", 0.2, 0.5), ("result", 0.3, 0.75)]
    assert metric_points(Comparison(changes, None)) is None
    assert metric_points(Comparison((), Quality("kindness", 0.5, 0.75, 0.1, 9, 1.0))) is None


def test_the_sentence_of_a_run_that_nothing_was_compared_in() -> None:
    assert plain_verdict(view(REAL, *START, LAST)) == (
        "From the start to sda: BLEU-5 0.300 to 0.375 and self-BLEU-5 0.200 to 0.250; real text has"
        " 0.200 and 0.100. Which of them is better was not checked."
    )
    assert plain_verdict(view(REAL, *START)) == (
        "mle, with nothing after it: BLEU-5 0.300 and self-BLEU-5 0.200; real text has 0.200 and"
        " 0.100."
    )


def test_no_sentence_without_a_plane() -> None:
    bare = {**START[0], "scores": scores(length=3.0)}

    assert plain_verdict(view(REAL, bare)) is None
