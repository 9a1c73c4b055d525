"""Krippendorff's alpha for ordinal ratings, with an interval over items.

Alpha is 1 - D_o / D_e, observed over expected disagreement. Two ratings c < k differ by the square
of the number of ratings from c to k, with half of those at the ends (Krippendorff, 2011). Judges
are not resampled: one drawn twice would agree with herself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sda.studies.two_way import Floats, Ints

RESAMPLES = 1000


@dataclass(frozen=True)
class Alpha:
    """Agreement; 1 is perfect and 0 is that of chance."""

    value: float
    interval: tuple[float, float] | None
    items: int
    """Those with at least two ratings: the others tell nothing."""
    ratings: int


def ordinal_alpha(
    values: Ints, items: Ints, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Alpha | None:
    """Alpha of ratings (n,) of items (n,); None where no item has two or all ratings are alike."""
    kinds, ranks = np.unique(values, return_inverse=True)
    units = np.unique(items, return_inverse=True)[1]
    counts = np.zeros((int(units.max()) + 1, len(kinds))) if len(units) else np.zeros((0, 0))
    np.add.at(counts, (units, ranks), 1.0)
    counts = counts[counts.sum(axis=1) > 1]
    if not len(counts) or np.count_nonzero(counts.sum(axis=0)) < 2:
        return None
    coincidences = _coincidences(counts)
    value = float(_alphas(coincidences.sum(axis=0)[None])[0])
    size = len(counts)
    interval = None
    if size > 1:
        draws = rng.multinomial(size, np.full(size, 1 / size), resamples).astype(np.float64)
        sums = (draws @ coincidences.reshape(size, -1)).reshape(resamples, len(kinds), len(kinds))
        found = _alphas(sums)
        low, high = np.percentile(found[np.isfinite(found)], (2.5, 97.5))
        interval = (float(low), float(high))
    return Alpha(value, interval, size, int(counts.sum()))


def _coincidences(counts: Floats) -> NDArray[np.float64]:
    """(U, K, K): the pairs of ratings within each item, each item weighing as its ratings."""
    size = counts.sum(axis=1)[:, None, None]
    pairs = counts[:, :, None] * counts[:, None, :]
    places = np.arange(counts.shape[1])
    pairs[:, places, places] -= counts
    return np.asarray(pairs / (size - 1))


def _alphas(coincidences: Floats) -> Floats:
    """(R,) alpha of sums of coincidences (R, K, K)."""
    marginals = coincidences.sum(axis=2)
    total = marginals.sum(axis=1)
    # The ratings below the middle of each rank, so that distances are differences.
    middles = np.cumsum(marginals, axis=1) - marginals / 2
    distances = (middles[:, :, None] - middles[:, None, :]) ** 2
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (marginals[:, :, None] * marginals[:, None, :] * distances).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - (total - 1) * observed / expected)
