"""Vectors of texts are made once, and as many are kept as memory bears."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from sda.labelled import label_classifiers
from sda.labelled.label_classifiers import KeptVectors


class Lengths:
    """Makes the length of each text, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float64]:
        self.asked.append(list(texts))
        return np.array([[len(text)] for text in texts], float)


def test_each_text_is_asked_about_once() -> None:
    make = Lengths()
    vectors = KeptVectors(make)

    assert vectors(["bb", "a", "bb"]).tolist() == [[2], [1], [2]]
    assert vectors(["a", "ccc"]).tolist() == [[1], [3]]
    assert vectors(["ccc", "bb"]).tolist() == [[3], [2]]
    assert make.asked == [["bb", "a"], ["ccc"]]


def test_no_more_are_kept_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_classifiers, "MOST_KEPT", 2)
    make = Lengths()
    vectors = KeptVectors(make)
    for texts in (["a", "bb"], ["bb", "ccc"], ["a"]):
        assert vectors(texts).tolist() == [[len(text)] for text in texts]

    # What was known is asked again where it had to go.
    assert make.asked == [["a", "bb"], ["bb", "ccc"], ["a"]]
