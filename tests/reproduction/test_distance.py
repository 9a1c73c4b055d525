"""Distances above a start's curve by hand: straight lines, both signs, and nothing outside."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.records import as_record, jobs_of, record
from sda.evaluation.dominance import Axis, Plane
from sda.reproduction.distance import Distance, distance_on, plane_title, planes_for, start_key
from sda.reproduction.ledger import RunRecord
from sda.scoring.planes import PRIMARY

ORACLE = Plane(Axis("nll-test", False), Axis("nll-oracle", False))
# Self-BLEU-5 and BLEU-5 of a start: from (0.2, 0.3) a straight line to (0.6, 0.5).
CURVE = {1.0: [(0.2, 0.3)], 0.5: [(0.6, 0.5)]}


def run(points: dict[float, Sequence[tuple[float, float]]], plane: Plane = PRIMARY) -> RunRecord:
    """A record with such points on the plane, one pair for each sampling."""
    names = plane.diversity.name, plane.quality.name
    samplings = {
        temperature: [dict(zip(names, pair, strict=True)) for pair in pairs]
        for temperature, pairs in points.items()
    }
    return as_record(record(points=samplings))


def distance(
    points: dict[float, Sequence[tuple[float, float]]],
    curve: dict[float, Sequence[tuple[float, float]]] = CURVE,
    plane: Plane = PRIMARY,
) -> Distance:
    found = distance_on(plane, run(points, plane), run(curve, plane))
    assert found is not None
    return found


def test_halfway_between_two_points_of_the_curve() -> None:
    # At 0.4 the curve has 0.4.
    found = distance({1.0: [(0.4, 0.45)]})

    assert found.as_trained == pytest.approx(0.05)
    assert (found.inside, found.points) == (1, 1)


def test_samplings_of_a_point_are_averaged() -> None:
    found = distance({1.0: [(0.3, 0.4), (0.5, 0.5)]})

    assert found.as_trained == pytest.approx(0.05)


def test_nothing_is_said_outside_the_range() -> None:
    found = distance({1.0: [(0.1, 0.9)]})

    assert found == Distance(None, None, 0, 1)


def test_the_average_is_over_points_inside() -> None:
    # 0.05 above at 0.4, 0.1 below at 0.5, and one outside.
    found = distance({1.11: [(0.4, 0.45)], 1.0: [(0.7, 0.9)], 0.83: [(0.5, 0.35)]})

    assert found.as_trained is None
    assert found.average == pytest.approx((0.05 - 0.1) / 2)
    assert (found.inside, found.points) == (2, 3)


def test_lower_is_better_counts_as_positive() -> None:
    # At NLL_test 8.5 the start has NLL_oracle 8.5; the run has 8.2.
    found = distance({1.0: [(8.5, 8.2)]}, {1.0: [(8.0, 9.0)], 0.5: [(9.0, 8.0)]}, ORACLE)

    assert found.as_trained == pytest.approx(0.3)


def test_a_curve_that_turns_back_counts_with_its_cold_side() -> None:
    # NLL_test falls to 2.0 and rises again: at 2.1 the sides have 3.5 and 2.5.
    curve = {1.25: [(2.4, 4.0)], 1.0: [(2.0, 3.0)], 0.5: [(2.2, 2.0)]}
    found = distance({1.0: [(2.1, 2.4)], 0.83: [(2.3, 2.0)]}, curve, ORACLE)

    assert found.as_trained == pytest.approx(0.1)
    # Only the warm side reaches 2.3.
    assert (found.inside, found.points) == (1, 2)


def test_the_order_of_points_in_a_record_is_of_no_matter() -> None:
    curve = {0.5: [(0.6, 0.5)], 1.25: [(0.1, 0.1)], 1.0: [(0.2, 0.3)]}

    assert distance({1.0: [(0.15, 0.2)]}, curve).as_trained == pytest.approx(0.0)


def test_a_plane_that_a_run_has_no_score_of_is_none() -> None:
    assert distance_on(ORACLE, run(CURVE), run(CURVE)) is None


def measured_on(count: int | None, plane: Plane = PRIMARY) -> RunRecord:
    """A run whose points tell how many sentences they are about, or an older one of 2,000."""
    data = dict(run(CURVE, plane).data)
    told = {} if count is None else {"sentences": count}
    return as_record({**data, "curve": {**data["curve"], **told}})


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [(None, None, True), (1000, 1000, True), (1000, None, False), (2000, None, True)],
)
def test_runs_are_held_against_each_other_at_equal_numbers(
    one: int | None, other: int | None, is_equal: bool
) -> None:
    """Self-BLEU of half the sentences is another score."""
    pairs = ((one, other), (other, one))
    found = [distance_on(PRIMARY, measured_on(a), measured_on(b)) for a, b in pairs]

    assert [distance is not None for distance in found] == [is_equal, is_equal]


def test_likelihoods_are_held_against_each_other_if_measured_in_one_way() -> None:
    old, new = measured_on(None, ORACLE), measured_on(2000, ORACLE)

    assert distance_on(ORACLE, new, new) is not None
    assert distance_on(ORACLE, old, old) is not None
    assert distance_on(ORACLE, new, old) is None


@given(
    places=st.lists(st.integers(0, 100), min_size=2, max_size=6, unique=True),
    qualities=st.lists(st.floats(0, 1), min_size=6, max_size=6),
    lift=st.floats(-0.5, 0.5),
)
def test_a_lifted_curve_is_above_itself_by_the_lift(
    places: list[int], qualities: list[float], lift: float
) -> None:
    pairs = list(zip((place / 100 for place in sorted(places)), qualities, strict=False))
    curve = {1.0 - 0.1 * number: [pair] for number, pair in enumerate(pairs)}
    lifted = {t: [(x, y + lift)] for t, [(x, y)] in curve.items()}
    found = distance(lifted, curve)

    assert found.inside == len(places)
    assert found.as_trained == pytest.approx(lift, abs=1e-6)
    assert found.average == pytest.approx(lift, abs=1e-6)


def test_an_experiment_may_be_about_another_score() -> None:
    usual, own = planes_for("captions"), planes_for("captions", "grammatical-share")

    assert plane_title(own[0]) == "grammatical-share at equal self-bleu-5"
    assert [plane for plane in own if plane != own[0]] == [p for p in usual if p != own[0]]
    assert planes_for("captions", "bleu-5") == usual


def test_the_planes_of_each_source() -> None:
    titles = {
        source: [plane_title(plane) for plane in planes_for(source)]
        for source in ("coco/train.txt", "captions", "oracle", "oracle:oracle/oracle_lstm.npz")
    }

    assert titles["coco/train.txt"][0] == "bleu-5 at equal self-bleu-5"
    assert titles["captions"][:4] == titles["coco/train.txt"][:4]
    assert titles["coco/train.txt"][4:] == ["grammar-issues at equal self-bleu-5"]
    assert titles["captions"][4:] == ["grammatical-share at equal self-bleu-5"]
    assert titles["oracle"] == [
        f"nll-oracle at equal {name}" for name in ("nll-test", "distinct-2", "self-bleu-5")
    ]
    assert titles["oracle:oracle/oracle_lstm.npz"] == titles["oracle"]


@pytest.mark.parametrize("row", ["sda", "best-of-n", "eda", "un-rare", "mixup", "mle"])
def test_every_row_is_held_against_maximum_likelihood_on_the_same_data(row: str) -> None:
    jobs = jobs_of("baselines", seeds=2)

    assert [start_key(jobs[row, seed]) for seed in (0, 1)] == [
        jobs["mle", seed].key for seed in (0, 1)
    ]
