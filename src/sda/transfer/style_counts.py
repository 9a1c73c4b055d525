"""Judges of style that count words: naive Bayes, and language models held against each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain, pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sda.text.kneser_ney import NgramModel
from sda.text.ngrams import Pairs, find_ngrams, number_ngrams
from sda.text.sentences import Flat
from sda.transfer.styled import StyledTexts

ORDER = 4
NEIGHBOURS = 2  # words that naive Bayes takes together, and the single ones
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


class _WordCounts:
    """A judge that knows words by their numbers in a table, which is saved with it."""

    _table: WordTable

    def values(self) -> dict[str, object]:
        return {"words": list(self._table.words)}


class NaiveBayes(_WordCounts):
    """A judge by words and pairs of neighbours: multinomial naive Bayes, one added to counts.

    All styles are as likely before a word is read, and what it has not met says nothing.
    """

    kind = "naive-bayes"

    def __init__(
        self,
        names: tuple[str, ...],
        table: WordTable,
        ngrams: list[Pairs],
        logs: list[NDArray[np.float64]],
    ) -> None:
        self.names = names
        self._table = table
        self._ngrams = ngrams
        # For each order (n-grams + 1, styles); the last row is that of all strange ones.
        self._logs = logs

    @classmethod
    def fit(cls, texts: StyledTexts, seed: int = 0) -> NaiveBayes:
        """A judge that has counted these texts; nothing in it is random."""
        table = WordTable.of(texts)
        parts = [table.flat(part) for part in texts.texts]
        ngrams, numbers = number_ngrams(reduce(Flat.join, parts), NEIGHBOURS)
        bounds = np.cumsum([0, *(len(part.ids) for part in parts)])
        logs = []
        for known, found in zip(ngrams, numbers, strict=True):
            spans = [found[low:high] for low, high in pairwise(bounds.tolist())]
            counts = np.stack([np.bincount(s[s >= 0], minlength=known.size) for s in spans], 1) + 1
            strange = np.zeros((1, len(parts)))
            logs.append(np.concatenate((np.log(counts / counts.sum(0)), strange)))
        return cls(texts.names, table, ngrams, logs)

    def probabilities(self, texts: Sequence[str]) -> Tensor:
        """(N, styles) how likely each text is of each style."""
        flat = self._table.flat(texts)
        owners = np.repeat(np.arange(len(flat)), flat.lengths)
        sums = np.zeros((len(flat), len(self.names)))
        for found, logs in zip(find_ngrams(self._ngrams, flat), self._logs, strict=True):
            for style, column in enumerate(logs.T):
                sums[:, style] += np.bincount(owners, column[found], len(flat))
        return torch.from_numpy(sums).softmax(1).float()

    def tensors(self) -> dict[str, Tensor]:
        return {
            f"{name}.{order}": torch.from_numpy(value)
            for order, (known, logs) in enumerate(zip(self._ngrams, self._logs, strict=True))
            for name, value in (("keys", known.keys), ("slots", known.slots), ("logs", logs))
        }

    @classmethod
    def from_saved(
        cls, names: tuple[str, ...], tensors: dict[str, Tensor], values: dict[str, object]
    ) -> NaiveBayes:
        found = {name: value.numpy() for name, value in tensors.items()}
        ngrams = [Pairs(found[f"keys.{n}"], found[f"slots.{n}"]) for n in range(NEIGHBOURS)]
        logs = [found[f"logs.{n}"] for n in range(NEIGHBOURS)]
        return cls(names, WordTable(_words(values)), ngrams, logs)


class LanguageModelRatio(_WordCounts):
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
