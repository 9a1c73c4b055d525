"""How sure a label is: classifiers of several kinds, none asked about what it has learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sda.labelled.label_classifiers import (
    LabelClassifier,
    Learned,
    Numbers,
    Shares,
    fold_numbers,
)
from sda.labelled.labelled_rows import LabelledRows
from sda.labelled.word_rules import WordRules

FOLDS = 5
MOST_POOL = 2000
"""Texts without labels that classifiers teach each other with; more make them no surer."""
TAKEN = (0.2, 0.5)
"""Shares of those texts, the surest ones, that are learned in the first turn and in the second."""

WORSE = 0.1
"""The share of rows by which a kind may be worse than the best one, and still be heard."""

Make = Callable[[], LabelClassifier]


class Confidence:
    """Classifiers of several kinds, each fitted once without each fold of the rows.

    Where there are texts without labels, those that all kinds together are surest of are learned as
    well, so that what one kind sees the others learn (co-training); rules, where there are some,
    have a say in it. Of a row of the fitted ones those speak that have not learned it; of any other
    text all do. A label is as sure as the kind that doubts it most, together with the rules; a kind
    that is much worse than another one is not heard.
    """

    def __init__(
        self,
        kinds: Sequence[Make],
        rows: LabelledRows,
        seed: int,
        pool: Sequence[str] = (),
        rules: WordRules | None = None,
    ) -> None:
        texts, labels, count = rows.texts, rows.numbers, len(rows.names)
        fewest = int(np.bincount(labels, minlength=count).min())
        folds = max(2, min(FOLDS, fewest))
        self._rules = None if rules is None else rules.weighed(texts, labels)
        self._places = fold_numbers(labels, folds, seed)
        self._count = count
        chosen = np.random.default_rng(seed).permutation(len(pool))[:MOST_POOL]
        self._pool = [pool[row] for row in np.sort(chosen).tolist()]
        rests = [np.flatnonzero(self._places != fold) for fold in range(folds)]
        known = [([texts[row] for row in rest.tolist()], labels[rest]) for rest in rests]
        first = [_taught(kinds, *rows, count, seed) for rows in known]
        heard = self._heard(first, texts, labels)
        self._folds = [
            self._co_trained(
                [kinds[kind] for kind in heard], [members[kind] for kind in heard], *rows, seed
            )
            for members, rows in zip(first, known, strict=True)
        ]

    def __call__(self, texts: Sequence[str]) -> Shares:
        """(N, L) of texts that none of the classifiers has learned."""
        return self._together(self._folds, texts)

    def of_rows(self, texts: Sequence[str]) -> Shares:
        """(N, L) of the very rows that they were fitted on."""
        found = np.zeros((len(texts), self._count))
        for fold, members in enumerate(self._folds):
            own = np.flatnonzero(self._places == fold)
            found[own] = self._together([members], [texts[row] for row in own.tolist()])
        return found

    def _together(self, folds: Sequence[Sequence[LabelClassifier]], texts: Sequence[str]) -> Shares:
        by_kind = [np.mean([one(texts) for one in ones], 0) for ones in zip(*folds, strict=True)]
        return self._ruled(np.min(by_kind, 0), texts)

    def _ruled(self, shares: Shares, texts: Sequence[str]) -> Shares:
        """The shares after the rules have been heard."""
        if self._rules is None:
            return shares
        # What the kinds disagree about stays unsure: the sum of their least shares is kept.
        sure = shares.sum(1, keepdims=True)
        both = shares * self._rules.shares(texts)
        return np.asarray(sure * both / np.maximum(both.sum(1, keepdims=True), 1e-12))

    def _heard(
        self, folds: Sequence[Sequence[LabelClassifier]], texts: Sequence[str], labels: Numbers
    ) -> list[int]:
        """The numbers of the kinds that tell rows about as well as the best kind, from rows alone.

        One that only guesses would make every label look unsure.
        """
        right = np.zeros((len(folds[0]), len(texts)), np.bool_)
        for fold, members in enumerate(folds):
            own = np.flatnonzero(self._places == fold)
            some = [texts[row] for row in own.tolist()]
            for kind, member in enumerate(members):
                right[kind, own] = member(some).argmax(1) == labels[own]
        shares = right.mean(1)
        return np.flatnonzero(shares >= shares.max() - WORSE).tolist()

    def _co_trained(
        self,
        kinds: Sequence[Make],
        members: list[LabelClassifier],
        texts: Sequence[str],
        labels: Numbers,
        seed: int,
    ) -> list[LabelClassifier]:
        """The members after two turns in which all learn what they are together surest of."""
        for taken in TAKEN if self._pool else ():
            shares = np.mean([member(self._pool) for member in members], 0)
            extra, guesses = surest(self._ruled(shares, self._pool), labels, taken)
            more = [self._pool[row] for row in extra.tolist()]
            together = np.concatenate((labels, guesses))
            members = _taught(kinds, [*texts, *more], together, self._count, seed)
        return members


def surest(shares: Shares, labels: Numbers, taken: float) -> tuple[Numbers, Numbers]:
    """Texts whose label is surest, and the labels: this share of them all.

    Each label has the part that it has of the known ones, so that an easy one does not take all.
    """
    guesses = shares.argmax(1)
    found: list[Numbers] = []
    for label in range(shares.shape[1]):
        own = np.flatnonzero(guesses == label)
        most = round(taken * len(shares) * float(np.mean(labels == label)))
        found.append(own[np.argsort(-shares[own, label], kind="stable")][:most])
    chosen = np.concatenate(found)
    return chosen, guesses[chosen]


def balanced(labels: Numbers) -> NDArray[np.float64]:
    """(N,) how much each row matters, so that all labels that occur matter alike; 1 on average."""
    counts = np.bincount(labels)
    return np.asarray(len(labels) / (counts[labels] * np.count_nonzero(counts)))


def _taught(
    kinds: Sequence[Make], texts: Sequence[str], labels: Numbers, count: int, seed: int
) -> list[LabelClassifier]:
    """One classifier of each kind; a label counts as much as any other, however rare it is: a text
    is written for a label, and is as likely of a rare one."""
    learned = Learned(tuple(texts), labels, balanced(labels))
    members = []
    for make in kinds:
        member = make()
        member.fit(learned, count, seed)
        members.append(member)
    return members
