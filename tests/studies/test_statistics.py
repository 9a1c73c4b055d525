"""Agreement, strengths, intervals and tests, against figures by hand and second sources."""

from itertools import combinations
from math import comb

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.studies.agreement import ordinal_alpha
from sda.studies.bradley_terry import fit_strengths, outcome_counts
from sda.studies.exchange import Sample2, holm, permutation_test
from sda.studies.student import t_quantile, t_tail
from sda.studies.two_way import resampled, weighted_means


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": four observers, twelve units;
# 0 stands for a missing value here.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)


def test_krippendorffs_own_example() -> None:
    judges, items = np.nonzero(PUBLISHED)
    found = ordinal_alpha(PUBLISHED[judges, items], items, rng())

    assert found is not None
    # By hand: 40 ratings of 11 units; n_c = 9, 13, 10, 5, 3; printed there as 0.815.
    assert found.value == pytest.approx(0.815388, abs=1e-6)
    assert (found.items, found.ratings) == (11, 40)
    assert found.interval is not None and found.interval[0] < 0.815 < found.interval[1]


def test_alpha_by_hand() -> None:
    # Two units, (1, 1) and (1, 2): n_1 = 3, n_2 = 1, D_o = 2 d, D_e = 6 d / 3 = 2 d.
    assert ordinal_alpha(np.array([1, 1, 1, 2]), np.array([0, 0, 1, 1]), rng()).value == 0.0  # type: ignore[union-attr]


@pytest.mark.parametrize("seed", range(6))
def test_alpha_agrees_with_the_package(seed: int) -> None:
    draw = rng(seed)
    truth = draw.integers(1, 6, (1, 30))
    table = np.clip(truth + draw.integers(-2, 3, (5, 30)), 1, 5).astype(float)
    table[draw.random(table.shape) < 0.4] = np.nan
    judges, items = np.nonzero(~np.isnan(table))
    mine = ordinal_alpha(table[judges, items].astype(int), items, draw)
    theirs = krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal")

    assert mine is not None and mine.value == pytest.approx(theirs, abs=1e-9)


def test_alpha_needs_two_ratings_of_an_item_and_two_values() -> None:
    assert ordinal_alpha(np.array([1, 2, 3]), np.array([0, 1, 2]), rng()) is None
    assert ordinal_alpha(np.array([2, 2, 2]), np.array([0, 0, 1]), rng()) is None
    assert ordinal_alpha(np.array([], int), np.array([], int), rng()) is None


# Baseball, American League East, 1987 (Agresti, Categorical Data Analysis): row won over column.
BASEBALL = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ],
    float,
)


def test_strengths_agree_with_the_published_ones() -> None:
    strengths, _ = fit_strengths(BASEBALL[None], np.zeros((1, 7, 7)), prior=0.0)

    published = [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]
    assert strengths[0] - strengths[0, -1] == pytest.approx(published, abs=0.006)


def davidson(wins: np.ndarray, ties: np.ndarray) -> tuple[np.ndarray, float]:
    """Davidson's own iteration (1970), which moves one worth after the other."""
    count = len(wins)
    worth, v = np.ones(count), 1.0
    games = wins + wins.T + ties
    points = wins.sum(axis=1) + ties.sum(axis=1) / 2
    for _ in range(4000):
        root = np.sqrt(np.outer(worth, worth))
        below = worth[:, None] + worth[None] + v * root
        slope = games * (2 + v * np.sqrt(worth[None] / worth[:, None])) / below / 2
        np.fill_diagonal(slope, 0.0)
        worth = points / slope.sum(axis=1)
        worth /= np.exp(np.log(worth).mean())
        root = np.sqrt(np.outer(worth, worth))
        upper = np.triu_indices(count, 1)
        below = worth[:, None] + worth[None] + v * root
        v = ties[upper].sum() / (games * root / below)[upper].sum()
    return np.log(worth), float(np.log(v))


def test_strengths_with_ties_agree_with_a_second_way() -> None:
    draw = rng(3)
    wins = draw.integers(1, 9, (4, 4)).astype(float)
    ties = np.triu(draw.integers(1, 6, (4, 4)), 1).astype(float)
    np.fill_diagonal(wins, 0)
    ties += ties.T
    strengths, tie = fit_strengths(np.stack((wins, wins.T)), np.stack((ties, ties)), prior=0.0)
    worth, v = davidson(wins, ties)

    assert strengths[0] == pytest.approx(worth, abs=1e-5)
    assert tie == pytest.approx([v, v], abs=1e-5)
    assert strengths[1] == pytest.approx(-strengths[0], abs=1e-8)


def test_a_model_that_always_wins_has_a_strength() -> None:
    wins = np.array([[[0.0, 10.0], [0.0, 0.0]]])
    strengths, _ = fit_strengths(wins, np.zeros((1, 2, 2)))

    assert 1 < strengths[0, 0] - strengths[0, 1] < 6


def test_outcomes_are_counted_by_weight() -> None:
    first, second = np.array([0, 1, 0]), np.array([1, 0, 2])
    weights = np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 3.0]])
    wins, ties = outcome_counts(np.array([1.0, 1.0, 0.0]), first, second, 3, weights)

    assert wins[:, 0, 1].tolist() == [1.0, 2.0] and wins[:, 1, 0].tolist() == [1.0, 0.0]
    assert ties[:, 0, 2].tolist() == ties[:, 2, 0].tolist() == [1.0, 3.0]
    assert wins.sum() + ties.sum() / 2 == 8.0


