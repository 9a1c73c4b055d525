"""Does it help? Ways of using rows compared in pairs, with intervals, and one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sda.labelled.arms import (
    BASE,
    CUTOFF,
    REPEATED,
    SELF_TRAINING,
    WEAK,
    WEIGHTS,
    WORD_METHODS,
    Arm,
    Case,
)
from sda.labelled.cutoffs import guesses_with, macro_f1, tuned_cutoff
from sda.labelled.label_classifiers import (
    LabelClassifier,
    Learned,
    Numbers,
    Shares,
    fold_numbers,
)

RESAMPLES = 1000
INNER = 3  # folds that choose a cutoff
SCARCE = 5  # times as many rows of one label as of another
SCALE = "macro-F1"
OURS, SHUFFLED, BY_LOT = "SDA", "SDA, labels shuffled", "SDA, random buffer"
CONTROLS = (SHUFFLED, BY_LOT)
"""What must not gain: what is right about SDA's rows is taken away."""

ADVICE = {
    WEIGHTS: "Do not augment: weight the classes",
    CUTOFF: "Do not augment: tune the cutoff",
    REPEATED: "Do not augment: train longer, as repeated rows do",
    WEAK: "Do not augment: use the rules as weak labels of the unlabelled texts",
    SELF_TRAINING: "Do not augment: self-train on the unlabelled texts",
    OURS: "Augment with SDA",
    **{
        name: f"Augment with word edits (sda eda --method {method})"
        for name, method in WORD_METHODS.items()
    },
}


@dataclass(frozen=True)
class LabelGuesses:
    """Of one way and one kind of classifier: for each draw the held-out labels and guesses."""

    labels: tuple[Numbers, ...]
    guesses: tuple[Numbers, ...]
    count: int

    @property
    def accuracy(self) -> float:
        """In per cent, over all held-out rows."""
        pairs = zip(self.labels, self.guesses, strict=True)
        return 100 * float(np.mean(np.concatenate([a == b for a, b in pairs])))

    @property
    def macro_f1(self) -> float:
        """In per cent, the mean over draws."""
        found = zip(self.labels, self.guesses, strict=True)
        return 100 * float(np.mean([macro_f1(a, b, self.count) for a, b in found]))


@dataclass(frozen=True)
class Gain:
    """How much better one way is than another, in points of macro-F1, with an interval."""

    mean: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        return self.low > 0

    def __str__(self) -> str:
        return f"{self.mean:+.1f} points of {SCALE} ({self.low:+.1f} to {self.high:+.1f})"


def guess(case: Case, arm: Arm, texts: Sequence[str]) -> Numbers | None:
    """What a classifier says of the texts that has learned what the arm makes of the rows; None
    where the case has no use for the arm."""
    learned = arm(case)
    if learned is None:
        return None
    shares = _taught(case, learned)(texts)
    if not learned.is_cut:
        found: Numbers = shares.argmax(1)
        return found
    return guesses_with(shares, tuned_cutoff(_out_of_fold(case, learned), learned.labels))


def _taught(case: Case, learned: Learned) -> LabelClassifier:
    classifier = case.make()
    classifier.fit(learned, case.count, case.seed)
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


def gain(one: LabelGuesses, other: LabelGuesses, seed: int = 0, sure: float = 0.95) -> Gain:
    """The paired difference, resampled over draws and over the rows that were held out in each;
    the interval has it with the probability `sure`."""
    rng = np.random.default_rng(seed)
    pairs = [_Pair.of(one, other, draw) for draw in range(len(one.labels))]
    mean = float(np.mean([pair.differences(pair.sizes[None])[0] for pair in pairs]))
    chosen = rng.integers(0, len(pairs), (RESAMPLES, len(pairs)))
    values = np.zeros(chosen.shape)
    for draw, pair in enumerate(pairs):
        places = chosen == draw
        # Rows of one label with the same two guesses are alike: how many of each kind are drawn.
        shares = pair.sizes / pair.sizes.sum()
        drawn = rng.multinomial(pair.sizes.sum(), shares, int(places.sum()))
        values[places] = pair.differences(drawn)
    low, high = np.percentile(values.mean(1), (50 - 50 * sure, 50 + 50 * sure))
    return Gain(mean, float(low), float(high))


@dataclass(frozen=True)
class _Pair:
    """The held-out rows of one draw by their label and what two ways say of them.

    K kinds of rows occur, (K,) `sizes` of each; `labels`, `first` and `second` are (K, L), one
    where the kind has that label, or that guess.
    """

    sizes: NDArray[np.int64]
    labels: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]

    @staticmethod
    def of(one: LabelGuesses, other: LabelGuesses, draw: int) -> _Pair:
        together = np.stack((one.labels[draw], one.guesses[draw], other.guesses[draw]), 1)
        kinds, sizes = np.unique(together, axis=0, return_counts=True)
        return _Pair(sizes, *(np.eye(one.count)[column] for column in kinds.T))

    def differences(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """(N,) by how much macro-F1 of the first way is higher, for N (N, K) numbers of rows."""
        first, second = self._macro_f1(sizes, self.first), self._macro_f1(sizes, self.second)
        return np.asarray(100 * (first - second))

    def _macro_f1(
        self, sizes: NDArray[np.int64], guesses: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        hits = sizes @ (self.labels * guesses)
        both = sizes @ (self.labels + guesses)
        return np.asarray((2 * hits / np.maximum(both, 1)).mean(1))


@dataclass(frozen=True)
class Recommendation:
    """The way that is recommended, and the sentence that says so."""

    way: str
    sentence: str


def recommend(outcomes: Mapping[str, LabelGuesses], seed: int) -> Recommendation:
    """The cheapest way that is as good as the best one, or to leave the rows alone.

    A way is considered if its gain over the rows as they are is surely above zero. Of those the
    first, in the order of the outcomes, is taken that the best one is not surely better than. Where
    a label is scarce, its few held-out rows make nothing sure: the cutoff is considered unless it
    is surely worse.
    """
    offered = {name: one for name, one in outcomes.items() if name not in (BASE, *CONTROLS)}
    gains = {name: gain(found, outcomes[BASE], seed) for name, found in offered.items()}
    sure = {name: found for name, found in gains.items() if found.is_sure}
    if CUTOFF in gains and CUTOFF not in sure and _has_scarce(outcomes[BASE]):
        sure = {CUTOFF: gains[CUTOFF], **sure} if gains[CUTOFF].high >= 0 else sure
    ours = "" if OURS not in gains else f"; SDA gives {gains[OURS]}"
    if not sure:
        return Recommendation(
            BASE,
            "Do not augment: nothing that was tried is surely better than the rows as they are"
            f"{ours}.",
        )
    best = max(sure, key=lambda name: sure[name].mean)
    way = next(name for name in sure if not gain(outcomes[best], outcomes[name], seed).is_sure)
    beside = "" if way == OURS else ours
    why = "" if sure[way].is_sure else "a label is scarce, and its few rows make no gain sure; "
    return Recommendation(
        way, f"{ADVICE[way]}: {why}{sure[way]} over the rows as they are{beside}."
    )


def _has_scarce(one: LabelGuesses) -> bool:
    """Whether one label has far more held-out rows than another."""
    counts = np.bincount(np.concatenate(one.labels), minlength=one.count)
    return bool(counts.max() >= SCARCE * counts.min())
