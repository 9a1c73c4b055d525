"""What a design can see: the smallest difference between two models, and the power for one.

Studies are simulated with chance from items, from judges who prefer one model by themselves, and
from single ratings, and are tested as `sda judge results` tests them, with a normal variable in the
place of the permuted items. Values are normal and not rounded to a scale: then a difference only
shifts them, and one set of simulated studies serves every difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from sda.studies.two_way import Floats

STUDIES = 4000
LEVEL = 0.05
POWER = 0.8
LARGEST = 20.0  # no scale is wider
DRAWS = 20_000
GRID = 60


@dataclass(frozen=True)
class Variances:
    """How much ratings differ for each reason, as variances on a scale from 1 to 5."""

    item: float
    judge_model: float
    """How much judges differ in which model they prefer."""
    noise: float
    """What is left: one judge, one item."""
    judge: float = 0.3
    """How much judges differ in what they give at all; it is the same for all models."""


LOW = Variances(item=0.25, judge_model=0.052, noise=0.54)
HIGH = Variances(item=0.40, judge_model=0.39, noise=0.88, judge=0.6)


@dataclass(frozen=True)
class Design:
    """How many of what; each judge rates as many items of one model as of any other."""

    models: int
    items: int
    judges: int
    ratings: int

    @property
    def total(self) -> int:
        return self.models * self.items * self.ratings

    @property
    def pairs(self) -> int:
        return self.models * (self.models - 1) // 2


PAPER = Design(models=4, items=100, judges=3, ratings=3)


class Power:
    """The power of a design for every difference, as one of so many comparisons under Holm."""

    def __init__(
        self, design: Design, variances: Variances, seed: int = 0, studies: int | None = None
    ) -> None:
        self._design, self._seed = design, seed
        self._found = simulated_tests(design, variances, seed, studies or STUDIES)
        self._edges: dict[int, tuple[Floats, Floats]] = {}

    def of(self, difference: float, comparisons: int = 1) -> float:
        """The share of studies that find a difference of this size, whichever its sign."""
        found, design = self._found, self._design
        if comparisons not in self._edges:
            level = LEVEL / comparisons
            self._edges[comparisons] = _edges(found, design.judges, level, self._seed)
        # Items that change their model carry the difference between the models with them.
        items = found.items + difference**2 / (2 * design.items)
        limit = np.sqrt(items) * np.interp(found.judges / items, *self._edges[comparisons])
        return float((np.abs(found.shift + difference) > limit).mean())

    def smallest(self, comparisons: int = 1) -> float:
        """The smallest difference that is found with a power of 80 %."""
        low, high = 0.0, LARGEST
        for _ in range(40):
            middle = (low + high) / 2
            is_low = self.of(middle, comparisons) < POWER
            low, high = (middle, high) if is_low else (low, middle)
        return high


@dataclass(frozen=True)
class SimulatedTests:
    """Differences (S,) found where there are none, and their variances over items and judges."""

    shift: Floats
    items: Floats
    judges: Floats
    single: Floats


def simulated_tests(
    design: Design, variances: Variances, seed: int, studies: int
) -> SimulatedTests:
    """Judges share the items in turn. All studies are simulated at once, in pieces of bounded
    size.
    """
    rng = np.random.default_rng([seed, design.items, design.judges, design.ratings])
    size = design.items * design.ratings
    judges = np.arange(size) % design.judges
    # Neighbours in the list of ratings share an item, so its judges differ.
    of_item = np.arange(size) // design.ratings
    judge_one_hot = np.eye(design.judges)[judges]
    found = []
    piece = max(1, 2_000_000 // size)
    for begun in range(0, studies, piece):
        count = min(piece, studies - begun)
        parts = []
        for _ in range(2):
            effects = sqrt(variances.judge_model) * rng.standard_normal((count, design.judges))
            levels = sqrt(variances.item) * rng.standard_normal((count, design.items))
            noise = sqrt(variances.noise) * rng.standard_normal((count, size))
            parts.append(effects[:, judges] + levels[:, of_item] + noise)
        found.append(_tests(parts, design, judge_one_hot))
    return SimulatedTests(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _tests(
    parts: list[Floats], design: Design, judge_one_hot: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    means = [part.mean(axis=1, keepdims=True) for part in parts]
    residuals = [(part - mean) / part.shape[1] for part, mean in zip(parts, means, strict=True)]
    items, single = np.zeros(len(parts[0])), np.zeros(len(parts[0]))
    for residual in residuals:
        by_item = residual.reshape(len(residual), design.items, design.ratings).sum(axis=2)
        items += (by_item**2).sum(axis=1) * design.items / max(1, design.items - 1)
        single += (residual**2).sum(axis=1)
    by_judge = (residuals[0] - residuals[1]) @ judge_one_hot
    judges = (by_judge**2).sum(axis=1) * design.judges / max(1, design.judges - 1)
    if design.judges < 2:
        judges = single = np.zeros_like(items)
    return (means[0] - means[1])[:, 0], items, judges, single


def _edges(found: SimulatedTests, judges: int, level: float, seed: int) -> tuple[Floats, Floats]:
    """Ratios of variances over judges and over items, and for each how many standard errors over
    items a difference needs; what single ratings have is taken at its mean."""
    rng = np.random.default_rng([seed, judges])
    normal = np.abs(rng.standard_normal(DRAWS))
    if judges < 2:
        return np.zeros(1), np.quantile(normal, [1 - level])
    single = float((found.single / found.items).mean())
    ratio = found.judges / found.items
    grid = np.linspace(0.0, float(ratio.max()), GRID)
    truths = (judges - 1) / rng.chisquare(judges - 1, DRAWS)
    edges = [
        np.quantile(normal * np.sqrt(1 + np.maximum(0.0, at * truths - single)), 1 - level)
        for at in grid
    ]
    return grid, np.array(edges)


def suggested(models: int, budget: int, ratings: int, load: int) -> Design:
    """The design for ratings that can be paid: as many judges as have `load` ratings to give."""
    items = max(1, budget // (models * ratings))
    judges = max(ratings, models * items * ratings // load)
    return Design(models, items, judges, ratings)
