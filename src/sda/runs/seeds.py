"""Runs that differ in their seed alone, as one row: mean and standard deviation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean, stdev
from typing import Any

from sda.errors import UserError
from sda.evaluation.catalogue import KINDS
from sda.evaluation.evaluator import Evaluation
from sda.runs.costs import run_costs
from sda.runs.hand_over import read_handed_over
from sda.runs.origin import refuse_mixed
from sda.runs.run import Run
from sda.settings.schema import leaves
from sda.show.short_names import without_common_words
from sda.show.shown_scores import score_column, score_figure
from sda.show.table import NAMES, Cell, Column, Figure, Table

COSTS = {
    "updates": "updates",
    "written": "tokens",
    "calls": "calls",
    "cpu_seconds": "cpu-seconds",
}
METRIC = "metric"
SHOWN = (METRIC, *(kind.name for kind in KINDS if kind.main), *COSTS.values())
SHORT = (
    METRIC,
    "grammatical-share",
    "nll-oracle",
    "bleu-5",
    "self-bleu-5",
    "mauve-ngram",
    "duplicate-share",
    "copy-share",
    "calls",
)
"""The columns that tell most: quality, diversity, and what was paid."""
REAL = "real text"
START_PLACE = 1  # in the table of a run, below real text
METRIC_NOTE = (
    "metric: the run's own metric on validation sentences, asked once to decide what is handed over"
)
# What tells runs of one row apart: the seed, and the folder of the start, one for each seed.
_NOT_IN_ROW = ("seed", "start")
# Folders of an experiment end in the seed and ten digits that tell their settings apart.
_SEED_AT_END = re.compile(r"[-_]?\d+(-[0-9a-f]{10})?$")


@dataclass(frozen=True)
class SeedRow:
    """One row of the table: for each score its values by seed."""

    name: str
    seeds: tuple[int, ...]
    values: dict[str, list[float]]

    def figure(self, score: str) -> Figure | None:
        """Mean and standard deviation, or the one value there is; None of a score that it lacks."""
        found = self.values.get(score, [])
        if not found:
            return None
        return score_figure(score, mean(found), stdev(found) if len(found) > 1 else None)

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "seeds": list(self.seeds), "values": self.values}


def seed_rows(runs: Sequence[Run]) -> list[SeedRow]:
    """Real text, then for each group of runs its start and what Stage II made of it.

    Runs belong together if all their settings but the seed are the same. Rows that are equal in
    every score are the same start, or the same real text, and stand once. The one start of several
    groups goes by no name of a run. A row of a model has what it cost: the start the epochs of
    maximum likelihood, the last row all of the run. Runs on different texts are refused.
    """
    refuse_mixed(runs)
    found: dict[str, tuple[SeedRow, list[str]]] = {}
    for name, unordered in _groups(runs).items():
        group = sorted(unordered, key=lambda run: run.settings.seed)
        _refuse_repeats(group)
        for place, first in enumerate(group[0].scores()):
            scores = _values([run.scores()[place] for run in group])
            seeds = tuple(run.settings.seed for run in group)
            temperature = first.temperature
            cold = f" at T = {temperature}" if temperature not in (None, 1.0) else ""
            title = REAL if temperature is None else f"{first.name}{cold}"
            costs = {}
            if temperature is not None:
                costs = _cost_values([_costs_of(run, place) for run in group])
            row = SeedRow(title, seeds, _metric_values(group, place) | scores | costs)
            _, names = found.setdefault(repr((title, seeds, scores)), (row, []))
            names.append(name)
    titles = Counter(row.name for row, _ in found.values())
    return [
        row
        if row.name == REAL or (len(names) > 1 and titles[row.name] == 1)
        else replace(row, name=f"{names[0]}: {row.name}")
        for row, names in found.values()
    ]


def seed_table(
    rows: Sequence[SeedRow],
    scores: Sequence[str] = SHOWN,
    strict: bool = False,
    notes: Sequence[str] = (),
) -> Table:
    """A column a score; scores that no row has are left out, or if strict an error."""
    known = dict.fromkeys(name for row in rows for name in row.values)
    for score in scores if strict else ():
        if score not in known:
            raise UserError(f"no run has the score {score!r} (known: {', '.join(known)})")
    shown = [score for score in scores if any(score in row.values for row in rows)]
    body: list[list[Cell]] = [
        [row.name, len(row.seeds), *(row.figure(score) for score in shown)] for row in rows
    ]
    columns = [NAMES, Column("seeds", digits=0), *map(score_column, shown)]
    if METRIC in shown:
        notes = [*notes, METRIC_NOTE]
    return Table.of_rows("Scores on test data, and costs", columns, body, notes, fixed=2)


def _groups(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs by the name of their folders without the seed at its end, and what all names share."""
    groups: dict[tuple[tuple[str, str], ...], list[Run]] = {}
    for run in runs:
        if not run.is_finished:
            raise UserError(f"{run.path}: this run is not finished")
        settings = dict(leaves(run.settings.model_dump(mode="json")))
        for name in _NOT_IN_ROW:
            settings.pop(name, None)
        key = tuple(sorted((name, repr(value)) for name, value in settings.items()))
        groups.setdefault(key, []).append(run)
    named: dict[str, list[Run]] = {}
    for group in groups.values():
        path = group[0].path
        name = _SEED_AT_END.sub("", path.absolute().name)
        named[name if name and name not in named else str(path)] = group
    return dict(zip(without_common_words(list(named)), named.values(), strict=True))


def _refuse_repeats(group: Sequence[Run]) -> None:
    seen: dict[int, Run] = {}
    for run in group:
        if run.settings.seed in seen:
            raise UserError(
                f"{run.path} and {seen[run.settings.seed].path} are one run twice: the same"
                " settings and the same seed"
            )
        seen[run.settings.seed] = run


def _costs_of(run: Run, place: int) -> dict[str, float]:
    """What the row at this place of the table cost."""
    if place == len(run.scores()) - 1:
        return run.costs()
    return run_costs([line for line in run.progress() if line["stage"] == "mle"])


def _cost_values(costs: Sequence[dict[str, float]]) -> dict[str, list[float]]:
    values: dict[str, list[float]] = {}
    for cost in costs:
        for name, shown in COSTS.items():
            if name in cost:
                values.setdefault(shown, []).append(cost[name])
    return values


def _metric_values(group: Sequence[Run], place: int) -> dict[str, list[float]]:
    """What the runs' own metric said on validation data, of the start and of the result.

    It was asked when the result was checked, and may be too dear to be asked again for a table.
    """
    last = len(group[0].scores()) - 1
    found = [
        handed.comparison.quality
        for handed in (read_handed_over(run.folder.handed_over) for run in group)
        if handed is not None and handed.comparison is not None
    ]
    asked = [quality for quality in found if quality is not None]
    if len(asked) < len(group) or place not in (START_PLACE, last):
        return {}
    return {METRIC: [one.start if place == START_PLACE else one.result for one in asked]}


def verdicts(runs: Sequence[Run]) -> list[str]:
    """A sentence on each run that says what it bought, after the name of its folder."""
    return [f"{run.path.name}: {run.verdict}" for run in runs if run.verdict is not None]


def _values(rows: Sequence[Evaluation]) -> dict[str, list[float]]:
    values: dict[str, list[float]] = {}
    for row in rows:
        for score in row.scores:
            values.setdefault(score.name, []).append(score.value)
    return values
