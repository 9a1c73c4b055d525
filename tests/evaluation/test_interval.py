"""Intervals hold the truth as often as they say, and do not change from call to call."""

import numpy as np
import pytest

from sda.evaluation import interval as module
from sda.evaluation.interval import (
    error_interval,
    jackknife_interval,
    mean_interval,
    quantile_interval,
    ratio_interval,
    resamples,
    set_interval,
)


def test_the_interval_of_a_mean_agrees_with_the_normal_one() -> None:
    values = np.random.default_rng(0).normal(3.0, 2.0, 4000)
    interval = mean_interval(values)
    assert interval is not None
    error = values.std() / np.sqrt(4000)
    assert interval == pytest.approx(
        (values.mean() - 1.96 * error, values.mean() + 1.96 * error), abs=0.15 * error
    )
    assert interval == mean_interval(values)


def test_the_interval_of_a_mean_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        low, high = mean_interval(rng.exponential(1.0, 200)) or (0.0, 0.0)
        covered += low <= 1.0 <= high
    assert 0.88 <= covered / 200 <= 0.99


def test_a_ratio_of_proportional_sums_has_no_width() -> None:
    lengths = np.array([1.0, 4.0, 7.0, 2.0])
    assert ratio_interval(3 * lengths, lengths) == pytest.approx((3.0, 3.0))


def test_large_sets_have_the_normal_interval() -> None:
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 9, 20_000).astype(np.float64)
    values = lengths * rng.normal(2.0, 1.0, 20_000)
    small = ratio_interval(values, lengths)
    large = ratio_interval(np.append(values, 2.0), np.append(lengths, 1.0))
    assert small is not None
    assert large == pytest.approx(small, abs=0.1 * (small[1] - small[0]))


def test_one_sentence_has_no_interval() -> None:
    assert mean_interval(np.array([1.0])) is None
    assert set_interval(lambda kept: float(kept.sum()), 39) is None


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    rng = np.random.default_rng(2)
    lengths = rng.integers(1, 30, 400)
    interval = set_interval(lambda kept: float(lengths[kept].mean()), len(lengths))
    assert interval is not None
    width = 2 * 1.96 * lengths.std(ddof=1) / np.sqrt(400)
    assert interval[1] - interval[0] == pytest.approx(width, rel=0.4)
    assert sum(interval) / 2 == pytest.approx(lengths.mean())


def test_another_source_of_chance_widens_the_jackknife() -> None:
    # (2 - 1) / 2 * ((-1)² + 1²) = 1, and sqrt(1 + 3) = 2.
    without = np.array([4.0, 6.0])
    assert jackknife_interval(5.0, without) == pytest.approx((5 - 1.96, 5 + 1.96), abs=1e-4)
    wider = jackknife_interval(5.0, without, other_variance=3.0)
    assert wider == pytest.approx((5 - 2 * 1.96, 5 + 2 * 1.96), abs=1e-4)


def test_the_interval_of_a_median_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(400):
        low, high = quantile_interval(rng.exponential(1.0, 100), 0.5) or (0.0, 0.0)
        covered += low <= np.log(2) <= high
    assert 0.92 <= covered / 400 <= 0.99


def test_the_interval_of_a_quantile_by_hand() -> None:
    # 50 of 100 lie below the median, give or take 1.96 * 5: the 40th and the 60th value.
    values = np.random.default_rng(5).permutation(np.arange(1.0, 101.0))
    assert quantile_interval(values, 0.5) == (40.0, 60.0)
    # 5 per cent of 20 is 1, give or take 1.9.
    assert quantile_interval(values[:20], 0.05) is None


def test_the_interval_of_an_error_is_normal() -> None:
    assert error_interval(1.0, 0.5) == pytest.approx((0.02, 1.98), abs=1e-4)


@pytest.mark.parametrize("size", [1, 7, 30])
def test_resamples_are_the_same_however_many_are_drawn_at_once(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_by_one = np.random.default_rng(module._SEED)
    rows = [one_by_one.integers(size, size=size) for _ in range(module.RESAMPLES)]
    expected = [np.bincount(row, minlength=size) for row in rows]
    for drawn in (1, 100, module._DRAWN):
        monkeypatch.setattr(module, "_DRAWN", drawn)
        resamples.cache_clear()
        assert np.array_equal(resamples(size), expected)
