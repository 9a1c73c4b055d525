"""All ratings of a study as arrays, sorted by what they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sda.studies.study import Study
from sda.studies.two_way import Floats, Ints

Given = tuple[int, str, bool, str, int]
"""Judge, item, whether it is a repeat, question and value."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of one question (n,): value, number of the item in `study.rated`, and judge."""

    values: Ints
    items: Ints
    judges: Ints

    def __len__(self) -> int:
        return len(self.values)

    def of(self, chosen: NDArray[np.bool_]) -> Ratings:
        return Ratings(self.values[chosen], self.items[chosen], self.judges[chosen])


@dataclass(frozen=True)
class Consistency:
    """How judges rated an item when they saw it again, unsaid."""

    count: int
    same: float
    """Share of equal ratings."""
    near: float
    """Share of ratings at most one apart."""
    distance: float
    """Mean distance."""


def ratings_of(study: Study, given: Sequence[Given], criterion: str) -> Ratings:
    """First ratings of items of models."""
    places = {item.id: number for number, item in enumerate(study.rated)}
    rows = [
        (value, places[item], judge)
        for judge, item, is_repeat, name, value in given
        if name == criterion and not is_repeat and item in places
    ]
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    return Ratings(*columns)


def consistency_of(given: Sequence[Given], criterion: str) -> Consistency | None:
    """None where no item was rated twice by one judge."""
    first = {(g[0], g[1]): g[4] for g in given if g[3] == criterion and not g[2]}
    again = {(g[0], g[1]): g[4] for g in given if g[3] == criterion and g[2]}
    both = [(first[key], value) for key, value in again.items() if key in first]
    if not both:
        return None
    apart = np.abs(np.diff(np.array(both), axis=1)[:, 0])
    return Consistency(
        len(apart), float((apart == 0).mean()), float((apart <= 1).mean()), float(apart.mean())
    )


def failed_checks(study: Study, given: Sequence[Given]) -> dict[int, tuple[int, int]]:
    """For each judge how many checks they failed, and how many they answered."""
    found: dict[int, tuple[int, int]] = {}
    for judge, item, _, criterion, value in given:
        checked = study.by_id[item]
        if checked.is_check and criterion == study.checked_criterion:
            failed, answered = found.get(judge, (0, 0))
            found[judge] = failed + (not study.passes(checked, value)), answered + 1
    return found


def excluded_judges(study: Study, given: Sequence[Given]) -> dict[int, tuple[int, int]]:
    """Those whom the frozen rule excludes, with how many checks they failed, and of how many."""
    found = failed_checks(study, given)
    return {judge: checks for judge, checks in found.items() if 2 * checks[0] > checks[1]}


def item_means(ratings: Ratings, count: int) -> Floats:
    """(count,) the mean rating of each item; no number where it has none."""
    sums = np.bincount(ratings.items, ratings.values, count)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / np.bincount(ratings.items, minlength=count))
