"""What labelled rows can be made into before a classifier learns them: SDA and its cheap rivals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sda.baselines.file_edits import Recipe, edit_texts
from sda.errors import UserError
from sda.labelled.confidence import MOST_POOL, balanced
from sda.labelled.label_classifiers import LabelClassifier, Learned
from sda.labelled.word_rules import WordRules

VERSIONS = 4
"""Of each row, by word-level augmenters and by repetition."""
SURE = 0.9
"""How sure a classifier must be of a text without a label to learn from it."""

BASE, WEIGHTS, CUTOFF, REPEATED = (
    "rows as they are",
    "class weights",
    "tuned cutoff",
    "repeated rows",
)
WORD_METHODS = {
    "EDA": "eda",
    "synonyms": "synonyms",
    "neighbours": "neighbours",
    "contextual": "contextual",
}
WEAK, SELF_TRAINING = "rules as weak labels", "self-training"


@dataclass(frozen=True)
class Case:
    """Rows to learn from, and what may be used beside them."""

    rows: Learned
    count: int
    """How many labels there are."""
    pool: tuple[str, ...]
    """Texts without labels."""
    make: Callable[[], LabelClassifier]
    """An untaught classifier of the kind that is asked about."""
    tokenizer: str
    seed: int
    rules: WordRules | None = None


Arm = Callable[[Case], Learned | None]
"""What a classifier is to learn in place of the rows; None where the case has nothing for it."""


def as_they_are(case: Case) -> Learned:
    return case.rows


def repeated(case: Case) -> Learned:
    """Every row as often as word-level augmenters make it: more steps, and nothing new."""
    rows = case.rows
    return Learned(rows.texts * (VERSIONS + 1), np.tile(rows.labels, VERSIONS + 1))


def weighted(case: Case) -> Learned | None:
    """Rows of rare labels matter more, so that all labels matter alike."""
    if not case.make().takes_weights:
        return None
    return replace(case.rows, weights=balanced(case.rows.labels))


def cut(case: Case) -> Learned:
    """The rows as they are, and another cutoff."""
    return replace(case.rows, is_cut=True)


def edited(method: str) -> Arm:
    """Each row, and versions of it by a word-level augmenter of the package."""

    def arm(case: Case) -> Learned | None:
        recipe = Recipe(method, case.seed, per_sentence=VERSIONS, tokenizer=case.tokenizer)
        try:
            found = edit_texts(case.rows.texts, recipe, "the rows")
        except UserError:
            # A language without synonyms, or too few words: there is nothing to be had.
            return None
        return case.rows.with_rows(found.texts, np.repeat(case.rows.labels, VERSIONS))

    return arm


def weakly_labelled(case: Case) -> Learned | None:
    """The rows, and texts of the pool with the label that the rules give them."""
    if case.rules is None or not case.pool:
        return None
    pool = _some_pool(case)
    verdicts = case.rules.verdicts(pool)
    told = np.flatnonzero(verdicts >= 0)
    return case.rows.with_rows([pool[row] for row in told.tolist()], verdicts[told])


def self_training(case: Case) -> Learned | None:
    """The rows, and texts of the pool whose label a first classifier is sure of.

    Of each label as many as it has a share of the rows, so that an easy label does not take all.
    """
    if not case.pool:
        return None
    rows, pool = case.rows, _some_pool(case)
    first = case.make()
    first.fit(rows, case.count, case.seed)
    shares = first(pool)
    guesses, sure = shares.argmax(1), shares.max(1)
    chosen: list[int] = []
    for label in range(case.count):
        own = np.flatnonzero(guesses == label)
        most = round(len(pool) * float(np.mean(rows.labels == label)))
        best = own[np.argsort(-sure[own], kind="stable")][:most]
        # Few rows make no classifier sure; the better half is taken then.
        kept = best[sure[best] >= SURE]
        chosen += (kept if len(kept) else best[: max(1, len(best) // 2)]).tolist()
    return rows.with_rows([pool[row] for row in chosen], guesses[chosen])


def _some_pool(case: Case) -> list[str]:
    """As many texts as the classifiers of SDA learn from, so that none has more to go by."""
    chosen = np.random.default_rng(case.seed).permutation(len(case.pool))[:MOST_POOL]
    return [case.pool[row] for row in np.sort(chosen).tolist()]


def added(pairs: Sequence[tuple[str, int]]) -> Arm:
    """The rows, and these further texts with the numbers of their labels."""
    texts = [text for text, _ in pairs]
    labels = np.array([label for _, label in pairs], np.int64)
    return lambda case: case.rows.with_rows(texts, labels)


RIVALS: Mapping[str, Arm] = {
    BASE: as_they_are,
    CUTOFF: cut,
    WEIGHTS: weighted,
    REPEATED: repeated,
    **{name: edited(method) for name, method in WORD_METHODS.items()},
    WEAK: weakly_labelled,
    SELF_TRAINING: self_training,
}
"""The cheapest first; a cutoff needs no other classifier than the one there is."""
