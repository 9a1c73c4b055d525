"""How far a mean may lie from what other items and other judges would give.

Items and judges are both drawn from many, so both are resampled: items alone (variance I), judges
alone (variance J), and single ratings alone (variance E). The chance of a single rating is in each
of the first two, so the variance of the whole is I + J - E, and not far below the larger of I and
J. Drawing items and judges at once would count that chance three times and give intervals that are
a third too wide (decision 0181). Few judges say little about how much judges differ: the interval
is one of Student's t with Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sda.studies.student import t_quantile

RESAMPLES = 1000
LEAST = 0.7
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Statistic = Callable[[Floats], Floats]
"""From weights of ratings (R, n) to the statistics (R, S)."""


@dataclass(frozen=True)
class Spread2:
    """Variances (S,) of statistics, and how many units each was resampled from."""

    items: Floats
    judges: Floats
    single: Floats
    item_count: int
    judge_count: int

    @property
    def variance(self) -> Floats:
        return whole_variance(self.items, self.judges, self.single)

    @property
    def error(self) -> Floats:
        return np.sqrt(self.variance)

    @property
    def freedom(self) -> Floats:
        """Satterthwaite's degrees of freedom (S,)."""
        return satterthwaite(
            self.items, self.judges, self.variance, self.item_count, self.judge_count
        )

    def interval(self, values: Floats) -> list[tuple[float, float]]:
        """The 95 % interval around each value."""
        widths = [
            t_quantile(round(float(df), 3)) * error
            for df, error in zip(self.freedom, self.error, strict=True)
        ]
        return [(float(v - w), float(v + w)) for v, w in zip(values, widths, strict=True)]


def whole_variance(items: Floats, judges: Floats, single: Floats) -> Floats:
    """I + J - E, and at least seven tenths of the larger of I and J.

    Judges who are found to differ by less than chance are no reason for a much smaller variance;
    with the larger itself as the limit intervals would hold 96 to 97 % where judges are all alike.
    """
    return np.maximum(items + judges - single, LEAST * np.maximum(items, judges))


def satterthwaite(
    items: Floats, judges: Floats, variance: Floats, item_count: int, judge_count: int
) -> Floats:
    """Degrees of freedom of a variance that is a sum; at least one.

    Where judges are not known, or are all one, items alone count.
    """
    below = items**2 / max(1, item_count - 1)
    if judge_count > 1:
        below = below + judges**2 / (judge_count - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(below > 0, variance**2 / below, np.inf)
    return np.clip(found, 1.0, 1e6)


def resampled(
    statistic: Statistic,
    items: Ints,
    judges: Ints | None,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
) -> Spread2:
    """The spread of a statistic over new draws of items and of judges.

    `items` and `judges` (n,) are the numbers, from 0 on, of those that each rating belongs to; None
    for judges whose names are not known.
    """

    def variance(units: Ints) -> Floats:
        size = int(units.max()) + 1
        if size < 2:
            return np.zeros(statistic(np.ones((1, len(items)))).shape[1])
        counts = rng.multinomial(size, np.full(size, 1 / size), resamples).astype(np.float64)
        found = statistic(counts[:, units])
        kept = found[np.isfinite(found).all(axis=1)]
        # A resample of n units has the spread of n - 1.
        return np.asarray(kept.var(axis=0, ddof=1) * size / (size - 1))

    by_item = variance(items)
    if judges is None or int(judges.max()) < 1:
        zero = np.zeros_like(by_item)
        return Spread2(by_item, zero, zero, int(items.max()) + 1, 1)
    single = variance(np.arange(len(items)))
    return Spread2(by_item, variance(judges), single, int(items.max()) + 1, int(judges.max()) + 1)


def numbered(names: NDArray[np.generic]) -> Ints:
    """The names as numbers from 0 on, without gaps."""
    return np.asarray(np.unique(names, return_inverse=True)[1], np.int64)


def weighted_means(values: Floats, models: Ints, count: int) -> Statistic:
    """The mean of each model (R, count) under weights of the ratings."""
    of_model = np.zeros((len(values), count))
    of_model[np.arange(len(values)), models] = 1.0

    def means(weights: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((weights * values) @ of_model / (weights @ of_model))

    return means
