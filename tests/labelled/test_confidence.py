"""Who is asked about a label, and what rules and unlabelled texts change."""

import re
from typing import ClassVar

import numpy as np
import pytest
from labelled_tiny import WordCounts, rows

from sda.labelled.confidence import Confidence, balanced, surest
from sda.labelled.labelled_rows import LabelledRows
from sda.labelled.word_rules import WordRules

TEXTS, LABELS = rows()
ROWS = LabelledRows(tuple(TEXTS), tuple(LABELS))


class Listening(WordCounts):
    """Notes what it is asked about that it has learned."""

    known_to_the_asked: ClassVar[list[str]] = []

    def __call__(self, texts):  # type: ignore[no-untyped-def]
        Listening.known_to_the_asked += [text for text in texts if text in self.learned]
        return super().__call__(texts)


def test_nobody_is_asked_about_a_row_that_it_has_learned() -> None:
    found = Confidence((Listening, WordCounts), ROWS, seed=0)
    shares = found.of_rows(TEXTS)

    assert Listening.known_to_the_asked == []
    assert shares.shape == (32, 2)
    # Every animal and opinion is met in other rows.
    assert (shares.argmax(1) == ROWS.numbers).all()


class Certain(WordCounts):
    def __call__(self, texts):  # type: ignore[no-untyped-def]
        return np.eye(2)[super().__call__(texts).argmax(1)]


class Guessing(WordCounts):
    def __call__(self, texts):  # type: ignore[no-untyped-def]
        return np.tile([0.0, 1.0], (len(texts), 1))


def test_a_label_is_as_sure_as_the_kind_that_doubts_it_most() -> None:
    asked = ["the cat is nice"]
    one = Confidence((WordCounts,), ROWS, seed=0)(asked)
    both = Confidence((WordCounts, Certain), ROWS, seed=0)(asked)

    assert both[0].tolist() == [0, one[0, 1]]
    assert one[0, 1] < 1


def test_a_kind_that_guesses_is_not_heard() -> None:
    asked = ["the cat is nice", "the cat is rude"]
    one = Confidence((WordCounts,), ROWS, seed=0)(asked)
    both = Confidence((WordCounts, Guessing), ROWS, seed=0)(asked)

    assert both.tolist() == one.tolist()


def test_words_of_unlabelled_texts_are_learned() -> None:
    pool = [
        f"the {animal} is {a} {b}"
        for animal in ("cat", "dog")
        for a, b in (("nice", "sunny"), ("kind", "sunny"), ("rude", "cloudy"), ("sad", "cloudy"))
    ]
    asked = ["sunny", "cloudy"]
    before = Confidence((WordCounts,), ROWS, seed=0)(asked)
    after = Confidence((WordCounts,), ROWS, seed=0, pool=pool)(asked)

    assert (before[:, 0] == before[:, 1]).all()
    assert after.argmax(1).tolist() == [1, 0]


def test_rules_have_a_say() -> None:
    rules = WordRules((re.compile("sunny"),), (1,), 2)
    found = Confidence((WordCounts,), ROWS, seed=0, rules=rules)(["sunny", "the"])

    # No row has the word, so the rules are believed as they were before.
    assert np.allclose(found[0], (0.1, 0.9))
    assert np.allclose(found[1], (0.5, 0.5))


def test_the_surest_keep_the_shares_of_the_labels() -> None:
    shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.4, 0.6]])
    labels = np.array([0, 0, 0, 1])

    chosen, guesses = surest(shares, labels, 1.0)
    assert chosen.tolist() == [0, 1, 2, 3] and guesses.tolist() == [0, 0, 0, 1]
    chosen, _ = surest(shares, labels, 0.5)
    # Half of four texts: 1.5 of one label, which is two, and half a text of the other: none.
    assert chosen.tolist() == [0, 1]


def test_all_labels_matter_alike_however_rare_they_are() -> None:
    labels = np.array([0] * 10 + [1] * 2)
    assert balanced(labels).tolist() == pytest.approx([0.6] * 10 + [3] * 2)
