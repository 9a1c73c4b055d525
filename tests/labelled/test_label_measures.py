"""Folds, cutoffs, rules and gains by hand."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.errors import UserError
from sda.labelled.cutoffs import guesses_with, macro_f1, tuned_cutoff
from sda.labelled.helping import Gain, LabelGuesses, gain, recommend
from sda.labelled.label_classifiers import fold_numbers
from sda.labelled.word_rules import read_rules


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(2, 6), st.integers(0, 9))
def test_folds_are_even_in_all_and_in_each_label(labels: list[int], folds: int, seed: int) -> None:
    found = fold_numbers(np.array(labels), folds, seed)

    def spread(rows: np.ndarray) -> int:
        counts = np.bincount(rows, minlength=folds)
        return int(counts.max() - counts.min())

    assert spread(found) <= 1
    assert all(spread(found[np.array(labels) == label]) <= 1 for label in set(labels))


def test_macro_f1_by_hand() -> None:
    labels, guesses = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])

    # Label 0: precision 1, recall 2/3. Label 1: precision 1/2, recall 1.
    assert macro_f1(labels, guesses, 2) == pytest.approx((0.8 + 2 / 3) / 2)
    assert macro_f1(labels, guesses, 3) == pytest.approx((0.8 + 2 / 3) / 3)


def test_a_cutoff_finds_the_rare_label() -> None:
    # Shares of the rare label are low, and still higher than those of the others.
    labels = np.array([0] * 8 + [1] * 2)
    shares = np.array([[0.9, 0.1]] * 8 + [[0.7, 0.3]] * 2)
    cutoff = tuned_cutoff(shares, labels)

    assert macro_f1(labels, shares.argmax(1), 2) < 0.5
    assert macro_f1(labels, guesses_with(shares, cutoff), 2) == 1
    # Where nothing is to be gained nothing is moved.
    assert tuned_cutoff(np.eye(2)[labels], labels).tolist() == [0, 0]


def outcome(*guesses: list[int]) -> LabelGuesses:
    labels = tuple(np.array([0, 1] * (len(one) // 2)) for one in guesses)
    return LabelGuesses(labels, tuple(map(np.array, guesses)), 2)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=30))
def test_the_mean_gain_is_the_difference_of_macro_f1(rows: list[tuple[int, int, int]]) -> None:
    labels, first, second = (np.array(column) for column in zip(*rows, strict=True))
    one, other = LabelGuesses((labels,), (first,), 3), LabelGuesses((labels,), (second,), 3)

    found = gain(one, other)
    assert found.mean == pytest.approx(one.macro_f1 - other.macro_f1)
    assert found.low <= found.high


def test_an_interval_is_that_of_the_binomial() -> None:
    # One draw with two labels of 100 rows: all right against a tenth wrong of both labels, which
    # is a gain of 10 points with a standard error of 100 sqrt(0.1 * 0.9 / 200) = 2.12.
    labels = np.repeat([0, 1], 100)
    wrong = labels.copy()
    wrong[:10], wrong[100:110] = 1, 0
    found = gain(LabelGuesses((labels,), (labels,), 2), LabelGuesses((labels,), (wrong,), 2))

    assert found.mean == pytest.approx(10)
    assert found.low == pytest.approx(10 - 1.96 * 2.12, abs=1)
    assert found.high == pytest.approx(10 + 1.96 * 2.12, abs=1)


def test_a_gain_is_paired() -> None:
    good, poor = outcome([0, 1] * 20, [0, 1] * 20), outcome([0, 0] * 20, [0, 0] * 20)
    found = gain(good, poor)

    assert found.mean == pytest.approx(100 * (1 - 1 / 3))
    assert found.is_sure and found.low < found.mean < found.high
    assert gain(poor, good).high < 0
    assert gain(good, good) == Gain(0, 0, 0)


GUESSES = {"poor": [0, 0], "better": [0, 1]}


@pytest.mark.parametrize(
    ("ways", "way", "beginning"),
    [
        ({"EDA": "poor", "SDA": "poor"}, "rows as they are", "Do not augment: nothing"),
        (
            {"tuned cutoff": "better", "SDA": "better"},
            "tuned cutoff",
            "Do not augment: tune the cutoff: +66.7 points of macro-F1 (",
        ),
        ({"EDA": "poor", "SDA": "better"}, "SDA", "Augment with SDA: +66.7"),
        (
            {"EDA": "better", "SDA": "poor"},
            "EDA",
            "Augment with word edits (sda eda --method eda): +66.7",
        ),
        # What controls gain is no reason to do as they do.
        ({"SDA": "poor", "SDA, labels shuffled": "better"}, "rows as they are", "Do not"),
    ],
)
def test_the_cheapest_of_the_best_is_recommended(
    ways: dict[str, str], way: str, beginning: str
) -> None:
    known = {"rows as they are": "poor", **ways}
    found = recommend({name: outcome(*[GUESSES[kind] * 20] * 2) for name, kind in known.items()}, 0)

    assert found.way == way
    assert found.sentence.startswith(beginning)
    assert ("; SDA gives" in found.sentence) == (way != "SDA")


def scarce(*guesses: list[int]) -> LabelGuesses:
    labels = tuple(np.array([0] * 20 + [1] * 2) for _ in guesses)
    return LabelGuesses(labels, tuple(map(np.array, guesses)), 2)


def test_a_scarce_label_makes_the_cutoff_the_answer_unless_it_is_surely_worse() -> None:
    base = scarce([0] * 22, [0] * 22)
    found = recommend(
        {"rows as they are": base, "tuned cutoff": scarce([0] * 21 + [1], [0] * 22)}, 0
    )
    assert found.way == "tuned cutoff"
    assert "a label is scarce, and its few rows make no gain sure" in found.sentence
    # Surely worse, or surely beaten: something else.
    worse = scarce([1] * 20 + [0] * 2, [1] * 20 + [0] * 2)
    assert recommend({"rows as they are": base, "tuned cutoff": worse}, 0).way != "tuned cutoff"
    right = scarce([0] * 20 + [1] * 2, [0] * 20 + [1] * 2)
    ways = {"rows as they are": base, "tuned cutoff": base, "EDA": right}
    assert recommend(ways, 0).way == "EDA"
    # Labels that are about as frequent as each other need a gain that is sure.
    even = outcome([0, 0] * 20, [0, 0] * 20)
    assert recommend({"rows as they are": even, "tuned cutoff": even}, 0).way == "rows as they are"


def test_rules_vote_for_labels(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text("# notes\npos\tword: good great\nneg\t\\bnot\\b.*good\nneg\tword: bad\n")
    rules = read_rules(path, ("neg", "pos"))

    texts = ["Good food", "not very good", "goodness", "bad bad"]
    assert rules.votes(texts).tolist() == [[0, 1], [1, 1], [0, 0], [1, 0]]
    # A draw is no verdict.
    assert rules.verdicts(texts).tolist() == [1, -1, -1, 0]
    assert rules.shares(texts)[0] == pytest.approx([0.1, 0.9])
    assert rules.shares(texts)[2].tolist() == [0.5, 0.5]
    # Right about one row and wrong about the other: 10 of 12.
    assert rules.weighed(texts, np.array([1, 0, 0, 1])).right == pytest.approx(10 / 12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pos good\n", "line 1: write a label, a tab and a pattern"),
        ("good\tword: a\n", "line 1: no label 'good'; there are neg, pos"),
        ("pos\tword: a\npos\t(\n", "line 2: not a regular expression"),
        ("# nothing\n", "no rule in it"),
    ],
)
def test_mistakes_in_rules_are_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "rules.tsv").write_text(text)
    with pytest.raises(UserError, match=message):
        read_rules(tmp_path / "rules.tsv", ("neg", "pos"))
