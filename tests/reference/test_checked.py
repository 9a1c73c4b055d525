"""A grammar checker as a metric."""

import pytest

from sda.reference.checked import Checked
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import tokenizer
from sda.text.vocabulary import WordVocabulary


def test_each_issue_lowers_the_score() -> None:
    pytest.importorskip("harper")
    lines = ["a dog ran .", "the the dog ran .", "the the dog ran on on .", ""]
    words = sorted({word for line in lines for word in line.split()})
    vocabulary = WordVocabulary(tuple(words), False, tokenizer("whitespace"))
    ids = [vocabulary.encode(line.split()) for line in lines]
    sentences = Sentences.from_flat(Flat.from_lists(ids), vocabulary.eos)

    assert Checked(vocabulary)(sentences).tolist() == pytest.approx([1.0, 1 / 2, 1 / 3, 1.0])
