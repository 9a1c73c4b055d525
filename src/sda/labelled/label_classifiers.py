"""Classifiers of labels, of three kinds: words counted, a network, and vectors of whole texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sda.errors import UserError
from sda.evaluation.sentence_features import SentenceEncoder
from sda.transfer.style_cnn import StyleCnn
from sda.transfer.styled import StyledTexts

Shares = NDArray[np.float64]
"""(N, L): how likely each text is of each label; rows sum to one."""
Numbers = NDArray[np.int64]
"""(N,): labels by number."""
Split = Callable[[str], list[str]]
"""Cuts a text into words."""
STRENGTHS = (1.0, 10.0, 100.0)
"""Of the logistic regression: what it may follow the texts by; one is chosen by folds."""
INNER_FOLDS = 3
MOST_KEPT = 50_000  # vectors
MOST_TUNED = 2000  # rows; with more, a middle strength is as good and takes no search


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


class LabelClassifier(Protocol):
    """Learns texts with labels from 0 on, and says of others how likely each label is."""

    kind: str
    takes_weights: bool
    """Whether rows can matter more or less; else all labels matter alike in any case."""

    def fit(self, learned: Learned, count: int, seed: int) -> None:
        """Learn; `count` labels there are in all."""

    def __call__(self, texts: Sequence[str]) -> Shares: ...


def logistic_regression(strength: float, seed: int) -> Any:
    """Of scikit-learn, with the settings that all kinds share."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise UserError(
            "labelled augmentation needs scikit-learn: pip install 'sda-text[augment]'"
        ) from None
    return LogisticRegression(C=strength, max_iter=1000, random_state=seed)


class _Regressed(ABC):
    """Logistic regression on rows of numbers, which each kind makes of texts in its way."""

    takes_weights = True

    def fit(self, learned: Learned, count: int, seed: int) -> None:
        # Before any rows are made: whoever has no scikit-learn is told at once.
        regression = logistic_regression(1.0, seed)
        self._count = count
        rows = self._learned_rows(learned.texts)
        self._regression = _fitted(regression, rows, learned.labels, seed, learned.weights)

    def __call__(self, texts: Sequence[str]) -> Shares:
        if not len(texts):
            return np.zeros((0, self._count))
        return _spread(self._regression, self._rows(texts), self._count)

    def _learned_rows(self, texts: Sequence[str]) -> Any:
        """Rows of the texts that are learned, which may settle what a row is."""
        return self._rows(texts)

    @abstractmethod
    def _rows(self, texts: Sequence[str]) -> Any:
        """Rows of any texts."""


class TfidfClassifier(_Regressed):
    """Words and pairs of neighbours, weighted by how rare they are; logistic regression on them."""

    kind = "tfidf"

    def __init__(self, split: Split = str.split) -> None:
        self._split = split

    def _learned_rows(self, texts: Sequence[str]) -> Any:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._features = TfidfVectorizer(
            tokenizer=self._split,
            token_pattern=None,
            lowercase=False,
            ngram_range=(1, 2),
            sublinear_tf=True,
        )
        return self._features.fit_transform(texts)

    def _rows(self, texts: Sequence[str]) -> Any:
        return self._features.transform(texts)


class CnnClassifier:
    """Windows of one to four words (`sda.transfer.style_cnn`); every label counts as much."""

    kind = "cnn"
    takes_weights = False

    def __init__(self, split: Split = str.split) -> None:
        self._split = split

    def fit(self, learned: Learned, count: int, seed: int) -> None:
        present = np.unique(learned.labels)
        groups = tuple(
            tuple(
                self._cut(text)
                for text, label in zip(learned.texts, learned.labels, strict=True)
                if label == number
            )
            for number in present
        )
        self._present, self._count = present, count
        self._judge = StyleCnn.fit(StyledTexts(tuple(map(str, present)), groups), seed)

    def __call__(self, texts: Sequence[str]) -> Shares:
        found = np.zeros((len(texts), self._count))
        if len(texts):
            cut = list(map(self._cut, texts))
            found[:, self._present] = self._judge.probabilities(cut).double().numpy()
        return found

    def _cut(self, text: str) -> str:
        return " ".join(self._split(text))


class VectorClassifier(_Regressed):
    """Logistic regression on vectors of whole texts, which somebody else makes."""

    def __init__(self, kind: str, vectors: Callable[[Sequence[str]], NDArray[Any]]) -> None:
        self.kind = kind
        self._vectors = vectors

    def _rows(self, texts: Sequence[str]) -> Any:
        return self._vectors(texts)


class KeptVectors:
    """Vectors of texts, each made once: several classifiers ask about the same texts."""

    def __init__(self, make: Callable[[Sequence[str]], NDArray[Any]]) -> None:
        self._make = make
        self._known: dict[str, NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, F)"""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if len(self._known) + len(new) > MOST_KEPT:
            self._known.clear()
            new = list(dict.fromkeys(texts))
        if new:
            found = np.asarray(self._make(new), np.float32)
            self._known.update(zip(new, found, strict=True))
        return np.stack([self._known[text] for text in texts])


@cache
def sentence_vectors(named: Path) -> KeptVectors:
    """Vectors by a sentence transformer: a folder, or a package that carries one. It is read once,
    however many ask."""
    return KeptVectors(SentenceEncoder(named))


def _fitted(
    regression: Any,
    rows: Any,
    labels: Numbers,
    seed: int,
    weights: NDArray[np.float64] | None,
) -> Any:
    """The regression with the strength that told held-out rows best; the middle one of many rows
    or of a label with too few."""
    strength = STRENGTHS[1]
    fewest = np.unique(labels, return_counts=True)[1].min()
    if len(labels) <= MOST_TUNED and fewest >= INNER_FOLDS:
        from sklearn.model_selection import StratifiedKFold, cross_val_score

        folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
        means = [
            cross_val_score(
                logistic_regression(value, seed), rows, labels, cv=folds, scoring="neg_log_loss"
            ).mean()
            for value in STRENGTHS
        ]
        strength = STRENGTHS[int(np.argmax(means))]
    return regression.set_params(C=strength).fit(rows, labels, sample_weight=weights)


def _spread(regression: Any, rows: Any, count: int) -> Shares:
    """Its shares in columns of all labels; one that it has not met has none."""
    found = np.zeros((rows.shape[0], count))
    found[:, regression.classes_] = regression.predict_proba(rows)
    return found


def fold_numbers(labels: Numbers, folds: int, seed: int) -> Numbers:
    """(N,) the fold of each row; every label is spread over the folds as evenly as can be."""
    rng = np.random.default_rng(seed)
    found = np.zeros(len(labels), np.int64)
    first = 0
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        # Each label begins where the one before ended, so that folds are of one size.
        found[rows] = (first + np.arange(len(rows))) % folds
        first += len(rows)
    return found
