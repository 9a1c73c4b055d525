"""Samples, and what stands beside them: all that a score may look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from sda.evaluation.bleu_scores import SELF_BLEU_LIMIT
from sda.evaluation.features import Vectors
from sda.evaluation.grammar import Checker
from sda.evaluation.neural_lm import NeuralModel
from sda.evaluation.ngram_features import NgramFeatures
from sda.evaluation.score import PLAIN, Convention
from sda.evaluation.sentence_features import sentence_features
from sda.text.kneser_ney import NgramModel
from sda.text.parted_ngrams import Ngrams
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat


@dataclass(frozen=True, eq=False)
class Samples:
    """One set of sentences to be scored.

    `words` are ids, the same for equal words in this set and in all that stands beside it; which
    ids they are changes no score. `texts` are the sentences as people read them, None where nobody
    wrote them out. `rng` draws the sentences of self-BLEU where there are more than its limit.
    """

    words: Flat
    texts: Sequence[str] | None
    rng: torch.Generator

    @property
    def longest(self) -> int:
        """The most words of a sentence."""
        return int(self.words.lengths.max())

    @cached_property
    def ngrams(self) -> Ngrams:
        """Their n-grams, each order numbered once for all scores."""
        return Ngrams(self.words)


@dataclass(frozen=True, eq=False)
class Beside:
    """What every set is held against; models of it are made when a score first asks for them.

    `names` are the scores that are wanted. The language models learn from the test sentences, which
    the generator has not seen.
    """

    test: Flat
    names: frozenset[str]
    train: Flat | None = None
    seed: int = 0
    self_bleu_limit: int | None = SELF_BLEU_LIMIT
    convention: Convention = PLAIN
    checker: Checker | None = None
    checked: int | None = None
    """Sentences that the checker reads of each set; None lets it read all."""
    sentence_model: Path | None = None
    """A folder with a sentence transformer whose vectors take the place of n-gram features."""
    test_texts: Sequence[str] | None = None
    """The test sentences for the sentence transformer."""

    def orders(self, stem: str) -> list[int]:
        """The orders n for which the score `stem-n` is wanted."""
        found = (name.rpartition("-") for name in self.names)
        return sorted(int(n) for start, _, n in found if start == stem and n.isdecimal())

    @cached_property
    def references(self) -> References:
        """The test sentences, counted for BLEU of the orders that are wanted."""
        reverse = self.orders("reverse-bleu")
        return References(self.test, max(self.orders("bleu") + reverse), bool(reverse))

    @cached_property
    def language_model(self) -> NgramModel:
        return NgramModel(self.test)

    @cached_property
    def lstm(self) -> NeuralModel:
        return NeuralModel(self.test, self.seed)

    @cached_property
    def points(self) -> Vectors:
        """(B, F) of the test sentences."""
        return self._vectors(self.test, self.test_texts)

    def vectors(self, samples: Samples) -> Vectors:
        """(B, F) of the samples, in the directions of the test sentences."""
        return self._vectors(samples.words, samples.texts)

    def _vectors(self, words: Flat, texts: Sequence[str] | None) -> Vectors:
        if self.sentence_model is None:
            return self._features.vectors(words)
        assert texts is not None
        return sentence_features(texts, self.sentence_model)

    @cached_property
    def _features(self) -> NgramFeatures:
        return NgramFeatures.fit(self.test)
