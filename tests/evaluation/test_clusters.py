"""K-means finds groups that are there, and never more than there are different points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.evaluation.clusters import cluster


def test_groups_far_apart_are_found() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 12, 600)
    centres = rng.normal(size=(12, 5))
    points = (centres[truth] + 0.001 * rng.normal(size=(600, 5))).astype(np.float32)
    groups = cluster(points, 12, seed=0)
    # One found group for each true one, and the other way round.
    assert len(set(zip(truth.tolist(), groups.tolist(), strict=True))) == 12
    assert len(set(groups.tolist())) == 12


def test_every_point_is_nearest_to_the_mean_of_its_group_when_settled() -> None:
    points = np.random.default_rng(1).normal(size=(200, 2)).astype(np.float32)
    groups = cluster(points, 7, seed=0)
    means = np.stack([points[groups == group].mean(axis=0) for group in range(7)])
    nearest = ((points[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert np.array_equal(nearest, groups)


def test_the_start_prefers_points_far_from_those_drawn() -> None:
    # By chance alone a start of two points would hit the far one in a twentieth of all seeds.
    points = np.zeros((40, 1), np.float32)
    points[17] = 1.0
    for seed in range(20):
        groups = cluster(points, 2, seed)
        assert (groups == groups[17]).sum() == 1


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 9))
def test_equal_points_share_a_group_whatever_their_number(
    seed: int, different: int, count: int
) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, different, 30)
    points = rng.normal(size=(different, 3)).astype(np.float32)[numbers]
    groups = cluster(points, count, seed)
    pairs = set(zip(numbers.tolist(), groups.tolist(), strict=True))
    assert len(pairs) == len(set(numbers.tolist()))
    assert groups.max() < min(count, different)
    assert np.array_equal(groups, cluster(points, count, seed))


def test_seeds_differ() -> None:
    points = np.random.default_rng(2).normal(size=(300, 4)).astype(np.float32)
    assert not np.array_equal(cluster(points, 20, 0), cluster(points, 20, 1))


def test_one_group_holds_all() -> None:
    points = np.random.default_rng(3).normal(size=(10, 2)).astype(np.float32)
    assert cluster(points, 1, 0) == pytest.approx(0)
