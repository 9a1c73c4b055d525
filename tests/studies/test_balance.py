"""Blocks are balanced by count, whatever the numbers are."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.errors import UserError
from sda.studies.balance import balanced_rows, imbalance, spread_gaps


@st.composite
def designs(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    treatments, items, ratings = (draw(st.integers(1, most)) for most in (8, 12, 5))
    judges = draw(st.integers(ratings, min(40, treatments * items * ratings)))
    return treatments, items, ratings, judges, draw(st.integers(0, 1000))


@given(designs())
@settings(max_examples=60)
def test_any_design_is_balanced(design: tuple[int, int, int, int, int]) -> None:
    treatments, items, ratings, judges, seed = design
    rows = balanced_rows(treatments, items, ratings, judges, np.random.default_rng(seed))

    # Every item has its ratings, from different judges.
    counts = Counter(cell for row in rows for cell in row)
    assert counts == dict.fromkeys(np.ndindex(treatments, items), ratings)
    assert all(len(set(row)) == len(row) for row in rows)
    # Nobody has more to do than another, by more than one.
    lengths = [len(row) for row in rows]
    assert max(lengths) - min(lengths) <= 1
    for row in rows:
        by_judge = [sum(label == t for label, _ in row) for t in range(treatments)]
        assert max(by_judge) - min(by_judge) <= 1
    for place in range(max(lengths)):
        there = [row[place][0] for row in rows if place < len(row)]
        at_place = [there.count(t) for t in range(treatments)]
        assert max(at_place) - min(at_place) <= 1


def test_imbalance_is_counted() -> None:
    # Judge 1 has the first treatment twice; at each position it stands twice.
    assert imbalance([[(0, 0), (0, 1)], [(0, 2), (1, 0)], [(1, 1), (0, 3)]], 2) == (2, 1)
    assert imbalance([[(0, 0), (1, 0)], [(1, 1), (0, 1)]], 2) == (0, 0)


def test_the_seed_decides_and_the_order_is_no_rotation() -> None:
    def rows(seed: int) -> list[list[tuple[int, int]]]:
        return balanced_rows(4, 25, 3, 30, np.random.default_rng(seed))

    assert rows(1) == rows(1) != rows(2)
    followers = {(a[0], b[0]) for row in rows(1) for a, b in pairwise(row)}
    assert len(followers) > 8  # a rotation has four


def test_judges_share_items_with_many_others() -> None:
    rows = balanced_rows(2, 60, 3, 12, np.random.default_rng(0))
    sets = [set(row) for row in rows]
    partners = [sum(bool(mine & other) for other in sets) - 1 for mine in sets]

    assert min(partners) > 6  # fixed groups of three would have two


@pytest.mark.parametrize(("judges", "said"), [(2, "at least 3 judges"), (13, "fewer --judges")])
def test_impossible_designs_are_refused(judges: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        balanced_rows(2, 2, 3, judges, np.random.default_rng(0))


@given(st.integers(1, 60), st.integers(0, 6), st.integers(0, 20), st.integers(0, 99))
def test_gaps_are_inside(length: int, count: int, first: int, seed: int) -> None:
    gaps = spread_gaps(length, count, first, np.random.default_rng(seed))

    assert len(gaps) == count
    assert all(min(first, length) <= gap <= length for gap in gaps)
    assert list(gaps) == sorted(gaps)
