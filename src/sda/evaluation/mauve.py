"""A score in the manner of MAUVE (Pillutla et al., 2021): how much two sets of sentences overlap.

Both sets are sorted into the same clusters. Each mixture R of the two histograms P and Q loses
something of either, KL(P|R) and KL(Q|R); the area under the curve of exp(-5 KL) over all mixtures
is 1 for equal histograms and near 0 for those that share nothing. The published figures use states
of a large language model as vectors, so that no figure of other vectors can be compared with them:
the name of the score says which vectors it has. Vectors here are also standardised first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.clusters import cluster
from sda.evaluation.features import Vectors, standardised
from sda.evaluation.interval import GROUPS, jackknife_interval
from sda.evaluation.score import PLAIN, Convention, Score

SCALING = 5.0
MIXTURES = 100
SEEDS = 5
MOST_CLUSTERS = 500
PER_CLUSTER = 10  # sentences of either set, on average and at least
EXPLAINED = 0.9  # share of the variance that the vectors keep
FEW = 5000
SHORT = 5.0


def mauve_score(
    samples: Vectors, references: Vectors, seeds: int = SEEDS, convention: Convention = PLAIN
) -> Score:
    """The mean area over `seeds` clusterings.

    The interval holds both chances: which samples were drawn, with the clusters kept as they are
    (jackknife), and where k-means started. The references stand as they are.
    """
    if seeds < 1:
        raise ValueError(f"seeds must be 1 or more, not {seeds}")
    points = _reduced(np.concatenate(standardised(samples, references)))
    count = max(2, min(MOST_CLUSTERS, min(len(samples), len(references)) // PER_CLUSTER))
    has_groups = len(samples) >= 2 * GROUPS
    values, without = np.empty(seeds), np.empty((seeds, GROUPS))
    for seed in range(seeds):
        clusters = cluster(points, count, seed)
        groups = _group_counts(clusters[: len(samples)], count)
        real = np.bincount(clusters[len(samples) :], minlength=count) / len(references)
        values[seed] = curve_area(_shares(groups.sum(axis=0)), real)
        if has_groups:
            without[seed] = curve_area(_shares(groups.sum(axis=0) - groups), real)
    value = float(values.mean())
    interval = None
    if has_groups:
        between = float(values.var(ddof=1)) / seeds if seeds > 1 else 0.0
        interval = jackknife_interval(value, without.mean(axis=0), between)
    signature = convention.sign(
        refs=len(references),
        hyps=len(samples),
        features=samples.source,
        scale="refs",
        clusters=count,
        seeds=f"0-{seeds - 1}",
        ci=f"jackknife{GROUPS}+seeds",
    )
    return Score(f"mauve-{_kind(samples)}", value, True, signature, interval=interval)


def _kind(vectors: Vectors) -> str:
    """The vectors in one word, which is part of the name: `ngram` or `sentence`."""
    return vectors.source.partition(".")[0].removesuffix("s")


def curve_area(
    p: NDArray[np.float64], q: NDArray[np.float64], mixtures: int = MIXTURES
) -> NDArray[np.float64]:
    """(...,) the area under the divergence curve of histograms (..., K) that each sum to 1.

    The curve runs from (1, 0) to (0, 1), by way of (exp(-5 KL(Q|R)), exp(-5 KL(P|R))) for mixtures
    R = w P + (1 - w) Q.
    """
    # At a weight of 0 or 1 a divergence may be infinite; the ends of the curve stand for it.
    weights = np.linspace(1e-6, 1 - 1e-6, mixtures)[:, None]
    p, q = p[..., None, :], q[..., None, :]
    mixed = weights * p + (1 - weights) * q
    x, y = (np.exp(-SCALING * _divergence(histogram, mixed)) for histogram in (q, p))
    one, zero = np.ones_like(x[..., :1]), np.zeros_like(x[..., :1])
    x = np.concatenate((one, x, zero), axis=-1)
    y = np.concatenate((zero, y, one), axis=-1)
    area: NDArray[np.float64] = np.trapezoid(y[..., ::-1], x[..., ::-1], axis=-1)
    return area


def mauve_warnings(sentences: int, mean_length: float, name: str = "mauve-ngram") -> list[str]:
    """One sentence for each reason to doubt the score: few samples, or short ones."""
    warnings = []
    if sentences < FEW:
        warnings.append(
            f"{name} of {sentences:,} sentences depends on their number; {FEW:,} or more are needed"
            " to compare it."
        )
    if mean_length < SHORT:
        warnings.append(
            f"{name} of sentences of {mean_length:.1f} words on average says little; it was made"
            " for longer texts."
        )
    return warnings


def _reduced(points: NDArray[np.float64]) -> NDArray[np.float32]:
    """(N, K) points of length one in as few directions as hold the share EXPLAINED of variance."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points = points / np.where(lengths > 0, lengths, 1.0)
    points -= points.mean(axis=0)
    values, vectors = np.linalg.eigh(points.T @ points)
    # Eigenvalues come in ascending order, and those below zero are rounding.
    shares = np.cumsum(values[::-1].clip(min=0.0))
    kept = int(np.searchsorted(shares, EXPLAINED * shares[-1])) + 1
    reduced: NDArray[np.float64] = points @ vectors[:, ::-1][:, :kept]
    return reduced.astype(np.float32)


def _group_counts(clusters: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """(GROUPS, count) how many sentences of each jackknife group lie in each cluster."""
    groups = np.arange(len(clusters)) % GROUPS
    return np.bincount(groups * count + clusters, minlength=GROUPS * count).reshape(GROUPS, count)


def _shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Counts (..., K) as histograms that sum to 1."""
    shares: NDArray[np.float64] = counts / counts.sum(axis=-1, keepdims=True)
    return shares


def _divergence(histogram: NDArray[np.float64], mixed: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., W) the Kullback-Leibler divergence of histograms (..., 1, K) from mixtures of them."""
    # A mixture is zero only where the histogram is, and there the term is zero.
    ratio = np.where(histogram > 0, histogram / np.where(mixed > 0, mixed, 1.0), 1.0)
    divergence: NDArray[np.float64] = (histogram * np.log(ratio)).sum(axis=-1)
    return divergence
