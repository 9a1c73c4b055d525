"""What speaks for a label and against it."""

import re

import numpy as np

from sda.labelled.label_evidence import NO_RULE, OTHER_WORD, LabelEvidence
from sda.labelled.word_rules import WordRules

TEXTS = ["A nice cat", "a nice dog", "a rude cat", "a rude cow"]
LABELS = np.array([1, 1, 0, 0])


def test_two_texts_of_another_label_are_enough_and_one_is_not() -> None:
    found = LabelEvidence(TEXTS, LABELS, 2, str.split)

    assert found(["a Rude dog", "a cow", "a cat", "new"], 1) == [OTHER_WORD, None, None, None]
    assert found(["a Rude dog", "a nice cow", "a dog"], 0) == [None, OTHER_WORD, None]


def test_words_of_a_frequent_label_are_not_against_a_rare_one() -> None:
    texts = ["the cat"] * 4 + ["a dog"] * 36 + ["a cow"]
    found = LabelEvidence(texts, np.repeat((0, 1), (40, 1)), 2, str.split)

    # Four of forty have it: as good as nothing beside the one text of the other label.
    assert found(["cat"], 1) == [None]
    assert found(["dog"], 1) == [None]


def test_a_word_of_many_labels_is_against_none() -> None:
    texts = ["so", "so", "so", "so", "one", "one"]
    found = LabelEvidence(texts, np.array([0, 1, 2, 3, 0, 0]), 5, str.split)

    assert found(["so", "one"], 4) == [None, None]
    found = LabelEvidence(texts * 3, np.array([0, 1, 2, 3, 0, 0] * 3), 5, str.split)
    assert found(["so", "one"], 4) == [None, None]


def test_rules_must_speak_for_the_label_and_not_for_another() -> None:
    rules = WordRules((re.compile("nice"), re.compile("rude")), (1, 0), 2)
    pool = ["rude wolf", "rude wolf too", "nice fox", "nice fox too", "wolf"]
    found = LabelEvidence(TEXTS, LABELS, 2, str.split, rules, pool)
    texts = ["nice", "nice and rude", "a dog", "a nice wolf"]

    assert found(texts, 1) == [None, NO_RULE, NO_RULE, OTHER_WORD]
    # Without rules nothing is known of unlabelled texts, and a label without a rule needs none.
    assert LabelEvidence(TEXTS, LABELS, 2, str.split, None, pool)(["wolf"], 1) == [None]
    one = LabelEvidence(TEXTS, LABELS, 2, str.split, WordRules((re.compile("x"),), (0,), 2))
    assert one(["a dog"], 1) == [None]
