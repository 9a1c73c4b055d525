"""Diversity scores of sets small enough to count by hand."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.evaluation.diversity import (
    copy_share,
    distinct,
    duplicate_share,
    mean_length,
    repetition,
)
from sda.text.sentences import Flat

SAMPLES = Flat.from_lists([[1, 2, 1, 2, 1], [1, 2], [], [3], [1, 2]])


def test_distinct_counts_over_all_samples() -> None:
    # Ten words, three of them different; six bigrams, of which (1, 2) and (2, 1) are different.
    assert distinct(SAMPLES, 1).value == pytest.approx(3 / 10)
    assert distinct(SAMPLES, 2).value == pytest.approx(2 / 6)
    assert distinct(SAMPLES, 2).name == "distinct-2"
    assert "hyps:5|ngrams:6|" in distinct(SAMPLES, 2).signature


def test_repetition_counts_within_each_sample() -> None:
    samples = Flat.from_lists([[1, 2, 1, 2, 1], [1, 2, 1], [4, 4, 4, 4, 4], [1, 2]])
    # Trigrams: 121 212 121, then 121, then 444 three times; the last sample has none.
    score = repetition(samples, 3)
    assert score.name == "seq-rep-3"
    assert score.value == pytest.approx((1 / 3 + 0 + 2 / 3) / 3)
    assert "hyps:3|of:4|" in score.signature


def test_scores_that_cannot_be_computed_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 3 words"):
        distinct(Flat.from_lists([[1, 2]]), 3)
    with pytest.raises(ValueError, match="at least 3 words"):
        repetition(Flat.from_lists([[1, 2]]), 3)
    for score in (mean_length, duplicate_share):
        with pytest.raises(ValueError, match="at least one sample"):
            score(Flat.from_lists([]))
    with pytest.raises(ValueError, match="at least one sample"):
        copy_share(Flat.from_lists([]), SAMPLES)


def test_length_is_the_mean_number_of_words() -> None:
    assert mean_length(SAMPLES).value == pytest.approx(2.0)
    assert mean_length(SAMPLES).higher_is_better is None


def test_duplicate_share_is_one_minus_distinct_over_all() -> None:
    assert duplicate_share(SAMPLES).value == pytest.approx(1 / 5)
    assert "formula:1-distinct/all" in duplicate_share(SAMPLES).signature
    assert duplicate_share(Flat.from_lists([[1], [2]])).value == 0.0


def test_copy_share_wants_the_whole_sentence() -> None:
    train = Flat.from_lists([[1, 2], [1, 2, 1, 2, 1, 2], [1, 3]])
    assert copy_share(SAMPLES, train).value == pytest.approx(2 / 5)
    assert copy_share(SAMPLES, Flat.from_lists([])).value == 0.0
    assert "train:3|hyps:5|" in copy_share(SAMPLES, train).signature


lists_of_sentences = st.lists(
    st.lists(st.integers(0, 2), max_size=7), min_size=1, max_size=6
).filter(lambda sentences: any(len(sentence) >= 3 for sentence in sentences))


@settings(deadline=None)
@given(lists_of_sentences, lists_of_sentences)
def test_scores_equal_counting_with_sets(samples: list[list[int]], train: list[list[int]]) -> None:
    flat = Flat.from_lists(samples)
    trigrams = [
        Counter(tuple(s[i : i + 3]) for i in range(len(s) - 2)) for s in samples if len(s) >= 3
    ]
    pooled = sum(trigrams, Counter[tuple[int, ...]]())
    repeats = [1 - len(counts) / counts.total() for counts in trigrams]
    sentences = {tuple(sentence) for sentence in samples}
    copies = [sample in train for sample in samples]
    assert distinct(flat, 3).value == pytest.approx(len(pooled) / pooled.total())
    assert repetition(flat, 3).value == pytest.approx(sum(repeats) / len(repeats))
    assert duplicate_share(flat).value == pytest.approx(1 - len(sentences) / len(samples))
    assert copy_share(flat, Flat.from_lists(train)).value == pytest.approx(
        sum(copies) / len(copies)
    )
