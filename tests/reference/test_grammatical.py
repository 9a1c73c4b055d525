"""The grammar as a metric."""

import pytest
import torch

from sda.reference.grammatical import Grammatical
from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer
from sda.text.vocabulary import WordVocabulary


def captions_vocabulary(has_unknown: bool = False) -> WordVocabulary:
    words = CaptionGrammar().words
    return WordVocabulary(words, has_unknown=has_unknown, tokenizer=tokenizer("whitespace"))


def encode(vocabulary: WordVocabulary, lines: list[str]) -> Sentences:
    return vocabulary.encode(lines)


def test_captions_score_one_and_their_reversals_nothing() -> None:
    grammar, vocabulary = CaptionGrammar(), captions_vocabulary()
    flat = grammar.sample(200, torch.Generator().manual_seed(3))
    lines = [
        [grammar.words[i] for i in flat.ids[a:b]]
        for a, b in zip(flat.starts[:-1], flat.starts[1:], strict=True)
    ]
    metric = Grammatical(vocabulary)

    assert metric(encode(vocabulary, [" ".join(line) for line in lines])).tolist() == [1.0] * 200
    backwards = [" ".join(reversed(line)) for line in lines]
    assert metric(encode(vocabulary, backwards)).sum() < 5


def test_an_empty_sentence_is_no_caption() -> None:
    vocabulary = captions_vocabulary()

    assert Grammatical(vocabulary)(encode(vocabulary, [""])).tolist() == [0.0]


def test_another_text_is_refused() -> None:
    with pytest.raises(ValueError, match="no other text"):
        Grammatical(captions_vocabulary(has_unknown=True))
