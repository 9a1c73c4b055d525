"""A grammar checker as a metric."""

import pytest

from sda.reference.checked import Checked
from sda.text.tokens import tokenizer
from sda.text.vocabulary import WordVocabulary


def test_each_issue_lowers_the_score() -> None:
    pytest.importorskip("harper")
    lines = ["a dog ran .", "the the dog ran .", "the the dog ran on on .", ""]
    words = sorted({word for line in lines for word in line.split()})
    vocabulary = WordVocabulary(tuple(words), False, tokenizer("whitespace"))

    assert Checked(vocabulary)(vocabulary.encode(lines)).tolist() == pytest.approx(
        [1.0, 1 / 2, 1 / 3, 1.0]
    )
