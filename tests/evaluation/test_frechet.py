"""The Fréchet distance has a closed form for Gaussians with diagonal covariances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sda.evaluation.features import Vectors
from sda.evaluation.frechet import Gaussian, frechet_distance, frechet_score, gaussian_distance

Points = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)


def points(seed: int, count: int = 30, width: int = 4) -> Points:
    """A skewed cloud with a mean of its own."""
    rng = np.random.default_rng(seed)
    return rng.exponential(size=(count, width)) @ rng.normal(size=(width, width)) + rng.normal(
        size=width
    )


def test_two_points_on_a_line() -> None:
    # Means 1 and 4, variances 2 and 8: 3² + (sqrt 2 - sqrt 8)².
    assert frechet_distance(np.array([[0.0], [2.0]]), np.array([[2.0], [6.0]])) == pytest.approx(11)


@given(seeds)
def test_diagonal_covariances_have_a_closed_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    means, spreads = rng.normal(size=(2, 5)), rng.exponential(size=(2, 5))
    a, b = (Gaussian(m, np.diag(s**2)) for m, s in zip(means, spreads, strict=True))
    expected = ((means[0] - means[1]) ** 2 + (spreads[0] - spreads[1]) ** 2).sum()
    assert gaussian_distance(a, b) == pytest.approx(expected, abs=1e-9)


@given(seeds)
def test_the_trace_is_that_of_the_eigenvalues_of_the_product(seed: int) -> None:
    a, b = Gaussian.of(points(seed)), Gaussian.of(points(seed + 1))
    shared = np.sqrt(np.linalg.eigvals(a.covariance @ b.covariance).real.clip(min=0)).sum()
    traces = np.trace(a.covariance) + np.trace(b.covariance)
    expected = ((a.mean - b.mean) ** 2).sum() + traces - 2 * shared
    assert gaussian_distance(a, b) == pytest.approx(expected, rel=1e-6)


@given(seeds)
def test_the_distance_is_symmetric_zero_for_equals_and_blind_to_rotation(seed: int) -> None:
    a, b = points(seed), points(seed + 1, count=50)
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))[0]
    distance = frechet_distance(a, b)
    assert frechet_distance(b, a) == pytest.approx(distance, rel=1e-9)
    assert frechet_distance(a @ rotation, b @ rotation) == pytest.approx(distance, rel=1e-9)
    assert frechet_distance(a, a) == pytest.approx(0.0, abs=1e-9 * np.square(a).mean())


def test_a_set_without_spread_is_as_far_as_the_other_is_wide() -> None:
    wide = points(0)
    still = np.repeat(wide.mean(axis=0, keepdims=True), 5, axis=0)
    assert frechet_distance(still, wide) == pytest.approx(np.trace(np.cov(wide.T)))


def test_one_point_has_no_covariance() -> None:
    with pytest.raises(ValueError, match="at least two points"):
        frechet_distance(points(0)[:1], points(1))


def test_the_score_is_in_units_of_the_references() -> None:
    samples, references = (Vectors(points(seed, 60), "here") for seed in (0, 1))
    score = frechet_score(samples, references)
    unit = references.values.std(axis=0)
    expected = frechet_distance(samples.values / unit, references.values / unit)
    assert score.value == pytest.approx(expected)
    assert score.name == "frechet"
    assert score.higher_is_better is False
    assert score.signature.startswith(
        "refs:60|hyps:60|features:here|scale:refs|ci:jackknife20|tok:"
    )


def test_the_interval_is_that_of_leaving_groups_out() -> None:
    samples, references = Vectors(points(0, 45), "here"), Vectors(points(1, 60), "here")
    unit = references.values.std(axis=0)
    numbers = np.arange(45)
    without = np.array(
        [
            frechet_distance(samples.values[numbers % 20 != g] / unit, references.values / unit)
            for g in range(20)
        ]
    )
    error = np.sqrt(19 / 20 * ((without - without.mean()) ** 2).sum())
    score = frechet_score(samples, references)
    assert score.interval is not None
    assert score.interval[1] - score.value == pytest.approx(1.96 * error, rel=1e-4)
    assert score.value - score.interval[0] == pytest.approx(1.96 * error, rel=1e-4)


def test_few_samples_have_no_interval() -> None:
    assert frechet_score(Vectors(points(0, 39), "a"), Vectors(points(1), "a")).interval is None
