"""The Fréchet distance between sentences as clouds of points (Heusel et al., 2017).

It sees means and covariances of vectors and nothing else: lost quality and lost diversity both
raise it, but any set with the right means and covariances passes. It grows as sets get smaller, so
only distances of equally many sentences can be compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.features import Vectors, standardised
from sda.evaluation.interval import GROUPS, jackknife_interval
from sda.evaluation.score import PLAIN, Convention, Score


class Gaussian(NamedTuple):
    """A mean (F,) and a covariance (F, F)."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @staticmethod
    def of(points: NDArray[np.float64]) -> Gaussian:
        """The mean and the unbiased covariance of at least two points (N, F)."""
        if len(points) < 2:
            raise ValueError("a covariance needs at least two points")
        mean = points.mean(axis=0)
        centred = points - mean
        return Gaussian(mean, centred.T @ centred / (len(points) - 1))


def frechet_distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The squared Wasserstein-2 distance between the Gaussians of points (N, F) and (M, F)."""
    return gaussian_distance(Gaussian.of(a), Gaussian.of(b))


def gaussian_distance(a: Gaussian, b: Gaussian) -> float:
    """|mean a - mean b|² + tr(A) + tr(B) - 2 tr((A B)^½), zero only for equal Gaussians."""
    return _distance(a, b, _root(b.covariance))


def frechet_score(samples: Vectors, references: Vectors, convention: Convention = PLAIN) -> Score:
    """The Fréchet distance of the samples to the references, in units of the references' spread.

    The interval is that of the samples: the references stand as they are.
    """
    points, real = standardised(samples, references)
    target = Gaussian.of(real)
    root = _root(target.covariance)
    value = _distance(Gaussian.of(points), target, root)
    interval = None
    if len(points) >= 2 * GROUPS:
        without = [_distance(left, target, root) for left in _without_groups(points)]
        interval = jackknife_interval(value, np.array(without))
    signature = convention.sign(
        refs=len(references),
        hyps=len(samples),
        features=samples.source,
        scale="refs",
        ci=f"jackknife{GROUPS}",
    )
    return Score("frechet", value, False, signature, interval=interval)


def _distance(a: Gaussian, b: Gaussian, root_of_b: NDArray[np.float64]) -> float:
    # The trace of (A B)^½ is the sum of the singular values of A^½ B^½, which unlike eigenvalues
    # of a product stay exact where a covariance is singular.
    shared = np.linalg.svd(_root(a.covariance) @ root_of_b, compute_uv=False).sum()
    gap = float(((a.mean - b.mean) ** 2).sum())
    distance = gap + np.trace(a.covariance) + np.trace(b.covariance) - 2 * shared
    return max(float(distance), 0.0)


def _root(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """(F, F) the symmetric square root; eigenvalues below zero are rounding."""
    values, vectors = np.linalg.eigh(covariance)
    root: NDArray[np.float64] = (vectors * np.sqrt(values.clip(min=0.0))) @ vectors.T
    return root


def _without_groups(points: NDArray[np.float64]) -> list[Gaussian]:
    """The Gaussian of the points without each group, by taking its sums from the sums of all."""
    parts = [points[group::GROUPS] for group in range(GROUPS)]
    counts = np.array([len(part) for part in parts])
    sums = np.array([part.sum(axis=0) for part in parts])
    squares = np.array([part.T @ part for part in parts])
    left = len(points) - counts
    means = (sums.sum(axis=0) - sums) / left[:, None]
    products = means[:, :, None] * means[:, None, :] * left[:, None, None]
    covariances = (squares.sum(axis=0) - squares - products) / (left - 1)[:, None, None]
    return [Gaussian(mean, matrix) for mean, matrix in zip(means, covariances, strict=True)]
