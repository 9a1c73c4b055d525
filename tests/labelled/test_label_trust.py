"""Whether labels can be told: bounds by hand, and the sentences that say so."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.labelled.label_trust import SHOWN, Told, doubts
from sda.labelled.word_rules import WordRules

NAMES = ("bad", "good")


def test_bounds_by_hand() -> None:
    # All of n right: n / (n + z^2), with z = 1.645.
    assert Told(10, 10).low == pytest.approx(10 / 12.706, abs=1e-4)
    assert Told(10, 10).high == 1
    # Half of a hundred: 0.5 -+ 1.645 sqrt(0.25 / 100 + z^2 / 40000) / (1 + z^2 / 100).
    assert Told(50, 100).low == pytest.approx(0.4188, abs=1e-4)
    assert Told(50, 100).high == pytest.approx(0.5812, abs=1e-4)
    assert (Told(0, 0).low, Told(0, 0).high) == (0, 1)


@given(st.integers(0, 300), st.integers(0, 300))
def test_bounds_hold_the_share_and_mirror(right: int, wrong: int) -> None:
    told = Told(right, right + wrong)

    assert 0 <= told.low <= told.high <= 1
    if told.count:
        assert told.low <= right / told.count + 1e-12
        assert told.high >= right / told.count - 1e-12
    assert told.low == pytest.approx(1 - Told(wrong, right + wrong).high)
    assert Told(right + 1, right + 1 + wrong).low >= told.low - 1e-12


def test_ten_rows_of_a_label_never_show_that_it_can_be_told() -> None:
    assert Told(10, 10).low < SHOWN <= Told(11, 11).low
    texts, labels = ["a"] * 30, np.repeat((0, 1), (20, 10))
    found = doubts(NAMES, np.eye(2)[labels], texts, labels, None)

    assert list(found) == ["good"]
    assert "(10 of 10 rows that surely look like it are right" in found["good"]
    assert "--rules" in found["good"] and "--set least=0.9" in found["good"]


def test_only_sure_rows_count_and_mistakes_do() -> None:
    labels = np.repeat((0, 1), 50)
    shares = np.eye(2)[labels]
    # Rows that are told to be bad with less than 0.98 say nothing; twelve that are good do.
    shares[:45] = (0.97, 0.03)
    shares[50:62] = (1, 0)
    found = doubts(NAMES, shares, ["a"] * 100, labels, None)

    assert list(found) == ["bad"] and "5 of 17" in found["bad"]


def test_rules_are_believed_until_rows_show_otherwise() -> None:
    rules = WordRules((re.compile("nice"),), (1,), 2)
    texts = ["nice"] * 10 + ["-"] * 10
    nothing = np.full((20, 2), 0.5)

    # The label without a rule has to be shown by the rows.
    assert list(doubts(NAMES, nothing, texts, np.repeat((1, 0), 10), rules)) == ["bad"]
    wrong = np.repeat((1, 0), (6, 14))
    found = doubts(NAMES, nothing, texts, wrong, rules)
    assert "right about 6 of 10 rows" in found["good"] and "mend them" in found["good"]
    # Eight of ten may well be nine of ten.
    assert "good" not in doubts(NAMES, nothing, texts, np.repeat((1, 0), (8, 12)), rules)
