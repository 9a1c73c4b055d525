"""What a design can see, against a formula and against studies that are tested in full."""

from collections.abc import Callable
from math import erf, sqrt

import numpy as np
import pytest
from tiny import Answer

from sda.studies.exchange import Sample2, holm, permutation_test
from sda.studies.power import HIGH, LOW, PAPER, Design, Power, Variances, suggested
from sda.studies.simulation import lay_out, rounded_mean, simulate
from sda.studies.two_way import numbered


def closed_power(design: Design, variances: Variances, difference: float) -> float:
    """The power by formula, exact where items and judges are so many that variances are known."""
    variance = (
        variances.item / design.items
        + variances.judge_model / design.judges
        + variances.noise / (design.items * design.ratings)
    )
    shift, limit = difference / sqrt(2 * variance), 1.959963984540054
    return sum((1 + erf((end - limit) / sqrt(2))) / 2 for end in (shift, -shift))


def test_many_judges_and_items_have_the_power_of_the_formula() -> None:
    design = Design(models=2, items=150, judges=60, ratings=2)
    power = Power(design, LOW, studies=3000)

    for difference in (0.0, 0.1, 0.2, 0.3):
        # The formula takes variances as known.
        assert power.of(difference) == pytest.approx(
            closed_power(design, LOW, difference), abs=0.03
        )


def test_items_alone_have_the_power_of_the_formula() -> None:
    none = Variances(item=0.25, judge_model=0.0, noise=0.5)
    design = Design(models=2, items=100, judges=1, ratings=1)

    assert Power(design, none, studies=3000).of(0.3) == pytest.approx(
        closed_power(design, Variances(0.25, 0.0, 0.5), 0.3), abs=0.03
    )


def test_the_papers_design_cannot_see_its_own_difference() -> None:
    power = Power(PAPER, LOW, studies=2000)

    assert power.smallest() > 0.8
    assert power.of(3.11 - 2.97) < 0.1
    many = Power(Design(4, 100, 30, 3), LOW, studies=2000)
    assert many.smallest() == pytest.approx(0.31, abs=0.02)
    assert Power(PAPER, HIGH, studies=2000).smallest() > 2


def test_more_of_anything_sees_smaller_differences() -> None:
    def smallest(**changes: int) -> float:
        return Power(
            Design(**{**vars(PAPER), "judges": 12, **changes}), LOW, studies=1500
        ).smallest()

    assert smallest() > smallest(judges=24) and smallest() > smallest(items=200)
    power = Power(PAPER, LOW, studies=1500)
    assert power.smallest(comparisons=6) > power.smallest()


def test_a_budget_is_spent_on_judges() -> None:
    assert suggested(models=4, budget=1200, ratings=3, load=40) == Design(4, 100, 30, 3)
    assert suggested(models=4, budget=30, ratings=3, load=40) == Design(4, 2, 3, 3)


@pytest.mark.slow
def test_the_command_has_the_papers_design_first(
    command: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sda.studies.power.STUDIES", 200)
    text = command("judge", "plan", "--budget", 1200, "--judges", 10, "--difference", 0.14).out

    assert "find a difference of 0.14" in text
    assert text.index("the paper's") < text.index("its ratings") < text.index("suggested")
    assert "at least 3 judges" in command("judge", "plan", "--judges", 2).err
    assert "not two items" in command("judge", "plan", "--budget", 5).err
    for count in ("--models", "--items", "--judges", "--ratings", "--budget", "--load"):
        endless = command("judge", "plan", count, 10**20)
        assert endless.code == 2 and f"'{count}'" in endless.err


def test_rounded_ratings_have_the_mean_that_is_said() -> None:
    layout = lay_out(Design(1, 4000, 60, 1), seed=0)
    spread = Variances(item=1.0, judge_model=0.0, noise=1.0, judge=0.0)
    values = simulate(layout, spread, np.array([4.2]), np.random.default_rng(0))

    assert set(np.unique(values)) <= {1, 2, 3, 4, 5}
    assert values.mean() == pytest.approx(rounded_mean(4.2, spread), abs=0.05)


@pytest.mark.slow
def test_studies_without_a_difference_claim_none_and_intervals_hold() -> None:
    """A small version of `tools/measure_studies.py`, whose figures stand in the documents."""
    design, means = Design(models=3, items=30, judges=12, ratings=3), np.array([3.0, 3.0, 3.0])
    layout, rng = lay_out(design, seed=1), np.random.default_rng(2)
    claims = naive = held = 0
    studies = 90
    for _ in range(studies):
        values = simulate(layout, HIGH, means, rng)
        ps, plain = [], []
        for a, b in ((0, 1), (0, 2), (1, 2)):
            some = (layout.models == a) | (layout.models == b)
            first = layout.models[some] == a
            items, judges = numbered(layout.items[some]), numbered(layout.judges[some])
            found = permutation_test(Sample2(values[some], first, items, judges), rng, 399)
            alone = Sample2(values[some], first, np.arange(int(some.sum())), None)
            ps.append(found.p)
            plain.append(permutation_test(alone, rng, 399).p)
            held += found.interval[0] <= 0 <= found.interval[1]
        claims += min(holm(ps)) <= 0.05
        naive += min(holm(plain)) <= 0.05

    assert claims <= 0.1 * studies < 0.15 * studies < naive
    assert 0.9 <= held / (3 * studies) <= 0.99
