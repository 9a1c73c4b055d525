"""Ratings as people might give them, to see what statistics make of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from sda.studies.balance import balanced_rows
from sda.studies.power import Design, Variances
from sda.studies.two_way import Floats, Ints

LOWEST, HIGHEST = 1, 5


@dataclass(frozen=True)
class Layout:
    """Which judge rates which item of which model, (n,) each; items have numbers of their own."""

    models: Ints
    items: Ints
    judges: Ints


def lay_out(design: Design, seed: int) -> Layout:
    """A study's blocks as arrays."""
    rng = np.random.default_rng(seed)
    rows = balanced_rows(design.models, design.items, design.ratings, design.judges, rng)
    cells = np.array([(m, m * design.items + i, j) for j, row in enumerate(rows) for m, i in row])
    return Layout(cells[:, 0], cells[:, 1], cells[:, 2])


def simulate(
    layout: Layout,
    variances: Variances,
    means: Floats,
    rng: np.random.Generator,
    is_rounded: bool = True,
) -> Floats:
    """Ratings (n,) from 1 to 5, rounded from normal opinions; `means` (M,) are those of models."""
    models, items, judges = layout.models, layout.items, layout.judges
    count = int(judges.max()) + 1
    opinion = (
        means[models]
        + sqrt(variances.item) * rng.standard_normal(int(items.max()) + 1)[items]
        + sqrt(variances.judge) * rng.standard_normal(count)[judges]
        + sqrt(variances.judge_model) * rng.standard_normal((count, len(means)))[judges, models]
        + sqrt(variances.noise) * rng.standard_normal(len(models))
    )
    return np.clip(np.rint(opinion), LOWEST, HIGHEST) if is_rounded else opinion


def rounded_mean(mean: float, variances: Variances) -> float:
    """What ratings of a model with this mean opinion are on average, after rounding and cutting."""
    spread = sqrt(variances.item + variances.judge + variances.judge_model + variances.noise)
    above = [(1 - erf((edge + 0.5 - mean) / spread / sqrt(2))) / 2 for edge in range(1, HIGHEST)]
    return LOWEST + sum(above)
