"""A seeded rng, a ten-word vocabulary and a toy corpus. Classes and functions are in `fakes`."""

import hypothesis
import pytest
import torch
from fakes import seeded

from sda.text.corpus import Corpus
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary

# Models this small are slower on several threads, and test processes share the machine.
torch.set_num_threads(1)

# The first example of a test may compile functions; time says nothing about correctness here.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

TRAIN = (
    "the cat sat",
    "the dog sat",
    "a cat ran home",
    "a dog ran home",
    "the cat ran",
    "a dog sat here",
    "the dog ran home",
    "a cat sat here",
    "the big cat sat",
    "the big dog ran home",
)
VALID = ("the cat ran home", "a dog sat", "the dog sat here")


@pytest.fixture
def rng() -> torch.Generator:
    return seeded(7)


@pytest.fixture
def vocabulary() -> WordVocabulary:
    """Ten ids: the end symbol, 0, and nine words."""
    words = ("the", "a", "cat", "dog", "sat", "ran", "home", "here", "big")
    return WordVocabulary(words, has_unknown=False, tokenizer=WhitespaceTokenizer())


@pytest.fixture
def corpus(vocabulary: WordVocabulary) -> Corpus:
    """Ten training and three validation sentences of three to five words."""

    def encoded(lines: tuple[str, ...]) -> Sentences:
        ids = [vocabulary.encode(line.split()) for line in lines]
        return Sentences.from_flat(Flat.from_lists(ids), vocabulary.eos)

    return Corpus(vocabulary, encoded(TRAIN), encoded(VALID), max_length=6)
