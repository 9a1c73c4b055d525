"""Sources whose exact distribution is known, so that a generator can be held against the truth."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from sda.models.generator import Generator, generator_log_prob
from sda.text.captions.caption_grammar import CaptionOracle, word_numbers
from sda.text.sentences import Flat, Sentences
from sda.text.vocabulary import Vocabulary


class Truth(Protocol):
    """The distribution that the data were drawn from."""

    def log_prob(self, sentences: Sentences) -> Tensor:
        """(B,) float64, finite on every sentence over the vocabulary."""
        ...

    def data_log_prob(self, sentences: Sentences) -> Tensor:
        """(B,) float64 of sentences that were drawn from the source, not smoothed."""
        ...


class LstmTruth:
    """The random LSTM of the synthetic experiments."""

    def __init__(self, oracle: Generator) -> None:
        self.oracle = oracle

    def log_prob(self, sentences: Sentences) -> Tensor:
        return generator_log_prob(self.oracle, sentences)

    def data_log_prob(self, sentences: Sentences) -> Tensor:
        return self.log_prob(sentences)


class CaptionTruth:
    """The caption grammar: smoothed where it judges a model, pure where it judges its own data."""

    def __init__(self, oracle: CaptionOracle, vocabulary: Vocabulary) -> None:
        self.oracle = oracle
        self._eos = vocabulary.eos
        self._words = word_numbers(oracle.grammar, vocabulary)

    def log_prob(self, sentences: Sentences) -> Tensor:
        return torch.from_numpy(self.oracle.log_prob(self._flat(sentences)))

    def data_log_prob(self, sentences: Sentences) -> Tensor:
        return torch.from_numpy(self.oracle.grammar.log_prob(self._flat(sentences)))

    def is_grammatical(self, sentences: Sentences) -> Tensor:
        """(B,) whether the grammar can write the sentence."""
        return torch.from_numpy(self.oracle.grammar.is_grammatical(self._flat(sentences)))

    def _flat(self, sentences: Sentences) -> Flat:
        flat = sentences.flat(self._eos)
        return Flat(self._words[flat.ids], flat.starts)
