"""How far a score may lie from what it would be on all sentences of its kind.

Scores that are means over sentences, or ratios of sums over sentences, are resampled (percentile
bootstrap). Scores of a whole set, which change with the size of the set, are computed anew without
one group of sentences after the other (jackknife), since a resample has duplicates of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
GROUPS = 20
LARGE = 20_000  # sentences above which the normal interval is as good and takes no memory
LEVEL = 0.95
NORMAL = 1.959963984540054  # the normal quantile that belongs to LEVEL
_DRAWN = 20_000  # sentences drawn in one call, at most
_SEED = 20210202  # fixed, so that the same sentences have the same interval

Interval = tuple[float, float]


def mean_interval(values: NDArray[np.float64]) -> Interval | None:
    """The bootstrap interval of the mean of `values` (B,), None for fewer than two."""
    if len(values) < 2:
        return None
    if len(values) > LARGE:
        return _normal_interval(values, np.ones(len(values)))
    # A resample has as many sentences as the set: no second product is needed to count them.
    return percentile_interval(resamples(len(values)) @ values / len(values))


def ratio_interval(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64]
) -> Interval | None:
    """The bootstrap interval of sum over sum, both (B,) by sentence; None for fewer than two."""
    if len(numerators) < 2:
        return None
    if len(numerators) > LARGE:
        return _normal_interval(numerators, denominators)
    counts = resamples(len(numerators))
    above, below = counts @ numerators, counts @ denominators
    kept = below > 0
    return percentile_interval(above[kept] / below[kept]) if kept.any() else None


def set_interval(score: Callable[[NDArray[np.bool_]], float], size: int) -> Interval | None:
    """The jackknife interval of a score of a whole set of `size` sentences; None for fewer than two
    a group.

    `score` is that of the sentences which are marked (B,). They are dealt out to the groups in
    turn. The normal interval around the score is as wide as the spread of the scores without one
    group says.
    """
    if size < 2 * GROUPS:
        return None
    groups = np.arange(size) % GROUPS
    without = np.array([score(groups != g) for g in range(GROUPS)])
    return jackknife_interval(score(groups >= 0), without)


def jackknife_interval(
    value: float, without: NDArray[np.float64], other_variance: float = 0.0
) -> Interval:
    """The normal interval around `value`, from the scores `without` (GROUPS,) one group each.

    `other_variance` is that of a source of chance besides the sentences.
    """
    spread = (len(without) - 1) / len(without) * ((without - without.mean()) ** 2).sum()
    return error_interval(value, float(np.sqrt(spread + other_variance)))


def quantile_interval(values: NDArray[np.float64], share: float) -> Interval | None:
    """The interval of the value below which `share` of all lie, from two of the `values` (B,).

    How many values lie below a quantile is binomial, whatever they are; None where the ends would
    lie outside the values.
    """
    middle, spread = len(values) * share, NORMAL * np.sqrt(len(values) * share * (1 - share))
    low, high = int(np.floor(middle - spread)), int(np.ceil(middle + spread))
    if low < 1 or high > len(values):
        return None
    ordered = np.sort(values)
    return float(ordered[low - 1]), float(ordered[high - 1])


def error_interval(value: float, error: float) -> Interval:
    """The normal interval around a value with this standard error."""
    return value - NORMAL * error, value + NORMAL * error


def percentile_interval(resampled: NDArray[np.float64]) -> Interval:
    """What holds all but the outermost of the resampled scores (R,)."""
    edge = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(resampled, (edge, 100 - edge))
    return float(low), float(high)


def _normal_interval(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64]
) -> Interval | None:
    """Around the ratio of sums, by the delta method."""
    total = denominators.sum()
    if total <= 0:
        return None
    ratio = numerators.sum() / total
    error = np.sqrt(((numerators - ratio * denominators) ** 2).sum()) / total
    return error_interval(float(ratio), float(error))


@lru_cache(maxsize=2)
def resamples(size: int) -> NDArray[np.float64]:
    """(RESAMPLES, size): how often each sentence is drawn in each resample.

    Kept as wide as the values, because widening them again takes longer than the product. Many are
    drawn in one call, which would take most of the time for few sentences, but never so many that
    the memory for them matters.
    """
    rng = np.random.default_rng(_SEED)
    counts = np.empty((RESAMPLES, size))
    at_once = max(1, _DRAWN // size)
    for first in range(0, RESAMPLES, at_once):
        part = counts[first : first + at_once]
        places = np.arange(len(part))[:, None] * size + rng.integers(size, size=part.shape)
        part[:] = np.bincount(places.ravel(), minlength=part.size).reshape(part.shape)
    return counts
