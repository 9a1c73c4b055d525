"""Models side by side, and each two of them: means of ratings, or choices between two texts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sda.errors import UserError
from sda.studies.bradley_terry import fit_strengths, outcome_counts
from sda.studies.exchange import Difference, Sample2, choice_test, permutation_test
from sda.studies.ratings import Ratings
from sda.studies.study import Study
from sda.studies.two_way import Floats, Ints, Statistic, numbered, resampled, weighted_means

SEED = 20210202  # fixed, so that the same ratings have the same results
STRENGTH_RESAMPLES = 400
Interval = tuple[float, float]
Test = tuple[str, str, Difference]
"""Two models, and their difference."""


@dataclass(frozen=True)
class ModelOutcome:
    """A model's mean rating, or in pairs the share of choices it won, a tie as half of one."""

    model: str
    value: float
    interval: Interval
    ratings: int
    counts: list[int]
    """How often each value was given; in pairs how often it lost, tied and won."""
    strength: float | None = None
    """Of Bradley and Terry, with ties; in pairs only."""
    strength_interval: Interval | None = None


def compare_models(
    study: Study, ratings: Ratings, knows_judges: bool
) -> tuple[list[ModelOutcome], list[Test]]:
    """What each model got, and a test of each two; where judges are not known, over items alone."""
    judges = ratings.judges if knows_judges else None
    if study.task == "pairs":
        return _compared_choices(study, ratings, judges)
    return _compared_means(study, ratings, judges)


def _compared_means(
    study: Study, ratings: Ratings, judges: Ints | None
) -> tuple[list[ModelOutcome], list[Test]]:
    names = study.models
    owner = np.array([names.index(item.models[0]) for item in study.rated], np.int64)
    units = _units(study)
    models, values = owner[ratings.items], ratings.values.astype(np.float64)
    for number, name in enumerate(names):
        _require_two(name, units[ratings.items[models == number]])
    value, intervals = _resampled(
        weighted_means(values, models, len(names)), units[ratings.items], judges
    )
    outcomes = []
    for number, name in enumerate(names):
        own = ratings.values[models == number]
        counts = [int((own == each).sum()) for each in study.values]
        outcomes.append(
            ModelOutcome(name, float(value[number]), intervals[number], len(own), counts)
        )
    tests = []
    rng = np.random.default_rng(SEED)
    is_paired = any(item.line is not None for item in study.rated)
    for first, second in combinations(range(len(names)), 2):
        chosen = (models == first) | (models == second)
        sample = Sample2(
            values[chosen],
            models[chosen] == first,
            numbered(units[ratings.items[chosen]]),
            None if judges is None else numbered(judges[chosen]),
            is_paired,
        )
        difference = permutation_test(sample, rng)
        tests.append((names[first], names[second], difference))
    return outcomes, tests


def _compared_choices(
    study: Study, ratings: Ratings, judges: Ints | None
) -> tuple[list[ModelOutcome], list[Test]]:
    names = study.models
    sides = np.array([[names.index(m) for m in item.models] for item in study.rated], np.int64)
    units = _units(study)
    first, second = sides[ratings.items].T
    # 1, 2 and 3 are the first text, a tie and the second.
    scores = (2 - ratings.values).astype(np.float64)
    for number, name in enumerate(names):
        _require_two(name, units[ratings.items[(first == number) | (second == number)]])

    def statistic(weights: Floats) -> Floats:
        wins, ties = outcome_counts(scores, first, second, len(names), weights)
        games = wins + wins.transpose(0, 2, 1) + ties
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (wins.sum(axis=2) + ties.sum(axis=2) / 2) / games.sum(axis=2)
        return np.concatenate((share, fit_strengths(wins, ties)[0]), axis=1)

    value, intervals = _resampled(statistic, units[ratings.items], judges, STRENGTH_RESAMPLES)
    count = len(names)
    outcomes = []
    for number, name in enumerate(names):
        is_first, is_second = first == number, second == number
        own = np.concatenate((scores[is_first], -scores[is_second]))
        outcomes.append(
            ModelOutcome(
                name,
                float(value[number]),
                intervals[number],
                len(own),
                [int((own == each).sum()) for each in (-1, 0, 1)],
                float(value[count + number]),
                intervals[count + number],
            )
        )
    tests = []
    rng = np.random.default_rng(SEED)
    for a, b in combinations(range(count), 2):
        some = ((first == a) & (second == b)) | ((first == b) & (second == a))
        if not some.any():
            continue
        difference = choice_test(
            np.where(first[some] == a, 1, -1) * scores[some],
            numbered(units[ratings.items[some]]),
            None if judges is None else numbered(judges[some]),
            rng,
        )
        tests.append((names[a], names[b], difference))
    return outcomes, tests


def _require_two(name: str, units: Ints) -> None:
    """One item tells nothing of chance."""
    if len(np.unique(units)) < 2:
        raise UserError(f"{name} has fewer than two rated items yet; come back when there are more")


def _resampled(
    statistic: Statistic, items: Ints, judges: Ints | None, resamples: int = 1000
) -> tuple[Floats, list[Interval]]:
    value = statistic(np.ones((1, len(items))))[0]
    people = None if judges is None else numbered(judges)
    rng = np.random.default_rng(SEED)
    spread = resampled(statistic, numbered(items), people, rng, resamples)
    return value, spread.interval(value)


def _units(study: Study) -> Ints:
    """For each item what was drawn: a text, or a line of the source that all models share."""
    keys = [item.id if item.line is None else f"line {item.line}" for item in study.rated]
    return numbered(np.array(keys))
