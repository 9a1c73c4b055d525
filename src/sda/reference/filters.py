"""Hard conditions: a sentence that fails one scores minus infinity and never enters the buffer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from sda.errors import UserError
from sda.reference.metric import ReferenceMetric
from sda.text.ngrams import number_sentences
from sda.text.sentences import Flat, Sentences
from sda.text.vocabulary import Vocabulary


def _verdict(passed: Tensor) -> Tensor:
    """(B,) nothing for sentences that pass, minus infinity for the others."""
    return torch.where(passed, 0.0, -torch.inf).double()


class Contains(ReferenceMetric):
    """Passes sentences that have all words of `must` and none of `must_not`."""

    name = "contains"

    def __init__(
        self, vocabulary: Vocabulary, must: Sequence[str] = (), must_not: Sequence[str] = ()
    ) -> None:
        self._vocabulary = vocabulary
        self._must = [_number(vocabulary, word) for word in must]
        self._must_not = [_number(vocabulary, word) for word in must_not]

    def __call__(self, sentences: Sentences) -> Tensor:
        sentences = self._vocabulary.in_words(sentences)
        passed = torch.ones(len(sentences), dtype=torch.bool)
        for word in self._must:
            passed &= self._has(sentences, word)
        for word in self._must_not:
            passed &= ~self._has(sentences, word)
        return _verdict(passed)

    @staticmethod
    def _has(sentences: Sentences, word: int) -> Tensor:
        return ((sentences.tokens == word) & sentences.mask).any(1)


class Length(ReferenceMetric):
    """Passes sentences of `least` to `most` words."""

    name = "length"

    def __init__(self, vocabulary: Vocabulary, least: int = 1, most: int | None = None) -> None:
        self._vocabulary = vocabulary
        self._least = least
        self._most = most

    def __call__(self, sentences: Sentences) -> Tensor:
        words = torch.from_numpy(self._vocabulary.words(sentences).lengths)
        passed = words >= self._least
        return _verdict(passed if self._most is None else passed & (words <= self._most))


class NotCopy(ReferenceMetric):
    """Passes sentences that training does not have word for word."""

    name = "not-copy"

    def __init__(self, vocabulary: Vocabulary, train: Sentences) -> None:
        self._vocabulary = vocabulary
        self._train = vocabulary.words(train)

    def __call__(self, sentences: Sentences) -> Tensor:
        numbers = number_sentences(Flat.join(self._train, self._vocabulary.words(sentences)))
        known = np.isin(numbers[len(self._train) :], numbers[: len(self._train)])
        return _verdict(torch.from_numpy(~known))


def _number(vocabulary: Vocabulary, word: str) -> int:
    if not vocabulary.covers([word]):
        raise UserError(f"metric: the word {word!r} of a filter is not in the vocabulary")
    return vocabulary.number_words([word])[0]
