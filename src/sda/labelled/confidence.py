"""How sure a label is: classifiers of several kinds, none asked about what it has learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sda.labelled.label_classifiers import LabelClassifier, Numbers, Shares, fold_numbers
from sda.labelled.word_rules import WordRules

FOLDS = 5
MOST_POOL = 2000
"""Texts without labels that classifiers teach each other with; more make them no surer."""
TAKEN = (0.2, 0.5)
"""Shares of those texts, the surest ones, that are learned in the first turn and in the second."""

Make = Callable[[], LabelClassifier]


class Confidence:
    """Classifiers of several kinds, each fitted once without each fold of the rows.

    Where there are texts without labels, those that all kinds together are surest of are learned as
    well, so that what one kind sees the others learn (co-training); rules, where there are some,
    have a say in it. Of a row of the fitted ones those speak that have not learned it; of any other
    text all do. A label is as sure as the kind that doubts it most, together with the rules.
    """

    def __init__(
        self,
        kinds: Sequence[Make],
        texts: Sequence[str],
        labels: Numbers,
        count: int,
        seed: int,
        pool: Sequence[str] = (),
        rules: WordRules | None = None,
    ) -> None:
        fewest = int(np.bincount(labels, minlength=count).min())
        folds = max(2, min(FOLDS, fewest))
        self._rules = None if rules is None else rules.weighed(texts, labels)
        self._places = fold_numbers(labels, folds, seed)
        self._count = count
        chosen = np.random.default_rng(seed).permutation(len(pool))[:MOST_POOL]
        self._pool = [pool[row] for row in np.sort(chosen).tolist()]
        self._folds = [
            self._fitted(kinds, texts, labels, np.flatnonzero(self._places != fold), seed)
            for fold in range(folds)
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

    def _fitted(
        self,
        kinds: Sequence[Make],
        texts: Sequence[str],
        labels: Numbers,
        rows: Numbers,
        seed: int,
    ) -> list[LabelClassifier]:
        own = [texts[row] for row in rows.tolist()]
        learned = labels[rows]
        members = _taught(kinds, own, learned, self._count, seed)
        for taken in TAKEN if self._pool else ():
            shares = np.mean([member(self._pool) for member in members], 0)
            extra, guesses = surest(self._ruled(shares, self._pool), learned, taken)
            more = [self._pool[row] for row in extra.tolist()]
            together = np.concatenate((learned, guesses))
            members = _taught(kinds, [*own, *more], together, self._count, seed)
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


def _taught(
    kinds: Sequence[Make], texts: Sequence[str], labels: Numbers, count: int, seed: int
) -> list[LabelClassifier]:
    members = []
    for make in kinds:
        member = make()
        member.fit(texts, labels, count, seed)
        members.append(member)
    return members
