"""Who is asked about a label, and what rules and unlabelled texts change."""

import re
from typing import ClassVar

import numpy as np
import pytest
from labelled_tiny import WordCounts, rows

from sda.labelled.confidence import Confidence, balanced, surest
from sda.labelled.word_rules import WordRules

TEXTS, LABELS = rows()
NUMBERS = np.array([int(label == "good") for label in LABELS])


class Listening(WordCounts):
    """Notes what it is asked about that it has learned."""

    known_to_the_asked: ClassVar[list[str]] = []

    def __call__(self, texts):  # type: ignore[no-untyped-def]
        Listening.known_to_the_asked += [text for text in texts if text in self.learned]
        return super().__call__(texts)


def test_nobody_is_asked_about_a_row_that_it_has_learned() -> None:
    found = Confidence((Listening, WordCounts), TEXTS, NUMBERS, 2, seed=0)
    shares = found.of_rows(TEXTS)

    assert Listening.known_to_the_asked == []
    assert shares.shape == (32, 2)
    # Every animal and opinion is met in other rows.
    assert (shares.argmax(1) == NUMBERS).all()


class Certain(WordCounts):
    def __call__(self, texts):  # type: ignore[no-untyped-def]
        return np.eye(2)[super().__call__(texts).argmax(1)]


class Guessing(WordCounts):
    def __call__(self, texts):  # type: ignore[no-untyped-def]
        return np.tile([0.0, 1.0], (len(texts), 1))


def test_a_label_is_as_sure_as_the_kind_that_doubts_it_most() -> None:
    asked = ["the cat is nice"]
    one = Confidence((WordCounts,), TEXTS, NUMBERS, 2, seed=0)(asked)
    both = Confidence((WordCounts, Certain), TEXTS, NUMBERS, 2, seed=0)(asked)

    assert both[0].tolist() == [0, one[0, 1]]
    assert one[0, 1] < 1


def test_a_kind_that_guesses_is_not_heard() -> None:
    asked = ["the cat is nice", "the cat is rude"]
    one = Confidence((WordCounts,), TEXTS, NUMBERS, 2, seed=0)(asked)
    both = Confidence((WordCounts, Guessing), TEXTS, NUMBERS, 2, seed=0)(asked)

    assert both.tolist() == one.tolist()


def test_words_of_unlabelled_texts_are_learned() -> None:
    pool = [
        f"the {animal} is {a} {b}"
        for animal in ("cat", "dog")
        for a, b in (("nice", "sunny"), ("kind", "sunny"), ("rude", "cloudy"), ("sad", "cloudy"))
    ]
    asked = ["sunny", "cloudy"]
    before = Confidence((WordCounts,), TEXTS, NUMBERS, 2, seed=0)(asked)
    after = Confidence((WordCounts,), TEXTS, NUMBERS, 2, seed=0, pool=pool)(asked)

    assert (before[:, 0] == before[:, 1]).all()
    assert after.argmax(1).tolist() == [1, 0]


def test_rules_have_a_say() -> None:
    rules = WordRules((re.compile("sunny"),), (1,), 2)
    found = Confidence((WordCounts,), TEXTS, NUMBERS, 2, seed=0, rules=rules)(["sunny", "the"])

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


def test_how_sure_a_label_must_be_to_be_believed() -> None:
    class Told(Confidence):
        """Rows of these shares; the first label is right wherever a row says so."""

        def __init__(self, sure: list[float]) -> None:
            self._sure = np.array(sure)

        def of_rows(self, texts):  # type: ignore[no-untyped-def]
            return np.stack((self._sure, 1 - self._sure), 1)

    texts = [""] * 12
    sure = [0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9, 0.8, 0.7]
    # The tenth and the twelfth are wrong. They are the only ones of their label, so that each
    # weighs as much as five of the others: the nine before are right, and 5.4 of 8.4 are few.
    labels = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1])
    assert balanced(labels).tolist() == pytest.approx([0.6] * 9 + [3, 0.6, 3])
    assert Told(sure).trusted(texts, labels) == 0.91
    # Of no five nine in ten are right: surer than the first mistake, which is the third.
    labels = np.array([0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1])
    assert Told(sure).trusted(texts, labels) == 0.97
