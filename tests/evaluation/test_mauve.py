"""The area under the divergence curve, and the score that sorts vectors into histograms."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sda.evaluation.features import Vectors
from sda.evaluation.mauve import SCALING, curve_area, mauve_score, mauve_warnings


def histograms(seed: int, count: int = 2, width: int = 8) -> NDArray[np.float64]:
    """(count, width), with some empty bins."""
    counts = np.random.default_rng(seed).poisson(2.0, (count, width))
    counts[:, 0] += 1
    return counts / counts.sum(axis=1, keepdims=True)


def cloud(seed: int, count: int = 400, shift: float = 0.0) -> Vectors:
    values = np.random.default_rng(seed).normal(size=(count, 6))
    values[:, 0] += shift
    return Vectors(values, "here")


def test_equal_histograms_have_area_one() -> None:
    same = np.array([0.2, 0.0, 0.8])
    assert curve_area(same, same) == pytest.approx(1.0)


def test_disjoint_histograms_follow_a_curve_known_exactly() -> None:
    # KL(P|R) = -log w and KL(Q|R) = -log(1 - w): the curve is ((1 - w)^c, w^c), and the area under
    # it a Beta function: the integral of c w^c (1 - w)^(c - 1).
    exact = SCALING * math.gamma(SCALING + 1) * math.gamma(SCALING) / math.gamma(2 * SCALING + 1)
    disjoint = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert exact < 0.004
    assert curve_area(*disjoint, mixtures=5000) == pytest.approx(exact, rel=1e-4)


@given(st.integers(0, 2**32 - 1))
def test_the_area_is_symmetric_and_between_zero_and_one(seed: int) -> None:
    p, q = histograms(seed)
    area = curve_area(p, q)
    assert 0.0 < area <= 1.0 + 1e-12
    assert curve_area(q, p) == pytest.approx(area)


def test_many_histograms_at_once_have_the_areas_of_each() -> None:
    many, (q,) = histograms(0, count=5), histograms(1, count=1)
    assert curve_area(many, q) == pytest.approx([curve_area(p, q) for p in many])


# Made by `tools/make_mauve_figures.py` with the reference package.
FIGURES = json.loads((Path(__file__).parent / "mauve_figures.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", FIGURES["areas"])
def test_the_area_agrees_with_the_reference_package(case: dict[str, Any]) -> None:
    p, q = (np.array(case[name]) / sum(case[name]) for name in ("p", "q"))
    assert curve_area(p, q, case["mixtures"]) == pytest.approx(case["area"], abs=1e-9)


def test_the_score_agrees_with_the_reference_package() -> None:
    theirs = FIGURES["score"]
    # Vectors that are standardised already, so that only the start of k-means differs.
    samples, real = cloud(0, theirs["count"], theirs["shift"]), cloud(1, theirs["count"])
    ours = mauve_score(samples, real)
    assert f"|clusters:{theirs['clusters']}|" in ours.signature
    assert ours.value == pytest.approx(np.mean(theirs["values"]), abs=0.03)


def test_equal_sets_score_one_and_distant_sets_near_zero() -> None:
    assert mauve_score(cloud(0), cloud(0)).value == pytest.approx(1.0)
    assert mauve_score(cloud(0, shift=100.0), cloud(1)).value < 0.01


def test_the_score_falls_as_sets_move_apart() -> None:
    values = [mauve_score(cloud(0, shift=shift), cloud(1)).value for shift in (0.0, 1.0, 2.0, 4.0)]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.8
    assert values[-1] < 0.1


def test_lost_diversity_lowers_the_score() -> None:
    narrow = Vectors(np.repeat(cloud(2, 20).values, 20, axis=0), "here")
    assert mauve_score(narrow, cloud(1)).value < 0.6 * mauve_score(cloud(2), cloud(1)).value


def test_the_signature_holds_what_determines_the_score() -> None:
    score = mauve_score(cloud(0, 300), cloud(1, 400), seeds=2)
    # The name tells the vectors, because no figure of others can be compared.
    assert score.name == "mauve-here"
    ngrams = Vectors(cloud(0, 30).values, "ngrams.1+1.fit30")
    assert mauve_score(ngrams, ngrams).name == "mauve-ngram"
    assert score.higher_is_better is True
    assert score.signature.startswith(
        "refs:400|hyps:300|features:here|scale:refs|clusters:30|seeds:0-1|ci:jackknife20+seeds|tok:"
    )
    assert score == mauve_score(cloud(0, 300), cloud(1, 400), seeds=2)


@pytest.mark.slow
def test_the_interval_is_as_wide_as_scores_of_other_draws_differ() -> None:
    real = cloud(0, 2000)
    scores = [mauve_score(cloud(seed, 2000, shift=1.0), real, seeds=2) for seed in range(1, 13)]
    widths = [high - low for low, high in (score.interval or (0.0, 0.0) for score in scores)]
    spread = np.std([score.value for score in scores], ddof=1)
    assert np.mean(widths) / (2 * 1.96) == pytest.approx(spread, rel=0.5)


def test_few_samples_have_no_interval_and_two_clusters() -> None:
    score = mauve_score(cloud(0, 15), cloud(1))
    assert score.interval is None
    assert "|clusters:2|" in score.signature


def test_sets_without_any_difference_are_equal() -> None:
    still = Vectors(np.ones((50, 3)), "here")
    assert mauve_score(still, still).value == pytest.approx(1.0)


def test_no_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="seeds must be 1 or more"):
        mauve_score(cloud(0), cloud(1), seeds=0)


def test_few_or_short_samples_are_named() -> None:
    assert mauve_warnings(5000, 5.0) == []
    assert len(mauve_warnings(4999, 5.0)) == 1
    assert "4,999 sentences" in mauve_warnings(4999, 5.0)[0]
    assert "4.9 words" in mauve_warnings(5000, 4.9)[0]
    assert len(mauve_warnings(10, 1.0)) == 2
