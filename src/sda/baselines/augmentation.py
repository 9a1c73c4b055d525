"""What all augmenters share: words of a vocabulary, a seed, and the way back to a corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from sda.errors import UserError
from sda.text.corpus import Corpus
from sda.text.sentences import Flat, Sentences
from sda.text.synonyms import Choices, Synonyms, find_choices
from sda.text.vocabulary import Vocabulary, WordVocabulary


def spelled(vocabulary: Vocabulary) -> tuple[int, tuple[str, ...]]:
    """The id of the first word and all words; what comes before is no word that anyone wrote."""
    if not isinstance(vocabulary, WordVocabulary):
        raise UserError(
            "augmentation changes words: it works on a text whose ids are whole words, not with"
            " data.subwords and not on sentences of an oracle."
        )
    return len(vocabulary) - len(vocabulary.known), vocabulary.known


def mark_words(
    vocabulary: Vocabulary, judge: Callable[[tuple[str, ...]], NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """(V,) what `judge` says of each word; false for ids that are no words."""
    first, words = spelled(vocabulary)
    return np.concatenate((np.zeros(first, np.bool_), judge(words)))


def vocabulary_choices(vocabulary: Vocabulary, table: Synonyms) -> Choices:
    """What each id may become, among the words of the vocabulary."""
    first, words = spelled(vocabulary)
    choices, _ = find_choices(words, table, in_vocabulary=True)
    starts = np.concatenate((np.zeros(first, np.int64), choices.starts))
    return Choices(choices.words + np.int32(first), starts)


def draw_seed(rng: torch.Generator) -> int:
    return int(torch.randint(2**62, (), generator=rng))


def most_words(corpus: Corpus) -> int:
    """Words that a sentence of the corpus may have, the end symbol not counted."""
    return corpus.max_length - (corpus.vocabulary.eos is not None)


def with_written(corpus: Corpus, written: Flat) -> Corpus:
    """The corpus with more training sentences; validation sentences are as they were."""
    if corpus.train.context is not None:
        raise UserError("augmentation does not say what its sentences are about: unset data.label.")
    more = Sentences.from_flat(written, corpus.vocabulary.eos)
    return replace(corpus, train=Sentences.join([corpus.train, more]))
