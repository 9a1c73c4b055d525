"""The worth of a text, part by part."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from labelled_tiny import rows

from sda.errors import UserError
from sda.evaluation.score import Convention
from sda.labelled.augment_settings import WorthWeights
from sda.labelled.labelled_rows import LabelledRows
from sda.labelled.worth import Worth
from sda.reference.function import Function
from sda.text.about import About

TEXTS, LABELS = rows()
ROWS = LabelledRows(tuple(TEXTS), tuple(LABELS))


def confidence(texts: Sequence[str]) -> Any:
    return np.tile([0.25, 0.75], (len(texts), 1))


def make(metric: Any = None, **weights: float) -> Worth:
    parts = {"confidence": 0.0, "fluency": 0.0, "novelty": 0.0, "own": 1.0} | weights
    sure: Any = confidence
    vocabulary: Any = None
    function = None if metric is None else Function(vocabulary, metric)
    convention = Convention("whitespace", False)
    return Worth(ROWS, sure, convention, WorthWeights(**parts), own=function)


def score(worth: Worth, text: str, label: int = 1) -> float:
    return float(worth.parts([text], np.array([label])).score[0])


def test_confidence_is_that_of_the_label() -> None:
    worth = make(confidence=2.0)

    assert score(worth, "the cat is nice", 1) == pytest.approx(0.75**2)
    assert score(worth, "the cat is nice", 0) == pytest.approx(0.25**2)
    # Text that is for no label is as good as its words.
    assert worth(["a", "b"], [About("good"), About("(no label)")]) == pytest.approx([0.75**2, 1])


def test_what_is_new_is_worth_more() -> None:
    worth = make(novelty=1.0)
    # Five words and pairs of seven are those of "the cat is nice": 4 + 3, "the cat is rude" has 5.
    parts = worth.parts(["the cat is cat", "sun"], np.array([1, 1]))

    assert parts.copied.tolist() == [3, 0]
    assert parts.similarity[0] == pytest.approx(5 / 8)
    assert parts.score.tolist() == pytest.approx([3 / 8, 1])


def test_words_in_their_order_are_fluent() -> None:
    worth = make(fluency=1.0)

    assert score(worth, "the cat is nice") > score(worth, "nice cat the is")
    assert score(worth, "the cat is nice") <= 1
    parts = worth.parts(["the cat is nice", "nice cat the is"], np.array([1, 1]))
    assert parts.nats[0] < parts.nats[1]


def test_a_metric_of_the_users_own_joins_or_stands_alone() -> None:
    def short(texts: list[str], context: list[About]) -> list[float]:
        return [0.5 if about.label == "good" else float("-inf") for about in context]

    assert score(make(short), "a", 1) == 0.5
    assert score(make(short), "a", 0) == 0
    assert score(make(short, confidence=1.0), "a", 1) == pytest.approx(0.375)
    assert score(make(short, own=0.0), "a", 0) == 1


def test_a_metric_out_of_range_is_named() -> None:
    with pytest.raises(UserError, match="long: 7 for 'a b'; numbers between 0 and 1 are wanted"):
        make(long).parts(["a b"], np.array([1]))


def long(texts: list[str]) -> list[float]:
    return [7.0] * len(texts)
