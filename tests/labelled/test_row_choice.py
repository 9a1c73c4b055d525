"""Which texts become rows: no copies, nothing of a test file, the best first."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sda.labelled.row_choice import (
    BARREN,
    COPY,
    HELD_OUT,
    LATER,
    NEAR_COPY,
    RULED_OUT,
    TWICE,
    UNSURE,
    RowChoice,
    choose,
    comparable,
)
from sda.labelled.worth import Parts
from sda.text.tokens import tokenizer

words = comparable(tokenizer("whitespace"))


class Told:
    """A worth that is what the last word of a text says."""

    names = ("bad", "good")

    def parts(self, texts: Sequence[str], labels: NDArray[np.int64]) -> Parts:
        found = np.array([float(text.split()[-1]) for text in texts])
        near = np.array(["near" in text for text in texts], float)
        nothing = np.zeros(len(texts), np.int64)
        return Parts(found, found, found, nothing, nothing, near)


def make(
    least: float = 0.5, originals: Sequence[str] = ("the A 0.9",), evidence: Any = None
) -> RowChoice:
    worth: Any = Told()
    never = {HELD_OUT: ["test 0.9"], COPY: originals}
    return RowChoice(worth, originals, words, least, 0.7, never, evidence)


def test_every_text_has_its_reason() -> None:
    choice = make()
    texts = ["The a  0.9", "test 0.9", "b 0.9", "B 0.9", "near 0.9", "c 0.4", "d 0", "e 0.5"]
    kept = choice.look(texts, "good")

    assert [one.text for one in kept] == ["b 0.9", "e 0.5"]
    assert {one.text: one.reason for one in choice.rejected} == {
        "The a  0.9": COPY,
        "test 0.9": HELD_OUT,
        "B 0.9": TWICE,
        "near 0.9": NEAR_COPY,
        "c 0.4": UNSURE,
        "d 0": RULED_OUT,
    }
    assert kept[0].figures()["nearest"] == "the A 0.9"


def test_what_speaks_against_the_label_is_the_reason() -> None:
    def evidence(texts: Sequence[str], label: int) -> list[str | None]:
        return [f"not {label}" if "x" in text else None for text in texts]

    choice = make(evidence=evidence)
    kept = choice.look(["the a 0.9", "x 0.9", "b 0.9"], "good")

    assert [one.text for one in kept] == ["b 0.9"]
    assert [one.reason for one in choice.rejected] == [COPY, "not 1"]


def test_the_best_are_taken_and_the_rest_is_told() -> None:
    choice = make()
    batches = {"bad": [["a 0.6", "b 0.9"], ["c 0.7", "d 0.8"]], "good": [["e 0.6"]]}

    def write(count: int, label: str, turn: int) -> list[str]:
        return batches[label][turn] if turn < len(batches[label]) else []

    found = choose(write, choice, {"bad": 2, "good": 2})

    assert [(one.text, one.label) for one in found] == [
        ("b 0.9", "bad"),
        ("d 0.8", "bad"),
        ("e 0.6", "good"),
    ]
    assert sorted(one.text for one in choice.rejected if one.reason == LATER) == ["a 0.6", "c 0.7"]


def test_writing_ends_when_it_is_late() -> None:
    turns: list[int] = []

    def write(count: int, label: str, turn: int) -> list[str]:
        turns.append(turn)
        return [f"x{turn} 0.9"]

    choose(write, make(), {"good": 9}, is_late=lambda: len(turns) == 3)
    assert turns == [0, 1, 2]


texts = st.lists(st.sampled_from("abcdef").map(lambda letter: f"{letter} 0.9"), max_size=8)


@given(texts, texts, st.integers(1, 4))
def test_no_row_is_an_original_or_another_row(
    originals: list[str], written: list[str], count: int
) -> None:
    choice = make(originals=[*originals, "z 0.9"])
    found = choose(lambda *_: written, choice, {"bad": count, "good": count})
    rows = [words(one.text) for one in found]

    assert len(rows) == len(set(rows))
    assert not set(rows) & set(map(words, originals))
    assert all(one.reason is None for one in found)


def test_figures_have_four_digits() -> None:
    (kept,) = make().look(["x 0.123456789"], "good") or make(0.1).look(["x 0.123456789"], "good")
    assert kept.figures()["score"] == pytest.approx(0.1235, abs=1e-12)


def test_writing_ends_where_nothing_would_do() -> None:
    """A label of which no text is believed costs a few rounds, not all."""
    asked: list[tuple[str, int]] = []

    def write(count: int, label: str, turn: int) -> list[str]:
        asked.append((label, turn))
        # The good one has a row in the fourth round, and none after it.
        value = 0.9 if (label, turn) == ("good", 3) else 0.1
        return [f"{label} {turn} {value}"]

    found = choose(write, make(), {"bad": 2, "good": 2})

    assert [one.text for one in found] == ["good 3 0.9"]
    turns = {label: [turn for name, turn in asked if name == label] for label in ("bad", "good")}
    assert turns == {"bad": list(range(BARREN)), "good": list(range(4 + BARREN))}
