"""Metrics count words: a text scores the same in subwords as in whole words."""

from collections.abc import Callable

import pytest
import torch
from fakes import seeded

from sda.reference.bleu import Bleu
from sda.reference.filters import Contains, Length, NotCopy
from sda.reference.function import Function
from sda.reference.grammatical import Grammatical
from sda.reference.metric import ReferenceMetric
from sda.reference.rare_words import RareWords
from sda.reference.repetition import Repetition
from sda.text.sentences import Sentences
from sda.text.subwords import SubwordVocabulary
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import Vocabulary, WordVocabulary

pytest.importorskip("tokenizers")

TRAIN = ["the cat sat", "the dog sat here", "a cat ran home", "the big dog ran home", "a dog sat"]
TEXTS = ["the cat sat", "sat the dog", "a a a a a a", "", "big dog here", "the cat ran home", "cat"]

METRICS: dict[str, Callable[[Vocabulary, Sentences], ReferenceMetric]] = {
    "bleu": lambda v, train: Bleu(v, train, seeded(0), 2, 3),
    "rare words": lambda v, train: RareWords(v, train, 3, 1.0),
    "repetition": lambda v, train: Repetition(v),
    "contains": lambda v, train: Contains(v, ["cat"], ["home"]),
    "length": lambda v, train: Length(v, 2, 3),
    "not a copy": lambda v, train: NotCopy(v, train),
    "function": lambda v, train: Function(v, lambda texts: map(len, texts)),
}


def whole_words() -> WordVocabulary:
    words = sorted({word for text in TRAIN for word in text.split()})
    return WordVocabulary(tuple(words), has_unknown=False, tokenizer=WhitespaceTokenizer())


def subwords() -> SubwordVocabulary:
    """Single bytes and a few pieces, such that no word is one id."""
    return SubwordVocabulary.learned(TRAIN, 258, WhitespaceTokenizer())


@pytest.mark.parametrize("name", METRICS)
def test_a_text_scores_the_same_in_pieces(name: str) -> None:
    found = []
    for vocabulary in (whole_words(), subwords()):
        metric = METRICS[name](vocabulary, vocabulary.encode(TRAIN))
        found.append(metric(vocabulary.encode(TEXTS)))

    assert len(set(found[0].tolist())) > 1
    torch.testing.assert_close(found[1], found[0])


def test_words_that_training_lacks_match_nothing() -> None:
    vocabulary = subwords()
    train = vocabulary.encode(TRAIN)
    unseen = vocabulary.encode(["зебра пошла", "the зебра"])

    assert Bleu(vocabulary, train, seeded(0), 1)(unseen).tolist()[0] == 0
    assert RareWords(vocabulary, train)(unseen).tolist() == [0, 0]
    assert Contains(vocabulary, ["зебра"])(unseen).tolist() == [0, 0]


def test_the_grammar_of_captions_is_for_captions() -> None:
    with pytest.raises(ValueError, match="no other text"):
        Grammatical(subwords())
