"""Whether two models differ: items change their model at random, judges add their own chance.

Under the hypothesis that the models are alike, any item might have been either's, so labels of
items are permuted. Judges who by themselves prefer one model are a second source of chance, and far
too few to permute: three judges have eight ways, and no difference however large could reach 5 %.
Their part is added as a normal variable whose variance is itself drawn, from what J judges tell of
it: with few judges it may be many times what was found (decision 0182).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sda.studies.student import t_quantile
from sda.studies.two_way import Floats, Ints, satterthwaite, whole_variance

PERMUTATIONS = 9999


@dataclass(frozen=True)
class Sample2:
    """Ratings of two models: values (n,), whose they are, of which item and by which judge.

    In a paired study both models have a rating of the same item, such as a line of the source.
    """

    values: Floats
    is_first: NDArray[np.bool_]
    items: Ints
    judges: Ints | None
    is_paired: bool = False


@dataclass(frozen=True)
class Difference:
    """First minus second model, its standard error, and how far it is from chance."""

    value: float
    error: float
    freedom: float
    p: float

    @property
    def interval(self) -> tuple[float, float]:
        """That of 95 %, over items and judges."""
        width = t_quantile(round(self.freedom, 3)) * self.error
        return self.value - width, self.value + width


def permutation_test(
    sample: Sample2, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> Difference:
    """The difference of two means, with a two-sided p; nothing is corrected here."""
    first = sample.is_first
    items = int(sample.items.max()) + 1
    values, lost = _without_levels(sample)
    centred = values - values.mean()
    weights = np.where(first, 1 / first.sum(), -1 / (~first).sum())
    if sample.is_paired:
        # Each item has ratings of both models, which may be exchanged.
        parts = np.asarray(np.bincount(sample.items, centred * weights, items), np.float64)
        shifts, item_variance = _signed(parts, rng, permutations)
        values = _without_lines(values, sample.items)
    else:
        shifts, item_variance = _unpaired(centred, first, sample.items, items, rng, permutations)
    shifts[1:] *= np.sqrt(lost)
    means = np.where(first, values[first].mean(), values[~first].mean())
    judges = _judge_part((values - means) * weights, sample.judges, lost)
    return _tested(shifts, item_variance * lost, items, judges, rng)


def choice_test(
    values: Floats,
    items: Ints,
    judges: Ints | None,
    rng: np.random.Generator,
    permutations: int = PERMUTATIONS,
) -> Difference:
    """The same for choices: 1 for the first model, -1 for the second, 0 for a tie.

    Under the hypothesis the models of any pair of texts may be exchanged.
    """
    count = int(items.max()) + 1
    parts = np.bincount(items, values, count) / len(values)
    shifts, _ = _signed(parts, rng, permutations)
    centred = (values - values.mean()) / len(values)
    by_item = np.bincount(items, centred, count)
    variance = float((by_item**2).sum()) * count / max(1, count - 1)
    return _tested(shifts, variance, count, _judge_part(centred, judges), rng)


def _tested(
    shifts: Floats,
    item_variance: float,
    items: int,
    judge_part: tuple[float, float, int],
    rng: np.random.Generator,
) -> Difference:
    """What permuted differences (P + 1,) say of the first of them, once judges add their chance."""
    value, shifts = float(shifts[0]), shifts[1:]
    judge_variance, single, judges = judge_part
    parts = [np.array(part) for part in (item_variance, judge_variance, single)]
    variance = whole_variance(*parts)
    freedom = satterthwaite(parts[0], parts[1], variance, items, judges)
    if judges > 1:
        # The same judges would be found to differ this much if they differed in truth by `drawn`.
        drawn = judge_variance * (judges - 1) / rng.chisquare(judges - 1, len(shifts))
        extra = np.sqrt(np.maximum(0.0, drawn - single))
        shifts = shifts + extra * rng.standard_normal(len(shifts))
    # Equal sums may differ in their last digit.
    reached = int((np.abs(shifts) >= abs(value) * (1 - 1e-9)).sum())
    p = (1 + reached) / (1 + len(shifts))
    return Difference(value, float(np.sqrt(variance)), float(freedom), p)


def holm(ps: Sequence[float]) -> list[float]:
    """The p-values corrected for their number, in the order given."""
    order = np.argsort(ps, kind="stable")
    corrected = np.empty(len(ps))
    largest = 0.0
    for place, number in enumerate(order):
        largest = max(largest, min(1.0, (len(ps) - place) * ps[number]))
        corrected[number] = largest
    return corrected.tolist()


def _unpaired(
    centred: Floats,
    first: NDArray[np.bool_],
    items: Ints,
    count: int,
    rng: np.random.Generator,
    permutations: int,
) -> tuple[Floats, float]:
    """Differences (P + 1,), the first as it was, and the variance of that over items."""
    totals = np.bincount(items, centred, count)
    sizes = np.bincount(items, minlength=count).astype(np.float64)
    is_first = np.zeros(count, bool)
    is_first[items[first]] = True
    chosen = int(is_first.sum())
    labels = np.zeros((permutations + 1, count))
    labels[0, is_first] = 1.0
    keys = rng.random((permutations, count))
    # The smallest keys of each row: as many as the first model has items.
    labels[1:] = keys < np.partition(keys, chosen, axis=1)[:, chosen : chosen + 1]
    total, size = labels @ totals, labels @ sizes
    shifts = total / size - (totals.sum() - total) / (sizes.sum() - size)
    variance = 0.0
    for one in (is_first, ~is_first):
        mean = totals[one].sum() / sizes[one].sum()
        residuals = (totals[one] - mean * sizes[one]) / sizes[one].sum()
        number = int(one.sum())
        variance += float((residuals**2).sum()) * number / max(1, number - 1)
    return shifts, variance


def _without_levels(sample: Sample2) -> tuple[Floats, float]:
    """The values without how much each judge gives at all, which is the same for both models.

    Beside them the factor that gives variances back what they lose by it. A judge with one rating
    would lose all of it, so with fewer than two on average nothing is taken out.
    """
    if sample.judges is None:
        return sample.values, 1.0
    sizes = np.bincount(sample.judges)
    left = len(sample.values) - len(sizes)
    if 2 * left < len(sample.values):
        return sample.values, 1.0
    levels = np.bincount(sample.judges, sample.values) / sizes
    return np.asarray(sample.values - levels[sample.judges]), len(sample.values) / left


def _without_lines(values: Floats, items: Ints) -> Floats:
    """The values without what all ratings of a line share, which is no difference of judges.

    A rating is a part of the mean of its line, and loses as much of its own chance; that is given
    back.
    """
    sizes = np.bincount(items)[items]
    line = np.bincount(items, values)[items] / sizes
    return np.asarray((values - line) * np.sqrt(sizes / np.maximum(1, sizes - 1)))


def _signed(parts: Floats, rng: np.random.Generator, permutations: int) -> tuple[Floats, float]:
    """Sums (P + 1,) of the parts under random signs, the first without, and its variance."""
    count = len(parts)
    signs = np.ones((permutations + 1, count))
    signs[1:] = 2.0 * rng.integers(0, 2, (permutations, count)) - 1
    spread = float(((parts - parts.mean()) ** 2).sum()) * count / max(1, count - 1)
    return signs @ parts, spread


def _judge_part(
    residuals: Floats, judges: Ints | None, lost: float = 1.0
) -> tuple[float, float, int]:
    """The variance of a difference over judges, over single ratings, and how many judges.

    `residuals` (n,) are what each rating adds to the difference beyond its mean; what single ones
    have lost of their chance is given back by a factor.
    """
    if judges is None or int(judges.max()) < 1:
        return 0.0, 0.0, 1
    number, count = int(judges.max()) + 1, len(residuals)
    by_judge = np.bincount(judges, residuals, number)
    return (
        float((by_judge**2).sum() * number / (number - 1)),
        float((residuals**2).sum() * lost * count / max(1, count - 1)),
        number,
    )
