"""Scores of several sets of sentences side by side."""

from __future__ import annotations

from collections.abc import Sequence

from sda.evaluation.alarms import Alarm
from sda.evaluation.catalogue import in_order
from sda.evaluation.evaluator import Evaluation
from sda.evaluation.score import Score
from sda.show.shown_scores import main_scores, score_figure, score_groups
from sda.show.table import Cell, Column, Figure, Table

REAL = "real text"

_SIGNATURES = (Column("score", align="left"), *map(Column, ("value", "95 % interval", "signature")))


def evaluation_table(
    names: Sequence[str], evaluations: Sequence[Evaluation], every: bool = False
) -> Table:
    """One row a score, one column a set, real text the first of them where there is any.

    The main scores alone, or with `every` all.
    """
    ceiling = evaluations[0].ceiling
    sets = [*([(ceiling, frozenset[str]())] if ceiling else []), *map(_flagged, evaluations)]
    by_name = [({score.name: score for score in scores}, flags) for scores, flags in sets]
    found = {score.name for scores, _ in sets for score in scores}
    rows: list[list[Cell]] = [
        [name, *(_figure(scores.get(name), name in flags) for scores, flags in by_name)]
        for name in (in_order(found) if every else main_scores(found))
    ]
    titles = [*([REAL] if ceiling else []), *names]
    return Table(
        evaluation_title(evaluations),
        [Column("", align="left", is_whole=True), *map(Column, titles)],
        score_groups(rows),
        [f"{note}." for note in dict.fromkeys(n for each in evaluations for n in each.notes)],
        [
            (name, alarm_text(alarm))
            for name, evaluation in zip(names, evaluations, strict=True)
            for alarm in evaluation.alarms
        ],
    )


def alarm_text(alarm: Alarm, beside: str = "") -> str:
    """What the alarm says, what is to be said beside it, and what to do about it."""
    return " ".join(filter(None, (f"{alarm.message}.", beside, alarm.advice)))


def evaluation_title(evaluations: Sequence[Evaluation]) -> str:
    files = f"{len(evaluations)} file{'s' if len(evaluations) > 1 else ''}"
    return f"{files}, {evaluations[0].scored:,} sentences of each"


def _flagged(evaluation: Evaluation) -> tuple[Sequence[Score], frozenset[str]]:
    flags = frozenset(name for alarm in evaluation.alarms for name in alarm.scores)
    return evaluation.scores, flags


def _figure(score: Score | None, is_flagged: bool) -> Figure | None:
    return None if score is None else score_figure(score.name, score.value, is_flagged=is_flagged)


def signature_table(name: str, scores: Sequence[Score]) -> Table:
    """All that is known of the scores of one set: exact values, intervals and signatures."""
    rows = [
        [
            score.name,
            f"{score.value:.6g}",
            "" if score.interval is None else "{:.6g} to {:.6g}".format(*score.interval),
            score.signature,
        ]
        for score in scores
    ]
    return Table.of_rows(f"Values, intervals and signatures of {name}", _SIGNATURES, rows)
