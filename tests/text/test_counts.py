import json
from dataclasses import fields, replace

import pytest

from sda.text.counts import FileCounts, Summary


@pytest.fixture
def summary() -> Summary:
    """A text of which nothing was dropped."""
    text = FileCounts("text.txt", 1200, 0, 0, 0, 0, 0)
    return Summary(
        files=(text,),
        train=1000,
        valid=100,
        test=100,
        train_rare=0,
        train_over_limit=0,
        train_outside_share=0,
        valid_not_scored=0,
        test_not_scored=0,
        valid_in_train=0,
        test_in_train=3,
        vocabulary=50,
        words=9000,
        unknown_words=0,
        max_length=21,
    )


def test_rules_that_dropped_nothing_are_left_out(summary: Summary) -> None:
    assert summary.as_rows() == [
        ("text.txt", "1,200 lines"),
        ("training sentences", "1,000"),
        ("validation sentences", "100"),
        ("  also in training", "0"),
        ("test sentences", "100"),
        ("  also in training", "3"),
        ("vocabulary", "50"),
        ("running words in training", "9,000"),
        ("longest sentence, end counted", "21"),
    ]


def test_every_rule_that_dropped_something_has_a_row(summary: Summary) -> None:
    text = FileCounts("text.txt", 1200, blank=1, too_short=2, too_long=3, duplicate=4, shortened=5)
    full = replace(
        summary,
        files=(text, replace(text, file="test.txt", read=70, blank=0)),
        train_rare=6,
        train_over_limit=7,
        train_outside_share=11,
        valid_not_scored=8,
        test_not_scored=9,
        unknown_words=90,
    )

    rows = full.as_rows()

    assert rows[:11] == [
        ("text.txt", "1,200 lines"),
        ("  dropped: blank", "1"),
        ("  dropped: shorter than min_length", "2"),
        ("  dropped: longer than max_length", "3"),
        ("  dropped: duplicate", "4"),
        ("  cut at max_length", "5"),
        ("test.txt", "70 lines"),
        ("  dropped: shorter than min_length", "2"),
        ("  dropped: longer than max_length", "3"),
        ("  dropped: duplicate", "4"),
        ("  cut at max_length", "5"),
    ]
    assert ("  dropped: rare word", "6") in rows
    assert ("  left out: limit", "7") in rows
    assert ("  left out: share", "11") in rows
    assert ("  left out: word not in vocabulary", "8") in rows
    assert ("  without likelihood", "9") in rows
    assert ("running words in training", "9,000 (1.0% unknown)") in rows


def test_explained_in_one_line() -> None:
    counts = FileCounts("a.txt", 1200, blank=1, too_short=0, too_long=3, duplicate=0, shortened=5)

    assert counts.explained() == "1,200 lines read, dropped: 1 blank, 3 longer than max_length"
    clean = FileCounts("a.txt", 3, 0, 0, 0, 0, 0)
    assert clean.explained() == "3 lines read, dropped: none"


def test_dict_survives_json(summary: Summary) -> None:
    data = json.loads(json.dumps(summary.as_dict()))

    assert data["files"][0]["read"] == 1200
    assert data["test_in_train"] == 3
    assert data.keys() == {field.name for field in fields(Summary)}
