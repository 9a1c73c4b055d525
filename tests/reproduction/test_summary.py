"""Figures over seeds by hand, and Student's t by integration."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.reproduction.summary import quantile, summarize


def share_within(reach: float, degrees: int) -> float:
    """The mass of Student's density between -reach and reach, by Simpson's rule."""
    factor = math.gamma((degrees + 1) / 2) / math.gamma(degrees / 2)
    factor /= math.sqrt(degrees * math.pi)
    steps = 4000
    width = reach / steps
    heights = [(1 + (i * width) ** 2 / degrees) ** (-(degrees + 1) / 2) for i in range(steps + 1)]
    inner = 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
    return 2 * factor * width / 3 * (heights[0] + inner + heights[-1])


@pytest.mark.parametrize("degrees", range(1, 31))
def test_quantiles_hold_95_percent(degrees: int) -> None:
    assert share_within(quantile(degrees), degrees) == pytest.approx(0.95, abs=5e-5)


def test_quantiles_beyond_the_table_are_never_too_narrow() -> None:
    assert quantile(1000) == quantile(30) > 1.96
    with pytest.raises(ValueError, match="one value"):
        quantile(0)


def test_three_seeds_by_hand() -> None:
    found = summarize([1.0, 2.0, 3.0])

    assert found is not None and found.interval is not None
    assert (found.count, found.mean, found.sd) == (3, 2.0, 1.0)
    reach = 4.303 / math.sqrt(3)
    assert found.interval == pytest.approx((2 - reach, 2 + reach))


def test_one_value_has_no_interval_and_none_no_summary() -> None:
    found = summarize([0.5])

    assert found is not None
    assert found.as_dict() == {"count": 1, "mean": 0.5, "sd": None, "interval": None}
    assert summarize([]) is None


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=40))
def test_the_mean_is_in_the_middle_of_its_interval(values: list[float]) -> None:
    found = summarize(values)

    assert found is not None and found.interval is not None
    low, high = found.interval
    assert low <= found.mean <= high
    assert (low + high) / 2 == pytest.approx(found.mean, abs=1e-9)
