"""Curves are compared where both are equally varied, and nowhere else."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sda.evaluation.dominance import Axis, Curve, Plane, Verdict, judge

PLANE = Plane(Axis("self-bleu-5", False), Axis("bleu-5", True))
LIKELIHOOD = Plane(Axis("nll-test", False), Axis("nll-oracle", False))
RECALL = Plane(Axis("reverse-bleu-5", True), Axis("bleu-5", True))


def curve(name: str, *points: tuple[float, float]) -> Curve:
    """A curve of one sampling through these points, from the warmest to the coldest."""
    diversity, quality = np.array(points).T[:, :, None]
    return Curve(name, tuple(range(len(points), 0, -1)), diversity, quality)


def noisy(name: str, rng: np.random.Generator, shift: float, samplings: int = 3) -> Curve:
    """Nine points of a bent line, with errors like those of 2,000 sentences."""
    diversity = np.linspace(0.15, 0.7, 9)[:, None]
    errors = rng.normal(0, 0.005, (9, samplings))
    more = rng.normal(0, 0.003, (9, samplings))
    quality = 0.55 * np.sqrt(diversity) + shift + 0.7 * errors + more
    return Curve(name, tuple(np.linspace(1.1, 0.3, 9)), diversity + errors, quality)


def flat(ranges: Sequence[tuple[float, float]]) -> list[float]:
    return [end for ends in ranges for end in ends]


def test_lines_are_compared_on_the_common_range() -> None:
    result = judge(curve("a", (0.2, 0.3), (0.6, 0.5)), curve("b", (0.4, 0.35), (0.8, 0.35)), PLANE)

    assert result.common == (0.4, 0.6)
    # From 0.40 - 0.35 to 0.50 - 0.35.
    assert result.difference == pytest.approx(0.1)
    assert result.area == pytest.approx(0.02)
    assert flat(result.better) == pytest.approx([0.4, 0.6])
    assert result.worse == ()
    assert result.interval is None


def test_lines_that_cross() -> None:
    result = judge(curve("a", (0.0, 0.0), (1.0, 1.0)), curve("b", (0.0, 0.25), (1.0, 0.25)), PLANE)

    assert result.difference == pytest.approx(0.25)
    assert flat(result.worse) == pytest.approx([0.0, 0.25])
    assert flat(result.better) == pytest.approx([0.25, 1.0])


def test_points_in_between_are_on_straight_lines() -> None:
    bent = curve("bent", (0.0, 0.0), (0.5, 1.0), (1.0, 0.0))
    result = judge(bent, curve("level", (0.0, 0.0), (1.0, 0.0)), PLANE)

    assert result.area == pytest.approx(0.5)


def test_lower_quality_scores_can_be_the_better_ones() -> None:
    result = judge(
        curve("sda", (2.0, 5.0), (3.0, 4.0)), curve("mle", (2.0, 5.5), (3.0, 4.5)), LIKELIHOOD
    )

    assert result.difference == pytest.approx(0.5)
    assert flat(result.better) == [2.0, 3.0]


def test_only_the_cold_side_counts_where_diversity_turns() -> None:
    """NLL_test has its minimum near temperature 1 and rises on both sides of it."""
    turning = curve("turning", (4.0, 6.0), (2.0, 5.0), (3.0, 4.0))
    result = judge(turning, curve("level", (2.0, 5.0), (4.0, 5.0)), LIKELIHOOD)

    # The cold branch falls from 5 to 4 in NLL_oracle; the warm one reaches 4 in NLL_test.
    assert result.common == (2.0, 3.0)
    assert result.difference == pytest.approx(0.5)
    assert result.remarks == ("turning warmer than 2 is left out, where its nll-test turns back",)
    assert result.statement.endswith(f"; {result.remarks[0]}")


def test_a_folded_curve_is_not_held_against_the_warm_side_of_another() -> None:
    """Two points of one model at equal reverse BLEU are no difference between two models."""
    warm = curve("mle", (0.1, 0.1), (0.3, 0.4), (0.25, 0.6))
    cold = curve("sda", (0.28, 0.3), (0.3, 0.4), (0.25, 0.6), (0.1, 0.9))
    result = judge(cold, warm, RECALL)

    # At 0.1 the one is too warm and the other too cold, and neither tells of the other.
    assert result.common == (0.25, 0.3)
    assert result.difference == pytest.approx(0.0)


def test_a_curve_that_turns_once_more_says_so() -> None:
    wavy = curve("wavy", (0.2, 0.2), (0.6, 0.4), (0.4, 0.5), (0.8, 0.6))
    result = judge(wavy, curve("level", (0.2, 0.2), (0.8, 0.2)), PLANE)

    assert result.remarks == (
        "wavy has some self-bleu-5 more than once, and there its better point counts",
    )
    assert judge(wavy, wavy, PLANE).difference == 0.0


def test_a_curve_that_does_not_turn_needs_no_remark() -> None:
    result = judge(curve("a", (0.2, 0.3), (0.6, 0.5)), curve("b", (0.4, 0.3)), PLANE)

    assert result.remarks == () and result.statement.endswith("is not known")


def test_lines_straight_up() -> None:
    wall = curve("wall", (0.4, 0.1), (0.5, 0.2), (0.5, 0.6))
    result = judge(wall, curve("level", (0.5, 0.5), (1.0, 0.5)), PLANE)

    assert result.common == (0.5, 0.5)
    assert result.difference == pytest.approx(0.1)


def test_a_point_against_a_curve() -> None:
    result = judge(curve("real text", (0.25, 0.75)), curve("mle", (0.0, 0.5), (1.0, 1.0)), PLANE)

    assert result.difference == pytest.approx(0.125)
    assert result.area == 0.0
    assert result.statement == (
        "at equal self-bleu-5 (0.250) the bleu-5 of real text is above that of mle by 0.125"
        " (no interval, as one was sampled only once): how much of it is chance is not known"
    )


@pytest.mark.parametrize(("plane", "varied"), [(PLANE, "cold"), (RECALL, "warm")])
def test_curves_that_do_not_meet(plane: Plane, varied: str) -> None:
    lines = [[(0.1, 0.2), (0.2, 0.3)], [(0.5, 0.2), (0.6, 0.3)]]
    if plane.diversity.higher_is_better:
        lines = [points[::-1] for points in lines]
    cold, warm = curve("cold", *lines[0]), curve("warm", *lines[1])
    for result in (judge(cold, warm, plane), judge(warm, cold, plane)):
        assert (result.common, result.difference, result.area) == (None, None, None)
        assert "cold has 0.100 to 0.200" in result.statement or "cold 0.100" in result.statement
        assert f"; {varied} is more varied, and nothing" in result.statement


def test_the_mean_of_several_samplings_is_compared() -> None:
    several = Curve("a", (1.0, 0.5), np.array([[0.1, 0.3], [0.5, 0.7]]), np.array([[1.0, 3.0]] * 2))
    result = judge(several, curve("b", (0.0, 0.5), (1.0, 0.5)), PLANE)

    assert result.common == pytest.approx((0.2, 0.6))
    assert result.difference == pytest.approx(1.5)
    # The other curve was sampled once, and how it varies is not known.
    assert result.interval is None


def statement_of(**facts: object) -> str:
    values = {
        "plane": PLANE,
        "first": "sda",
        "second": "mle",
        "ranges": ((0.2, 0.7), (0.26, 0.61)),
        "common": (0.26, 0.61),
        "area": 0.0,
    }
    return Verdict(**(values | facts)).statement  # type: ignore[arg-type]


def test_statements() -> None:
    start = "at equal self-bleu-5 (0.260 to 0.610) the bleu-5 of sda is"
    assert statement_of(difference=0.011, interval=(-0.002, 0.024)) == (
        f"{start} above that of mle by 0.011 on average (95 % interval -0.002 to 0.024):"
        " no clear difference"
    )
    assert statement_of(difference=0.011, interval=(0.002, 0.024), better=((0.3, 0.4),)) == (
        f"{start} above that of mle by 0.011 on average (95 % interval 0.002 to 0.024):"
        " sda is better"
    )
    assert statement_of(difference=-0.011, interval=(-0.024, -0.002), worse=((0.3, 0.4),)) == (
        f"{start} below that of mle by 0.011 on average (95 % interval 0.002 to 0.024):"
        " mle is better"
    )


def test_statements_about_scores_that_are_better_lower() -> None:
    said = statement_of(plane=LIKELIHOOD, difference=0.05, interval=(0.01, 0.09))

    assert "the nll-oracle of sda is below that of mle by 0.050 on average" in said
    assert said.endswith("(95 % interval 0.010 to 0.090): sda is better")


def test_statements_about_curves_that_cross() -> None:
    crossing = {"better": ((0.26, 0.3), (0.35, 0.4)), "worse": ((0.5, 0.61),)}
    said = statement_of(difference=-0.0001, interval=(-0.02, -0.00004), **crossing)

    assert "by 0.000 on average (95 % interval 0.000 to 0.020): the curves cross, " in said
    assert said.endswith(
        "sda is better from 0.260 to 0.300 and 0.350 to 0.400 and mle from 0.500 to 0.610"
    )


def test_statements_about_a_part_of_the_range() -> None:
    facts = {"difference": 0.01, "interval": (-0.01, 0.02)}

    assert statement_of(**facts, better=((0.26, 0.3),)).endswith(
        "): no clear difference on the whole, sda is better from 0.260 to 0.300"
    )
    assert statement_of(**facts, worse=((0.26, 0.3),)).endswith(
        "): no clear difference on the whole, mle is better from 0.260 to 0.300"
    )


def test_a_comparison_is_ready_for_json() -> None:
    rng = np.random.default_rng(0)
    result = judge(noisy("a", rng, 0.02), noisy("b", rng, 0.0), PLANE)
    read = json.loads(json.dumps(result.as_dict()))

    assert read["statement"] == result.statement
    assert read["plane"]["diversity"] == {"name": "self-bleu-5", "higher_is_better": False}
    assert read["difference"] == result.difference
    assert read["interval"] == list(result.interval or ())


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for number in range(100):
        first, second = noisy(f"a{number}", rng, 0.004), noisy(f"b{number}", rng, 0.0)
        low, high = judge(first, second, PLANE).interval or (0.0, 0.0)
        covered += low <= 0.004 <= high
    assert 88 <= covered <= 99


def test_equal_models_seldom_have_a_range_where_one_is_better() -> None:
    rng = np.random.default_rng(2)
    wrong = 0
    for number in range(100):
        result = judge(noisy(f"a{number}", rng, 0.0), noisy(f"b{number}", rng, 0.0), PLANE)
        wrong += bool(result.better or result.worse)
    assert wrong <= 12


def test_a_clear_gain_on_a_part_of_the_range_is_found() -> None:
    rng = np.random.default_rng(3)
    first, second = noisy("a", rng, 0.0), noisy("b", rng, 0.0)
    gain = np.array([[0.1]] * 3 + [[0.0]] * 6)
    bent = Curve("a", first.decodings, first.diversity, first.quality + gain)
    result = judge(bent, second, PLANE)

    assert len(result.better) == 1
    # The third point is at 0.29 and the fourth, which has no gain, at 0.36.
    low, high = result.better[0]
    assert low < 0.16
    assert 0.29 < high < 0.37
    assert result.worse == ()


def test_the_same_curves_have_the_same_interval() -> None:
    rng = np.random.default_rng(4)
    first, second = noisy("a", rng, 0.01), noisy("b", rng, 0.0)

    assert judge(first, second, PLANE) == judge(first, second, PLANE)


def test_shapes_that_fit_no_curve() -> None:
    two = np.zeros((2, 1))
    with pytest.raises(ValueError, match="points, samplings"):
        Curve("a", (1.0, 0.5), two, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="1 decodings"):
        Curve("a", (1.0,), two, two)
    with pytest.raises(ValueError, match="0 decodings"):
        Curve("a", (), np.zeros((0, 3)), np.zeros((0, 3)))
    with pytest.raises(ValueError, match="no number"):
        Curve("a", (1.0, 0.5), two, two * np.nan)


figures = st.integers(0, 20).map(lambda number: number / 20)


@st.composite
def curves(draw: st.DrawFn, name: str) -> Curve:
    points, samplings = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    rows = st.lists(figures, min_size=samplings, max_size=samplings)
    values = [
        np.array(draw(st.lists(rows, min_size=points, max_size=points)), dtype=float)
        for _ in range(2)
    ]
    return Curve(name, tuple(range(points)), values[0], values[1])


planes = st.sampled_from([PLANE, LIKELIHOOD, RECALL])


@given(curves("a"), curves("b"), planes)
def test_either_order_says_the_same(first: Curve, second: Curve, plane: Plane) -> None:
    one, other = judge(first, second, plane), judge(second, first, plane)

    assert one.common == other.common
    if one.difference is None:
        assert other.difference is None
        return
    assert other.difference == pytest.approx(-one.difference)
    assert one.better == other.worse
    assert one.worse == other.better
    if one.interval is not None:
        assert other.interval == pytest.approx((-one.interval[1], -one.interval[0]))


@given(curves("a"), planes)
def test_a_curve_does_not_differ_from_itself(only: Curve, plane: Plane) -> None:
    result = judge(only, only, plane)

    assert result.difference == 0.0
    assert result.interval in (None, (0.0, 0.0))
    assert result.better == result.worse == ()


@given(curves("a"), planes, st.floats(-1, 1))
def test_a_shift_of_quality_is_found(only: Curve, plane: Plane, shift: float) -> None:
    moved = Curve("b", only.decodings, only.diversity, only.quality + shift)
    sign = 1 if plane.quality.higher_is_better else -1

    assert judge(moved, only, plane).difference == pytest.approx(sign * shift, abs=1e-12)


@given(curves("a"), curves("b"), planes)
def test_nothing_is_said_outside_the_points(first: Curve, second: Curve, plane: Plane) -> None:
    result = judge(first, second, plane)
    assume(result.common is not None)
    assert result.common is not None
    assert result.difference is not None

    for some in (first, second):
        assert some.range[0] <= result.common[0] <= result.common[1] <= some.range[1]
    # Quality between points is between theirs.
    widest = np.ptp(np.concatenate((first.quality.mean(1), second.quality.mean(1))))
    assert abs(result.difference) <= widest + 1e-12


@given(curves("a"), planes)
def test_the_cold_side_begins_with_the_most_varied_point(only: Curve, plane: Plane) -> None:
    kept = only.cold_side(plane.diversity)
    best = only.range[1] if plane.diversity.higher_is_better else only.range[0]

    assert kept.diversity[0].mean() == pytest.approx(best)
    assert list(kept.decodings) == sorted(kept.decodings, reverse=True)
    assert set(only.decodings) - set(kept.decodings) == {
        decoding for decoding in only.decodings if decoding > kept.decodings[0]
    }


@given(curves("a"), planes)
def test_a_curve_backwards_is_the_same_curve(only: Curve, plane: Plane) -> None:
    back = Curve("b", only.decodings[::-1], only.diversity[::-1], only.quality[::-1])

    assert judge(back, only, plane).difference == pytest.approx(0.0, abs=1e-12)
