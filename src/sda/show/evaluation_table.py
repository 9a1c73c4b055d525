"""Scores of several sets of sentences side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sda.evaluation.evaluator import Evaluation
from sda.evaluation.score import Score
from sda.show.shown_scores import GROUPS, MAIN, group_of, score_figure
from sda.show.table import Cell, Column, Figure, Group, Table

REAL = "real text"


def evaluation_table(
    names: Sequence[str],
    evaluations: Sequence[Evaluation],
    only: Collection[str] | None = MAIN,
) -> Table:
    """One row a score, one column a set, real text the first of them where there is any.

    `only` some of the scores, or with None all.
    """
    ceiling = evaluations[0].ceiling
    sets = [*([(ceiling, frozenset[str]())] if ceiling else []), *map(_flagged, evaluations)]
    by_name = [({score.name: score for score in scores}, flags) for scores, flags in sets]
    groups: dict[str, list[list[Cell]]] = {title: [] for title, _ in GROUPS}
    for name in dict.fromkeys(score.name for scores, _ in sets for score in scores):
        if only is None or name in only:
            cells = [_figure(scores.get(name), name in flags) for scores, flags in by_name]
            groups[group_of(name)].append([name, *cells])
    titles = [*([REAL] if ceiling else []), *names]
    return Table(
        evaluation_title(evaluations),
        [Column("", align="left", is_whole=True), *map(Column, titles)],
        [Group(title, rows) for title, rows in groups.items() if rows],
        [f"{note}." for note in dict.fromkeys(n for each in evaluations for n in each.notes)],
        [
            (name, f"{alarm.message}.")
            for name, evaluation in zip(names, evaluations, strict=True)
            for alarm in evaluation.alarms
        ],
    )


def evaluation_title(evaluations: Sequence[Evaluation]) -> str:
    files = f"{len(evaluations)} file{'s' if len(evaluations) > 1 else ''}"
    return f"{files}, {evaluations[0].scored:,} sentences of each"


def _flagged(evaluation: Evaluation) -> tuple[Sequence[Score], frozenset[str]]:
    flags = frozenset(name for alarm in evaluation.alarms for name in alarm.scores)
    return evaluation.scores, flags


def _figure(score: Score | None, is_flagged: bool) -> Figure | None:
    return None if score is None else score_figure(score.name, score.value, is_flagged=is_flagged)
