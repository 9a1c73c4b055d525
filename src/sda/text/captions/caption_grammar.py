"""English scene captions with exact probabilities, and the oracle that judges any sentence."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray

from sda.errors import UserError
from sda.text.captions.automaton import Automaton
from sda.text.captions.rules import caption
from sda.text.sentences import Flat
from sda.text.vocabulary import Vocabulary


@cache
def caption_automaton() -> Automaton:
    """The automaton of all captions, compiled on the first call."""
    return Automaton(caption())


class CaptionGrammar:
    """The captions, with their words in alphabetical order: ids index `words`."""

    def __init__(self) -> None:
        self.automaton = caption_automaton()

    @property
    def words(self) -> tuple[str, ...]:
        return self.automaton.words

    @property
    def max_length(self) -> int:
        return self.automaton.max_length

    def sample(self, n: int, rng: torch.Generator) -> Flat:
        """n independent captions."""
        return self.automaton.sample(n, rng)

    def log_prob(self, sentences: Flat) -> NDArray[np.float64]:
        """The exact log-probability of each sentence, minus infinity for ungrammatical ones."""
        return self.automaton.log_prob(sentences)

    def is_grammatical(self, sentences: Flat) -> NDArray[np.bool_]:
        return np.isfinite(self.log_prob(sentences))

    def count(self) -> int:
        """The number of distinct captions."""
        return self.automaton.count()

    def entropy(self) -> float:
        """The expected negative log-probability of a caption in nats (none has two paths)."""
        return self.automaton.entropy()


def word_numbers(grammar: CaptionGrammar, vocabulary: Vocabulary) -> NDArray[np.int32]:
    """(V,) the grammar's number of every id, below zero for ids that are no words of it."""
    if not vocabulary.covers(grammar.words):
        raise UserError("the vocabulary lacks words of the caption grammar.")
    numbers = np.full(len(vocabulary), -1, np.int32)
    numbers[vocabulary.number_words(grammar.words)] = np.arange(len(grammar.words))
    return numbers


class Noise:
    """Independent words with the unigram probabilities of an automaton, of any length.

    The length is that of a sentence of the automaton or, as often, geometric with the same mean:
    every sentence over the words has a positive probability.
    """

    def __init__(self, automaton: Automaton) -> None:
        counts = automaton.expected_counts()
        self.unigrams = counts / counts.sum()
        self.lengths = automaton.length_probs
        self.stop = 1 / (1 + counts.sum())

    def log_prob(self, sentences: Flat) -> NDArray[np.float64]:
        """The exact log-probability of each sentence; minus infinity with ids that are no words."""
        known = (sentences.ids >= 0) & (sentences.ids < len(self.unigrams))
        logs = np.full(len(sentences.ids) + 1, -np.inf)
        logs[:-1][known] = np.log(self.unigrams[sentences.ids[known]])
        logs[-1] = 0.0
        # reduceat gives the element itself, not 0, for an empty sentence.
        filled = sentences.lengths > 0
        sums = np.where(filled, np.add.reduceat(logs, sentences.starts[:-1]), 0.0)
        log_probs: NDArray[np.float64] = sums + self._length_log_prob(sentences.lengths)
        return log_probs

    def _length_log_prob(self, lengths: NDArray[np.int64]) -> NDArray[np.float64]:
        inside = lengths < len(self.lengths)
        exact = np.where(inside, self.lengths[np.where(inside, lengths, 0)], 0.0)
        geometric = np.log(self.stop) + lengths * np.log1p(-self.stop)
        with np.errstate(divide="ignore"):
            logs: NDArray[np.float64] = np.logaddexp(np.log(exact), geometric) - np.log(2)
        return logs

    def sample(self, n: int, rng: torch.Generator) -> Flat:
        """n independent sentences."""
        draws = torch.rand(2, n, dtype=torch.float64, generator=rng).numpy()
        exact = np.searchsorted(np.cumsum(self.lengths), draws[0], side="right")
        geometric = np.floor(np.log1p(-draws[0]) / np.log1p(-self.stop)).astype(np.int64)
        lengths = np.where(draws[1] < 0.5, np.minimum(exact, len(self.lengths) - 1), geometric)
        starts = np.concatenate(([0], np.cumsum(lengths)))
        total = int(starts[-1])
        draw = torch.rand(total, dtype=torch.float64, generator=rng).numpy()
        ids = np.searchsorted(np.cumsum(self.unigrams), draw, side="right")
        return Flat(np.minimum(ids, len(self.unigrams) - 1).astype(np.int32), starts)


class CaptionOracle:
    """The grammar with probability 1 - noise, and noise over its words otherwise.

    Exact, and positive on every sentence over the words.
    """

    def __init__(self, grammar: CaptionGrammar, noise: float = 0.01) -> None:
        if not 0 < noise < 1:
            raise ValueError(f"noise is {noise}, not between 0 and 1")
        self.grammar = grammar
        self.noise = noise
        self._noise = Noise(grammar.automaton)

    @property
    def words(self) -> tuple[str, ...]:
        return self.grammar.words

    def sample(self, n: int, rng: torch.Generator) -> Flat:
        """n independent sentences, some of them noise."""
        is_noise = torch.rand(n, dtype=torch.float64, generator=rng).numpy() < self.noise
        noisy = int(is_noise.sum())
        clean = self.grammar.sample(n - noisy, rng)
        both = Flat.join(clean, self._noise.sample(noisy, rng))
        order = np.empty(n, np.int64)
        order[~is_noise] = np.arange(n - noisy)
        order[is_noise] = np.arange(n - noisy, n)
        return both.take(order)

    def log_prob(self, sentences: Flat) -> NDArray[np.float64]:
        """The exact log-probability of each sentence, finite whenever its ids are words."""
        log_probs: NDArray[np.float64] = np.logaddexp(
            np.log1p(-self.noise) + self.grammar.log_prob(sentences),
            np.log(self.noise) + self._noise.log_prob(sentences),
        )
        return log_probs
