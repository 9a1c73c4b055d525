"""Judges of style that count words: naive Bayes, and language models held against each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sda.text.kneser_ney import NgramModel
from sda.text.sentences import Flat
from sda.transfer.styled import StyledTexts

ORDER = 4
STRANGE = -1  # the number of a word that the judge has not met


class WordTable:
    """Numbers for the words of some texts."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(words)}

    @classmethod
    def of(cls, texts: StyledTexts) -> WordTable:
        every = chain.from_iterable(map(str.split, chain.from_iterable(texts.texts)))
        return cls(sorted(set(every)))

    def flat(self, texts: Sequence[str]) -> Flat:
        """The words of the texts by number."""
        words = [text.split() for text in texts]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        starts = np.concatenate(([0], np.cumsum(lengths)))
        get = self._numbers.get
        numbers = (get(word, STRANGE) for word in chain.from_iterable(words))
        return Flat(np.fromiter(numbers, np.int32, int(starts[-1])), starts)


class NaiveBayes:
    """A judge by words alone, wherever they stand: multinomial naive Bayes, one added to counts.

    All styles are as likely before a word is read, and words that it has not met say nothing.
    """

    kind = "naive-bayes"

    def __init__(self, names: tuple[str, ...], table: WordTable, logs: NDArray[np.float64]) -> None:
        self.names = names
        self._table = table
        # (words + 1, styles); the last row is that of all strange words.
        self._logs = logs

    @classmethod
    def fit(cls, texts: StyledTexts, seed: int = 0) -> NaiveBayes:
        """A judge that has counted these texts; nothing in it is random."""
        table = WordTable.of(texts)
        size = len(table.words)
        counts = np.stack(
            [np.bincount(table.flat(part).ids, minlength=size) for part in texts.texts], 1
        )
        logs = np.log((counts + 1) / (counts + 1).sum(0))
        return cls(texts.names, table, np.concatenate((logs, np.zeros((1, logs.shape[1])))))

    def probabilities(self, texts: Sequence[str]) -> Tensor:
        """(N, styles) how likely each text is of each style."""
        flat = self._table.flat(texts)
        owners = np.repeat(np.arange(len(flat)), flat.lengths)
        sums = [np.bincount(owners, column[flat.ids], len(flat)) for column in self._logs.T]
        return torch.from_numpy(np.stack(sums, 1)).double().softmax(1).float()

    def tensors(self) -> dict[str, Tensor]:
        return {"logs": torch.from_numpy(self._logs)}

    def values(self) -> dict[str, object]:
        return {"words": list(self._table.words)}

    @classmethod
    def from_saved(
        cls, names: tuple[str, ...], tensors: dict[str, Tensor], values: dict[str, object]
    ) -> NaiveBayes:
        return cls(names, WordTable(_words(values)), tensors["logs"].numpy())


class LanguageModelRatio:
    """A judge that asks an n-gram language model of each style how likely the text is."""

    kind = "language-model-ratio"

    def __init__(self, names: tuple[str, ...], table: WordTable, texts: Sequence[Flat]) -> None:
        self.names = names
        self._table = table
        self._texts = texts
        # All models share their leftover mass among as many words: else the style with fewer words
        # would find strange ones likelier.
        self.models = [
            NgramModel(part, ORDER, len(table.words) + 1 - len(np.unique(part.ids)))
            for part in texts
        ]

    @classmethod
    def fit(cls, texts: StyledTexts, seed: int = 0) -> LanguageModelRatio:
        """A judge with a model of each of these texts; nothing in it is random."""
        table = WordTable.of(texts)
        return cls(texts.names, table, [table.flat(part) for part in texts.texts])

    def log_probs(self, texts: Sequence[str]) -> Tensor:
        """(N, styles) natural logarithm of the probability of each text under each model."""
        flat = self._table.flat(texts)
        found = [model.log_prob(flat) for model in self.models]
        return torch.from_numpy(np.stack(found, 1))

    def probabilities(self, texts: Sequence[str]) -> Tensor:
        """(N, styles) how likely each text is of each style, all equally likely before."""
        return self.log_probs(texts).softmax(1).float()

    def tensors(self) -> dict[str, Tensor]:
        """The texts, since the models are quickly made of them and larger than they are."""
        return {
            f"{name}.{number}": torch.from_numpy(value)
            for number, part in enumerate(self._texts)
            for name, value in (("ids", part.ids), ("starts", part.starts))
        }

    def values(self) -> dict[str, object]:
        return {"words": list(self._table.words)}

    @classmethod
    def from_saved(
        cls, names: tuple[str, ...], tensors: dict[str, Tensor], values: dict[str, object]
    ) -> LanguageModelRatio:
        texts = [
            Flat(tensors[f"ids.{number}"].numpy(), tensors[f"starts.{number}"].numpy())
            for number in range(len(names))
        ]
        return cls(names, WordTable(_words(values)), texts)


def _words(values: dict[str, object]) -> list[str]:
    words = values["words"]
    assert isinstance(words, list)
    return words
