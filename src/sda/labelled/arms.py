"""What labelled rows can be made into before a classifier learns them: SDA and its cheap rivals."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sda.baselines.file_edits import Recipe, augment_file
from sda.labelled.label_classifiers import LabelClassifier, Numbers

VERSIONS = 4
"""Of each row, by word-level augmenters and by repetition."""
SURE = 0.9
"""How sure a classifier must be of a text without a label to learn from it."""


@dataclass(frozen=True)
class Learned:
    """What a classifier learns: texts, labels by number, and how much each row matters."""

    texts: tuple[str, ...]
    labels: Numbers
    weights: NDArray[np.float64] | None = None
    is_cut: bool = False
    """Whether the classifier's shares are moved by a cutoff that folds of the rows have chosen."""

    def with_rows(self, texts: Sequence[str], labels: Numbers) -> Learned:
        return replace(
            self, texts=(*self.texts, *texts), labels=np.concatenate((self.labels, labels))
        )


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
    fold: int = 0
    """Which part of all rows is held out."""


Arm = Callable[[Case], Learned | None]
"""What a classifier is to learn in place of the rows; None where the case has nothing for it."""


def as_they_are(case: Case) -> Learned:
    return case.rows


def repeated(case: Case) -> Learned:
    """Every row as often as word-level augmenters make it: more steps, and nothing new."""
    rows = case.rows
    return Learned(rows.texts * (VERSIONS + 1), np.tile(rows.labels, VERSIONS + 1))


def weighted(case: Case) -> Learned:
    """Rows of rare labels matter more, so that all labels matter alike."""
    counts = np.bincount(case.rows.labels, minlength=case.count)
    weights = len(case.rows.labels) / (np.maximum(counts, 1) * (counts > 0).sum())
    return replace(case.rows, weights=weights[case.rows.labels])


def cut(case: Case) -> Learned:
    """The rows as they are, and another cutoff."""
    return replace(case.rows, is_cut=True)


def edited(method: str) -> Arm:
    """Each row, and versions of it by a word-level augmenter of the package."""

    def arm(case: Case) -> Learned:
        texts = [" ".join(text.split()) for text in case.rows.texts]
        recipe = Recipe(method, case.seed, per_sentence=VERSIONS, tokenizer=case.tokenizer)
        with tempfile.TemporaryDirectory() as folder:
            source, out = Path(folder) / "rows.txt", Path(folder) / "new.txt"
            source.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
            augment_file(source, out, recipe, lambda *_: None)
            found = out.read_text(encoding="utf-8").splitlines()
        return Learned(tuple(found), np.repeat(case.rows.labels, VERSIONS + 1))

    return arm


def self_training(case: Case) -> Learned | None:
    """The rows, and texts of the pool whose label a first classifier is sure of.

    Of each label as many as it has a share of the rows, so that an easy label does not take all.
    """
    if not case.pool:
        return None
    rows = case.rows
    first = case.make()
    first.fit(rows.texts, rows.labels, case.count, case.seed)
    shares = first(case.pool)
    guesses, sure = shares.argmax(1), shares.max(1)
    chosen: list[int] = []
    for label in range(case.count):
        own = np.flatnonzero(guesses == label)
        most = round(len(case.pool) * float(np.mean(rows.labels == label)))
        best = own[np.argsort(-sure[own], kind="stable")][:most]
        # Few rows make no classifier sure; the better half is taken then.
        kept = best[sure[best] >= SURE]
        chosen += (kept if len(kept) else best[: max(1, len(best) // 2)]).tolist()
    return rows.with_rows([case.pool[row] for row in chosen], guesses[chosen])


def added(rows: Sequence[Sequence[tuple[str, int]]]) -> Arm:
    """The rows, and further texts with the numbers of their labels, for each fold its own."""

    def arm(case: Case) -> Learned:
        own = rows[case.fold]
        return case.rows.with_rows(
            [text for text, _ in own], np.array([label for _, label in own], np.int64)
        )

    return arm


RIVALS: Mapping[str, Arm] = {
    "rows as they are": as_they_are,
    "class weights": weighted,
    "tuned cutoff": cut,
    "repeated rows": repeated,
    "EDA": edited("eda"),
    "neighbours": edited("neighbours"),
    "self-training": self_training,
}
"""The cheapest first; all of them take seconds."""
