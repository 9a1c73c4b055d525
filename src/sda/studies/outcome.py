"""What the ratings of a study say: by the frozen rules, with what cannot be said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sda.errors import UserError
from sda.studies.agreement import Alpha, ordinal_alpha
from sda.studies.compared import SEED, Interval, ModelOutcome, Test, compare_models
from sda.studies.exchange import Difference, holm
from sda.studies.ratings import (
    Consistency,
    Given,
    consistency_of,
    excluded_judges,
    ratings_of,
)
from sda.studies.student import t_quantile
from sda.studies.study import Criterion, Study

LEVEL = 0.05
NORMAL_80 = 0.8416212335729143  # the normal quantile of 80 %


@dataclass(frozen=True)
class PairOutcome:
    """First minus second model; in pairs the share of wins minus that of losses."""

    first: str
    second: str
    value: float
    interval: Interval
    p: float
    corrected: float
    visible: float
    """The smallest difference that ratings like these find in 80 of 100 studies."""

    @property
    def is_claimed(self) -> bool:
        return self.corrected <= LEVEL


@dataclass(frozen=True)
class CriterionOutcome:
    """All that is known of one question."""

    criterion: Criterion
    models: list[ModelOutcome]
    pairs: list[PairOutcome]
    alpha: Alpha | None
    """Of the judges whom the rule keeps."""
    alpha_of_all: Alpha | None
    consistency: Consistency | None


@dataclass(frozen=True)
class Outcome:
    """All that is known of a study."""

    study: Study
    criteria: list[CriterionOutcome]
    judges: int | None
    """How many were kept; None where nobody knows who rated what."""
    excluded: dict[int, tuple[int, int]]
    ratings: int
    """Pages about models that were rated by judges who were kept."""
    planned: int
    plan: str
    """Whether the frozen plan was kept, in a sentence."""
    is_plan_kept: bool
    kept: list[Given] = field(repr=False, default_factory=list)


def find_outcome(
    study: Study,
    given: Sequence[Given],
    frozen: str | None,
    written: str,
    knows_judges: bool = True,
) -> Outcome:
    """The outcome of the ratings; `frozen` is the hash at the first rating, `written` that of the
    file."""
    excluded = excluded_judges(study, given)
    kept = [entry for entry in given if entry[0] not in excluded]
    plan, is_kept = plan_sentence(study, frozen, written)
    found = []
    tests: list[list[Test]] = []
    for criterion in study.criteria:
        ratings = ratings_of(study, kept, criterion.name)
        if not len(ratings):
            raise UserError(
                f"no rating of {criterion.name!r} is there yet"
                + (" but those of judges who failed their checks" if excluded else "")
            )
        models, compared = compare_models(study, ratings, knows_judges)
        tests.append(compared)
        every = ratings_of(study, given, criterion.name)
        rng = np.random.default_rng(SEED)
        found.append(
            CriterionOutcome(
                criterion,
                models,
                [],
                ordinal_alpha(ratings.values, ratings.items, rng),
                ordinal_alpha(every.values, every.items, np.random.default_rng(SEED)),
                consistency_of(kept, criterion.name),
            )
        )
    corrected = iter(holm([test[2].p for some in tests for test in some]))
    criteria = [
        CriterionOutcome(
            each.criterion,
            each.models,
            [_pair(*test, next(corrected)) for test in some],
            each.alpha,
            each.alpha_of_all,
            each.consistency,
        )
        for each, some in zip(found, tests, strict=True)
    ]
    pages = {(judge, item) for judge, item, again, _, _ in kept if not again}
    rated = sum(not study.by_id[item].is_check for _, item in pages)
    planned = sum(
        not slot.is_repeat and not study.by_id[slot.item].is_check
        for block in study.blocks
        for slot in block
    )
    judges = len({judge for judge, *_ in kept}) if knows_judges else None
    return Outcome(study, criteria, judges, excluded, rated, planned, plan, is_kept, kept)


def plan_sentence(study: Study, frozen: str | None, written: str) -> tuple[str, bool]:
    """Whether texts, questions, rules and test are those of before the first rating."""
    now = study.fingerprint
    if study.is_imported:
        return "Nothing was fixed beforehand: the ratings were there before the study.", False
    if now != written:
        return (
            f"The plan was changed by hand: its hash is {now}, and {written} stands there.",
            False,
        )
    if frozen is not None and frozen != now:
        return f"The plan was changed after the first rating, when its hash was {frozen}.", False
    return f"The plan was kept as it was frozen before the first rating (sha256 {now}).", True


def _pair(first: str, second: str, found: Difference, corrected: float) -> PairOutcome:
    visible = (t_quantile(round(found.freedom, 3)) + NORMAL_80) * found.error
    return PairOutcome(first, second, found.value, found.interval, found.p, corrected, visible)
