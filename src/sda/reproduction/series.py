"""What the figures show, as numbers: means over samplings, and how far seeds are apart.

S counts runs, each of its own seed, and P points: temperatures, epochs or sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.dominance import Plane
from sda.reproduction.distance import distance_on
from sda.reproduction.ledger import Ledger, RunRecord
from sda.reproduction.quantity import Quantity, Scores
from sda.reproduction.rows import Row

BAND_POINTS = 100
NEAR = (0.8, 1.25)  # temperatures
MARGIN = 0.25  # of the range that they cover
STAGE_ONE, STAGE_TWO = "mle", "imitation"  # as lines of progress call them

Values = NDArray[np.float64]
Range = tuple[float, float]


@dataclass(frozen=True)
class Spread:
    """Mean, least and greatest (P,) of the runs at each of `places` (P,)."""

    places: Values
    mean: Values
    low: Values
    high: Values

    def after(self, place: float) -> Spread:
        """The part from that place on."""
        kept = self.places >= place
        return Spread(self.places[kept], self.mean[kept], self.low[kept], self.high[kept])


@dataclass(frozen=True)
class Curves:
    """One curve over `temperatures` (P,) for each run: `x` and `y` (S, P)."""

    temperatures: tuple[float, ...]
    x: Values
    y: Values

    def band(self) -> Spread | None:
        """Least and greatest y of the runs at equal x, on the range of x that all runs cover.

        Between temperatures a curve is a straight line. None for one run, without such a range, and
        where x turns back on the way, as likelihoods of held-out text do.
        """
        order = np.argsort(self.temperatures)
        x, y = self.x[:, order], self.y[:, order]
        if (np.diff(x, axis=1) < 0).all():
            x, y = x[:, ::-1], y[:, ::-1]
        low, high = x[:, 0].max(), x[:, -1].min()
        if len(x) < 2 or low >= high or (np.diff(x, axis=1) <= 0).any():
            return None
        places = np.linspace(low, high, BAND_POINTS)
        runs = np.stack([np.interp(places, *run) for run in zip(x, y, strict=True)])
        return Spread(places, runs.mean(axis=0), runs.min(axis=0), runs.max(axis=0))


def temperature_curves(records: Sequence[RunRecord], x: Quantity, y: Quantity) -> Curves | None:
    """The means over samplings, at the temperatures where all runs have both scores."""
    runs = [
        {point["temperature"]: _mean_pair(point["samplings"], x, y) for point in points}
        for points in (record.data["curve"]["points"] for record in records)
    ]
    temperatures = tuple(
        temperature
        for temperature in (runs[0] if runs else ())
        if all(np.isfinite(run.get(temperature, np.nan)).all() for run in runs)
    )
    if not temperatures:
        return None
    values = np.array([[run[temperature] for temperature in temperatures] for run in runs])
    return Curves(temperatures, values[:, :, 0], values[:, :, 1])


def _mean_pair(samplings: Sequence[Scores], x: Quantity, y: Quantity) -> Values:
    pairs = np.array([(x.of(scores), y.of(scores)) for scores in samplings], dtype=np.float64)
    return np.asarray(pairs.mean(axis=0))


def near_one(starts: Sequence[Curves]) -> tuple[Range, Range] | None:
    """The ranges of x and y around temperature 1 of these curves, with a margin."""
    points = [
        np.stack([curves.x[:, place], curves.y[:, place]], axis=1)
        for curves in starts
        for place, temperature in enumerate(curves.temperatures)
        if NEAR[0] <= temperature <= NEAR[1]
    ]
    if not points:
        return None
    both = np.concatenate(points)
    low, high = both.min(axis=0), both.max(axis=0)
    margin = MARGIN * (high - low)
    if not margin.all():
        return None
    (left, below), (right, above) = (low - margin).tolist(), (high + margin).tolist()
    return (left, right), (below, above)


def final_points(records: Sequence[RunRecord], x: Quantity, y: Quantity) -> Values:
    """Both scores at temperature 1 of each run that has them, (S, 2)."""
    return _complete((x.of(scores), y.of(scores)) for scores in map(RunRecord.scores, records))


def final_values(records: Sequence[RunRecord], quantity: Quantity) -> Values:
    """The score at temperature 1 of each run that has it, (S,)."""
    return final_points(records, quantity, quantity)[:, 0]


def real_point(
    records: Sequence[RunRecord], x: Quantity, y: Quantity, is_on_curve: bool
) -> tuple[float, float] | None:
    """Both scores of real text, the mean over the runs; as measured for curves, or at the end."""
    pairs = _complete(
        (x.of(scores), y.of(scores))
        for record in records
        for scores in (record.data["curve"]["real"] if is_on_curve else record.scores("real"),)
    )
    if not len(pairs):
        return None
    return float(pairs[:, 0].mean()), float(pairs[:, 1].mean())


def _complete(pairs: Iterable[tuple[float, float]]) -> Values:
    found = np.array(list(pairs), dtype=np.float64).reshape(-1, 2)
    return found[np.isfinite(found).all(axis=1)]


def epoch_spread(records: Sequence[RunRecord], ledger: Ledger, name: str) -> Spread:
    """A figure of the training, counted in epochs from the end of Stage I, which is epoch 0.

    Stage I of a run that shares it comes from the record of its start. Only epochs at which all
    runs were measured count: a mean over others would jump where a run joins or leaves.
    """
    values: dict[float, list[float]] = {}
    for record in records:
        for epoch, value in _epochs(record, ledger, name).items():
            values.setdefault(epoch, []).append(value)
    return _spread({key: some for key, some in values.items() if len(some) == len(records)})


def _epochs(record: RunRecord, ledger: Ledger, name: str) -> dict[float, float]:
    key = record.data["start"]
    start = None if key is None else ledger.find(key)
    lines: list[Mapping[str, Any]] = [*(start.data["progress"] if start else ())]
    lines += record.data["progress"]
    stage_one = max((line["epoch"] for line in lines if line["stage"] == STAGE_ONE), default=0)
    before = {STAGE_ONE: stage_one, STAGE_TWO: 0}
    return {
        line["epoch"] - before[line["stage"]]: line[name]
        for line in lines
        if name in line and line["stage"] in before
    }


def gain_spread(rows: Sequence[Row], method: str, score: str) -> Spread:
    """What a method adds to the score of its start, seed by seed, over the percents (P,)."""
    gains: dict[float, list[float]] = {}
    for percent, start, row in _pairs(rows, method):
        before, after = start.values(score), row.values(score)
        some = [after[seed] - before[seed] for seed in after if seed in before]
        if some:
            gains[percent] = some
    return _spread(gains)


def above_spread(rows: Sequence[Row], family: str, plane: Plane, ledger: Ledger) -> Spread:
    """How far runs of a family lie above the curve of their start, seed by seed, over the calls of
    the metric (P,)."""
    above: dict[float, list[float]] = {}
    for row in rows:
        calls = row.definition.calls
        if calls is None or row.definition.family != family:
            continue
        for record in row.records.values():
            start = ledger.find(str(record.data["start"]))
            found = None if start is None else distance_on(plane, record, start)
            if found is not None and found.as_trained is not None:
                above.setdefault(float(calls), []).append(found.as_trained)
    return _spread(above)


def paper_gains(rows: Sequence[Row], method: str, score: str, base: str) -> Spread:
    """The same from the figures that the paper has for that base."""
    gains: dict[float, list[float]] = {}
    for percent, start, row in _pairs(rows, method):
        before, after = (some.definition.paper.get(base, {}) for some in (start, row))
        if score in before and score in after:
            gains[percent] = [after[score] - before[score]]
    return _spread(gains)


def _pairs(rows: Sequence[Row], method: str) -> list[tuple[float, Row, Row]]:
    starts = {row.definition.percent: row for row in rows if row.is_start}
    return [
        (percent, starts[percent], row)
        for row in rows
        if row.definition.method == method and (percent := row.definition.percent) in starts
    ]


def _spread(values: Mapping[float, Sequence[float]]) -> Spread:
    places = sorted(values)
    low, mean, high = (
        np.array([function(values[place]) for place in places], dtype=np.float64)
        for function in (np.min, np.mean, np.max)
    )
    return Spread(np.array(places, dtype=np.float64), mean, low, high)
