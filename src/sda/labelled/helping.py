"""Does it help? Classifiers learn the rows in several ways, and are asked about rows held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sda.labelled.arms import Arm, Case, Learned
from sda.labelled.cutoffs import guesses_with, macro_f1, tuned_cutoff
from sda.labelled.label_classifiers import LabelClassifier, Numbers, Shares, fold_numbers

RESAMPLES = 1000
INNER = 3  # folds that choose a cutoff
BASE = "rows as they are"

Make = Callable[[], LabelClassifier]


@dataclass(frozen=True)
class Outcome:
    """Of one way and one kind of classifier: for each draw the held-out labels and guesses."""

    labels: tuple[Numbers, ...]
    guesses: tuple[Numbers, ...]
    count: int

    @property
    def accuracy(self) -> float:
        pairs = zip(self.labels, self.guesses, strict=True)
        return float(np.mean(np.concatenate([a == b for a, b in pairs])))

    @property
    def macro_f1(self) -> float:
        found = zip(self.labels, self.guesses, strict=True)
        return float(np.mean([macro_f1(a, b, self.count) for a, b in found]))


@dataclass(frozen=True)
class Gain:
    """How much better one way is than another, in points of macro-F1, with a 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        return self.low > 0


def outcome(arm: Arm, cases: Sequence[tuple[Case, Sequence[str], Numbers]]) -> Outcome | None:
    """The arm in every case, asked about the case's held-out texts; None where it has no use."""
    labels, guesses = [], []
    for case, texts, truth in cases:
        learned = arm(case)
        if learned is None:
            return None
        labels.append(truth)
        guesses.append(_guess(case, learned, texts))
    return Outcome(tuple(labels), tuple(guesses), cases[0][0].count)


def _guess(case: Case, learned: Learned, texts: Sequence[str]) -> Numbers:
    shares = _taught(case, learned)(texts)
    if not learned.is_cut:
        found: Numbers = shares.argmax(1)
        return found
    return guesses_with(shares, tuned_cutoff(_out_of_fold(case, learned), learned.labels))


def _taught(case: Case, learned: Learned) -> LabelClassifier:
    classifier = case.make()
    classifier.fit(learned.texts, learned.labels, case.count, case.seed, learned.weights)
    return classifier


def _out_of_fold(case: Case, learned: Learned) -> Shares:
    """The shares of each row by a classifier that has not learned it."""
    places = fold_numbers(learned.labels, INNER, case.seed)
    found = np.zeros((len(learned.texts), case.count))
    for fold in range(INNER):
        rest, own = (np.flatnonzero(where) for where in (places != fold, places == fold))
        part = Learned(tuple(learned.texts[row] for row in rest.tolist()), learned.labels[rest])
        found[own] = _taught(case, part)([learned.texts[row] for row in own.tolist()])
    return found


def gain(one: Outcome, other: Outcome, seed: int = 0) -> Gain:
    """The paired difference, resampled over draws and over the rows that were held out in each."""
    rng = np.random.default_rng(seed)
    draws = len(one.labels)
    values = np.array(
        [_difference(one, other, [_all(one, draw) for draw in range(draws)], range(draws))]
        + [_difference(one, other, *_resampled(one, draws, rng)) for _ in range(RESAMPLES)]
    )
    low, high = np.percentile(values[1:], (2.5, 97.5))
    return Gain(float(values[0]), float(low), float(high))


def _all(one: Outcome, draw: int) -> NDArray[np.int64]:
    return np.arange(len(one.labels[draw]))


def _resampled(
    one: Outcome, draws: int, rng: np.random.Generator
) -> tuple[list[NDArray[np.int64]], list[int]]:
    chosen = rng.integers(0, draws, draws).tolist()
    sizes = [len(one.labels[draw]) for draw in chosen]
    return [rng.integers(0, size, size) for size in sizes], chosen


def _difference(
    one: Outcome,
    other: Outcome,
    rows: Sequence[NDArray[np.int64]],
    draws: Sequence[int],
) -> float:
    values = []
    for some, draw in zip(rows, draws, strict=True):
        labels = one.labels[draw][some]
        values.append(
            macro_f1(labels, one.guesses[draw][some], one.count)
            - macro_f1(labels, other.guesses[draw][some], one.count)
        )
    return 100 * float(np.mean(values))


def recommend(gains: Mapping[str, Gain], against: Mapping[str, Gain], scale: str) -> str:
    """One sentence: the cheapest way that is as good as the best one, or to leave the rows alone.

    `gains` are over the rows as they are, the cheapest way first; `against` says of each by how
    much the best one is better than it.
    """
    sure = [name for name, found in gains.items() if found.is_sure]
    if not sure:
        return (
            "Do not augment: no way that was tried is surely better than the rows as they are"
            f" ({scale})."
        )
    chosen = next(name for name in sure if not against[name].is_sure)
    found = gains[chosen]
    told = f"{found.mean:+.1f} points of {scale} ({found.low:+.1f} to {found.high:+.1f})"
    if chosen == "SDA":
        return f"Augment with SDA: {told} over the rows as they are."
    ours = gains.get("SDA")
    beside = "" if ours is None else f"; SDA has {ours.mean:+.1f}"
    return f"Do not augment with SDA: {chosen} gives {told}{beside}."


def stratified_cases(
    texts: Sequence[str],
    labels: Numbers,
    folds: int,
    seed: int,
    case: Callable[[Learned, int], Case],
) -> Iterator[tuple[Case, list[str], Numbers]]:
    """Every fold held out once; `case` makes one of what is left and the number of the fold."""
    places = fold_numbers(labels, folds, seed)
    for fold in range(folds):
        rest, own = (np.flatnonzero(where) for where in (places != fold, places == fold))
        rows = Learned(tuple(texts[row] for row in rest.tolist()), labels[rest])
        yield case(rows, fold), [texts[row] for row in own.tolist()], labels[own]
