"""Start and result side by side, by hand: what is beyond its limit, and what was bought."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.scoring.comparison import (
    Change,
    Comparison,
    Quality,
    compare,
    compare_quality,
    find_changes,
)
from sda.settings.schema import HandOverSettings
from sda.text.sentences import Flat

LIMITS = HandOverSettings()
FIGURES = {
    "duplicate_share": 0.003,
    "copy_share": 0.04,
    "self_bleu_5": 0.2,
    "mauve_ngram": 0.94,
    "reverse_lm_perplexity": math.e**4,
}


def compared(quality: Quality | None = None, **figures: float) -> Comparison:
    return Comparison(tuple(find_changes(FIGURES, FIGURES | figures, LIMITS)), quality)


def quality(start: float, result: float, error: float = 0.01) -> Quality:
    return Quality("grammatical", start, result, error, 200, 1.64)


@pytest.mark.parametrize(
    ("figure", "within", "beyond"),
    [
        ("duplicate_share", 0.023, 0.024),
        ("copy_share", 0.05, 0.051),
        ("self_bleu_5", 0.24, 0.241),
        ("mauve_ngram", 0.91, 0.909),
        ("reverse_lm_perplexity", math.e**4.2, math.e**4.201),
    ],
)
def test_each_figure_has_its_limit(figure: str, within: float, beyond: float) -> None:
    assert compared(**{figure: within}).broken == []
    (broken,) = compared(**{figure: beyond}).broken
    assert broken.name == figure.replace("_", "-")


@pytest.mark.parametrize("figure", FIGURES)
def test_better_is_never_broken(figure: str) -> None:
    best = 1.0 if figure in ("mauve_ngram", "reverse_lm_perplexity") else 0.0

    assert compared(**{figure: best}).broken == []


def test_a_figure_that_one_side_lacks_has_no_limit() -> None:
    assert find_changes({"copy_share": 0.0}, {"duplicate_share": 1.0}, LIMITS) == []


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            compared(quality(0.66, 0.93), self_bleu_5=0.22, copy_share=0.03),
            "Stage II bought: grammatical 0.66 to 0.93 (metric, 200 sentences) for self-BLEU-5 0.2"
            " to 0.22, at 280 updates.",
        ),
        (
            compared(quality(0.66, 0.93), duplicate_share=0.0031),
            "Stage II bought: grammatical 0.66 to 0.93 (metric, 200 sentences) with no figure of"
            " diversity worse, at 280 updates.",
        ),
        (
            compared(quality(0.66, 0.93), duplicate_share=0.23, mauve_ngram=0.43),
            "Stage II bought nothing: the start is used (duplicates rose from 0.3 % to 23.0 %, more"
            " than 2 points; MAUVE on n-grams fell from 0.94 to 0.43, more than 0.03).",
        ),
        (
            compared(quality(0.66, 0.93), reverse_lm_perplexity=math.e**5),
            "Stage II bought nothing: the start is used (reverse perplexity rose from 54.6 to 148,"
            " more than 5 % of its logarithm).",
        ),
        (
            compared(quality(0.71, 0.71)),
            "Stage II bought nothing: the start is used (the metric did not rise: grammatical 0.71"
            " to 0.71).",
        ),
        (
            compared(quality(0.71, 0.72)),
            "Stage II bought nothing: the start is used (that the metric rose may be chance:"
            " grammatical 0.71 to 0.72).",
        ),
        (
            compared(None),
            "Stage II bought nothing: the start is used (no metric scored its sentences).",
        ),
    ],
)
def test_one_sentence(found: Comparison, sentence: str) -> None:
    assert found.sentence("Stage II", "280 updates") == sentence
    assert found.is_bought == ("bought:" in sentence)
    assert Comparison.from_dict(json.loads(json.dumps(found.as_dict()))) == found


def test_the_error_of_a_difference() -> None:
    # Variances 2 and 8 over two sentences each: the error is the root of 1 + 4.
    found = compare_quality("x", np.array([0.0, 2.0]), np.array([3.0, 7.0]), needed=1.64)

    assert found == Quality("x", 1.0, 5.0, math.sqrt(5.0), 2, 1.64)
    assert found.has_risen
    found = compare_quality("x", np.array([0.0, 2.0]), np.array([3.0, 7.0]), needed=2.0)
    assert found is not None and not found.has_risen


def test_what_the_metric_rules_out_counts_as_the_worst() -> None:
    start, result = np.array([-np.inf, 4.0]), np.array([1.0, -np.inf])
    found = compare_quality("x", start, result, needed=1.0)

    assert found is not None
    assert (found.start, found.result) == (2.5, 1.0)


def test_a_metric_that_rules_everything_out_has_not_risen() -> None:
    nothing = np.full(3, -np.inf)
    found = compare_quality("x", nothing, nothing, needed=0.0)

    assert found == Quality("x", 0.0, 0.0, 0.0, 3, 0.0)
    assert not found.has_risen


def test_one_sentence_says_nothing_of_quality() -> None:
    assert compare_quality("x", np.zeros(1), np.ones(1), needed=1.0) is None


def test_a_rise_without_spread_counts() -> None:
    found = compare_quality("x", np.zeros(5), np.ones(5), needed=1.64)

    assert found is not None and found.has_risen


@given(
    st.lists(st.floats(-1e6, 1e6) | st.just(-math.inf), min_size=2, max_size=20),
    st.floats(0.0, 3.0),
)
def test_a_result_like_the_start_is_never_bought(scores: list[float], needed: float) -> None:
    same = np.array(scores)

    assert not compared(compare_quality("x", same, same, needed)).is_bought


def words(*lists: list[int]) -> Flat:
    return Flat.from_lists(lists)


REAL = [[1, 2, 3, 4, 5], [2, 3, 4, 5, 1], [3, 1, 2, 5, 4], [5, 1, 4, 2, 3]]


def test_figures_of_sentences() -> None:
    train = words([1, 2, 3, 4, 5], [9, 9, 9])
    start = words([2, 3, 4, 5, 1], [1, 4, 2, 3, 5], [3, 1, 2, 5, 4], [4, 1, 2, 5, 3])
    result = words(*([[1, 2, 3, 4, 5]] * 3), [3, 1, 2, 5, 4])
    found = {
        change.name: change
        for change in compare(start, result, words(*REAL), train, None, LIMITS).changes
    }

    assert set(found) == {
        "duplicate-share",
        "copy-share",
        "self-bleu-5",
        "mauve-ngram",
        "reverse-lm-perplexity",
    }
    assert found["duplicate-share"] == Change("duplicate-share", 0.0, 0.5, 0.02)
    assert found["copy-share"] == Change("copy-share", 0.0, 0.75, 0.01)
    assert found["self-bleu-5"].start < found["self-bleu-5"].result


@given(st.lists(st.lists(st.integers(1, 6), min_size=5, max_size=8), min_size=2, max_size=8))
def test_equal_sentences_break_no_limit(lists: list[list[int]]) -> None:
    same, real = words(*lists), words(*REAL)
    strict: Any = {name: 0.0 for name in ("duplicates", "copies", "self_bleu", "mauve", "reverse")}
    found = compare(same, same, real, real, None, HandOverSettings(**strict))

    assert found.broken == []
    assert not any(change.is_worse for change in found.changes)
