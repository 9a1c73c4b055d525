"""K-means: points in as many groups as asked for, each around its mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROUNDS = 50
SETTLED = 0.001  # the share of points that may still change groups in the last round
_CHUNK = 1024  # points compared with all centres at a time: the table stays in the cache
_SAME = 1e-6  # squared distances below are rounding, for points of length about one


def cluster(points: NDArray[np.float32], count: int, seed: int) -> NDArray[np.int64]:
    """The group (N,), from 0 to `count` - 1, of each of the points (N, F).

    Lloyd's algorithm from a k-means++ start. Fewer different points than `count` make fewer groups.
    """
    centres = _first_centres(points, count, np.random.default_rng(seed))
    groups = _nearest(points, centres)
    for _ in range(ROUNDS):
        centres = _means(points, groups, centres)
        before, groups = groups, _nearest(points, centres)
        if np.count_nonzero(groups != before) <= SETTLED * len(points):
            break
    return groups


def _first_centres(
    points: NDArray[np.float32], count: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Points drawn one after the other, by the square of the distance to those drawn before."""
    squares = np.einsum("nf,nf->n", points, points)
    chosen = [int(rng.integers(len(points)))]
    gaps = np.full(len(points), np.inf, np.float32)
    while len(chosen) < count:
        last = chosen[-1]
        distances = squares - 2 * (points @ points[last]) + squares[last]
        gaps = np.minimum(gaps, np.where(distances < _SAME, 0, distances))
        heights = np.cumsum(gaps, dtype=np.float64)
        if heights[-1] == 0.0:
            break
        drawn = np.searchsorted(heights, rng.random() * heights[-1], side="right")
        chosen.append(int(drawn))
    return points[chosen]


def _nearest(points: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.int64]:
    """(N,) the centre (K, F) nearest to each point, the first of those equally near."""
    offsets = np.einsum("kf,kf->k", centres, centres) / 2
    nearest = np.empty(len(points), np.int64)
    for start in range(0, len(points), _CHUNK):
        products = points[start : start + _CHUNK] @ centres.T
        nearest[start : start + _CHUNK] = np.argmin(offsets - products, axis=1)
    return nearest


def _means(
    points: NDArray[np.float32], groups: NDArray[np.int64], centres: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(K, F) the mean of each group; a centre that lost all its points stays where it was."""
    count, width = centres.shape
    places = groups[:, None] * width + np.arange(width)
    sums = np.bincount(places.ravel(), points.ravel(), count * width).reshape(count, width)
    sizes = np.bincount(groups, minlength=count)[:, None]
    means = (sums / np.maximum(sizes, 1)).astype(np.float32)
    return np.where(sizes > 0, means, centres)
