"""What all augmenters share: a corpus in, and the same corpus with more training sentences out."""

# Annotations are not postponed here: settings are checked by the types of fields, which classes in
# other files inherit.
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from sda.baselines.edits import Amount
from sda.errors import UserError
from sda.text.corpus import Corpus
from sda.text.sentences import Flat, Sentences
from sda.text.synonyms import WordChoices, find_choices, read_synonyms, wordnet
from sda.text.vocabulary import Vocabulary, WordVocabulary

WordTest = Callable[[Sequence[str]], NDArray[np.bool_]]
"""What is true of each word (V,)."""


@dataclass(eq=False)
class Augmentation(ABC):
    """Adds `per_sentence` new versions of every training sentence, in words of the vocabulary.

    Versions are written from the words of the sentences as they are, end symbols left out;
    validation sentences stay as they were.
    """

    vocabulary: Vocabulary
    rng: torch.Generator
    per_sentence: int = 4

    def __call__(self, corpus: Corpus) -> Corpus:
        eos = corpus.vocabulary.eos
        # The end symbol takes a place of its own.
        longest = corpus.max_length - (eos is not None)
        written = Sentences.from_flat(self.write(corpus.train.flat(eos), longest), eos)
        context = corpus.train.context
        if context is not None:
            # A version of a sentence is about what the sentence is about.
            rows = torch.arange(len(corpus.train)).repeat_interleave(self.per_sentence)
            written = written.about(context[rows])
        return replace(corpus, train=Sentences.join([corpus.train, written]))

    @abstractmethod
    def write(self, sentences: Flat, longest: int) -> Flat:
        """The new versions, those of one sentence side by side, of at most `longest` words each."""

    def seed(self) -> int:
        """A number from `rng`, for random numbers that torch does not draw."""
        return int(torch.randint(2**62, (), generator=self.rng))


@dataclass(eq=False)
class SynonymAugmentation(Augmentation):
    """One that replaces words by synonyms; `synonyms` names a table of the user's own in the place
    of WordNet."""

    synonyms: str | None = None

    def __post_init__(self) -> None:
        self.choices = synonym_choices(self.vocabulary, self.synonyms)


@dataclass(eq=False)
class FittedAugmentation(Augmentation):
    """One that learns from the sentences themselves what may take the place of a share `alpha` of
    their words."""

    alpha: float = 0.1

    def __post_init__(self) -> None:
        self.is_word = mark_words(self.vocabulary, self.may_change)

    @staticmethod
    @abstractmethod
    def may_change(words: Sequence[str]) -> NDArray[np.bool_]:
        """(V,) which words may give way, and take the place of others."""

    @property
    def amount(self) -> Amount:
        """How much is written."""
        return Amount(self.alpha, self.per_sentence)


def spelled(vocabulary: Vocabulary) -> tuple[int, tuple[str, ...]]:
    """The id of the first word and all words; what comes before is no word that anyone wrote."""
    if not isinstance(vocabulary, WordVocabulary):
        raise UserError(
            "augmentation changes words: it works on a text whose ids are whole words, not with"
            " data.subwords and not on sentences of an oracle."
        )
    return len(vocabulary) - len(vocabulary.known), vocabulary.known


def mark_words(vocabulary: Vocabulary, judge: WordTest) -> NDArray[np.bool_]:
    """(V,) what `judge` says of each word; false for ids that are no words."""
    first, words = spelled(vocabulary)
    return np.concatenate((np.zeros(first, np.bool_), judge(words)))


def synonym_choices(vocabulary: Vocabulary, path: str | None) -> WordChoices:
    """The synonyms of each id among the words of the vocabulary, by WordNet or the user's table."""
    table = wordnet() if path is None else read_synonyms(Path(path))
    first, words = spelled(vocabulary)
    choices, _ = find_choices(words, table, in_vocabulary=True)
    starts = np.concatenate((np.zeros(first, np.int64), choices.starts))
    return WordChoices(choices.words + np.int32(first), starts)