@pytest.mark.parametrize(
    ("df", "level", "printed"),
    [(2, 0.95, 4.3027), (9, 0.95, 2.2622), (29, 0.95, 2.0452), (1, 0.9, 6.3138), (5, 0.99, 4.0321)],
)
def test_students_t_is_that_of_the_tables(df: float, level: float, printed: float) -> None:
    assert t_quantile(df, level) == pytest.approx(printed, abs=5e-5)
    assert t_tail(printed, df) == pytest.approx(1 - level, abs=1e-5)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=8))
def test_holm_is_between_nothing_and_bonferroni(ps: list[float]) -> None:
    corrected = np.array(holm(ps))

    assert (corrected >= np.array(ps)).all()
    assert (corrected <= np.minimum(1, len(ps) * np.array(ps)) + 1e-12).all()
    assert (np.diff(corrected[np.argsort(ps, kind="stable")]) >= 0).all()


def test_permutations_of_few_items_are_those_that_there_are() -> None:
    # Four items each, all of the first above all of the second: 2 of 70 ways are as extreme.
    values = np.array([5.0, 5, 4, 4, 2, 2, 1, 1])
    sample = Sample2(values, np.arange(8) < 4, np.arange(8), None)
    found = permutation_test(sample, rng(), 20_000)

    assert found.value == 3.0
    assert found.p == pytest.approx(2 / comb(8, 4), abs=0.004)
    ways = [values[list(some)].sum() for some in combinations(range(8), 4)]
    assert sum(abs(2 * way - values.sum()) >= 12 for way in ways) == 2


def test_paired_items_change_sides() -> None:
    # Five lines, the first model always above: 2 of 32 ways of signs are as extreme.
    values = np.array([5.0, 4, 5, 4, 3, 3, 3, 2, 3, 1])
    lines = np.tile(np.arange(5), 2)
    sample = Sample2(values, np.arange(10) < 5, lines, None, is_paired=True)

    assert permutation_test(sample, rng(), 20_000).p == pytest.approx(2 / 32, abs=0.006)


def test_judges_who_disagree_are_no_proof() -> None:
    """Two of three judges prefer the first model strongly, and one the second."""
    items = np.arange(60)
    first = items < 30
    judges = items % 3
    lean = np.array([1.0, 1.0, -0.4])[judges]
    values = 3 + np.where(first, lean, -lean) / 2 + 0.01 * rng().standard_normal(60)
    alone = permutation_test(Sample2(values, first, items, None), rng(1), 999)
    together = permutation_test(Sample2(values, first, items, judges), rng(1), 999)

    assert alone.p < 0.01 < 0.2 < together.p
    assert together.error > 2 * alone.error and together.freedom < 4


def test_variance_of_a_mean_over_items_and_judges_by_hand() -> None:
    # Three items by two judges; the mean is 2.5.
    values = np.array([1.0, 2, 2, 3, 3, 4])
    items, judges = np.repeat(np.arange(3), 2), np.tile(np.arange(2), 3)
    found = resampled(weighted_means(values, np.zeros(6, int), 1), items, judges, rng(), 40_000)

    # Items: means 1.5, 2.5, 3.5, s^2 / 3 = 1/3. Judges: 2 and 3, s^2 / 2 = 1/4.
    assert found.items[0] == pytest.approx(1 / 3, rel=0.03)
    assert found.judges[0] == pytest.approx(1 / 4, rel=0.03)
    # Single ratings: s^2 / 6 with squares 2.25 * 2 + 0.25 * 4 = 5.5, over 5.
    assert found.single[0] == pytest.approx(5.5 / 5 / 6, rel=0.03)
    assert found.variance[0] == pytest.approx(1 / 3 + 1 / 4 - 5.5 / 30, rel=0.08)
    (low, high) = found.interval(np.array([2.5]))[0]
    assert low < 2.5 - 4 * found.error[0] and high > 2.5 + 4 * found.error[0]


def test_judges_without_names_are_no_source_of_chance() -> None:
    values = np.array([1.0, 2, 3, 5])
    found = resampled(
        weighted_means(values, np.zeros(4, int), 1), np.arange(4), None, rng(), 20_000
    )

    assert found.judges[0] == found.single[0] == 0.0
    assert found.variance[0] == pytest.approx(values.var(ddof=1) / 4, rel=0.05)
    assert found.freedom[0] == pytest.approx(3.0)


@given(st.permutations(range(6)))
@settings(max_examples=10)
def test_alpha_does_not_depend_on_the_order(order: list[int]) -> None:
    values, items = np.array([1, 2, 3, 3, 5, 4]), np.array([0, 0, 1, 1, 2, 2])
    one = ordinal_alpha(values, items, rng())
    other = ordinal_alpha(values[order], items[order], rng())

    assert one is not None and other is not None
    assert one.value == pytest.approx(other.value)


def test_names_of_judges_do_not_matter() -> None:
    values = np.array([1.0, 5, 2, 4, 3, 3, 1, 5])
    first, items = np.tile([False, True], 4), np.arange(8)
    ps = [
        permutation_test(Sample2(values, first, items, judges), rng(), 999).p
        for judges in (items // 4, 1 - items // 4)
    ]

    assert ps[0] == ps[1]
