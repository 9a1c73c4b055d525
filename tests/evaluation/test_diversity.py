"""Diversity scores of sets small enough to count by hand."""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.evaluation.diversity import (
    distinct,
    duplicate_share,
    mean_length,
    ngram_entropy,
    repetition,
)
from sda.evaluation.score import Score
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
    with pytest.raises(ValueError, match="ngram-entropy-3 needs a sample of at least 3 words"):
        ngram_entropy(Flat.from_lists([[1, 2]]), 3)


def test_length_is_the_mean_number_of_words() -> None:
    assert mean_length(SAMPLES).value == pytest.approx(2.0)
    assert mean_length(SAMPLES).higher_is_better is None


def test_duplicate_share_is_one_minus_distinct_over_all() -> None:
    assert duplicate_share(SAMPLES).value == pytest.approx(1 / 5)
    assert "formula:1-distinct/all" in duplicate_share(SAMPLES).signature
    assert duplicate_share(Flat.from_lists([[1], [2]])).value == 0.0


def test_entropy_by_hand() -> None:
    # Bigrams: 12 four times and 21 twice.
    score = ngram_entropy(SAMPLES, 2)
    assert score.value == pytest.approx(-(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3)))
    assert (score.name, score.higher_is_better) == ("ngram-entropy-2", True)
    assert "hyps:5|ngrams:6|ci:jackknife|" in score.signature
    assert ngram_entropy(Flat.from_lists([[1, 2, 3, 4]]), 1).value == pytest.approx(math.log(4))
    assert ngram_entropy(Flat.from_lists([[1, 1, 1]] * 4), 2).value == 0.0


def random_samples(count: int, seed: int) -> Flat:
    rng = np.random.default_rng(seed)
    return Flat.from_lists([rng.integers(0, 9, rng.integers(0, 9)).tolist() for _ in range(count)])


@pytest.mark.parametrize(
    "score",
    [duplicate_share, lambda some: distinct(some, 2), lambda some: ngram_entropy(some, 2)],
    ids=["duplicates", "distinct", "entropy"],
)
def test_scores_of_a_set_vary_as_their_intervals_say(score: Callable[[Flat], Score]) -> None:
    found = [score(random_samples(500, seed)) for seed in range(60)]
    spread = np.std([one.value for one in found], ddof=1)
    widths = [one.interval[1] - one.interval[0] for one in found if one.interval is not None]

    assert len(widths) == 60
    # The spread of 60 is known to 9 %, and a jackknife of 20 groups is a little too wide.
    assert np.mean(widths) / (2 * 1.96) == pytest.approx(spread, rel=0.4)


def test_an_interval_of_a_share_is_a_share() -> None:
    samples = Flat.from_lists([*([i, i] for i in range(99)), [0, 0]])
    interval = duplicate_share(samples).interval
    assert interval is not None
    assert 0.0 == interval[0] < 0.01 < interval[1] < 0.1


def test_few_samples_with_an_ngram_have_no_interval() -> None:
    samples = Flat.from_lists([[1]] * 100 + [[1, 2]] * 39)
    assert distinct(samples, 2).interval is None
    assert distinct(samples, 1).interval is not None


lists_of_sentences = st.lists(
    st.lists(st.integers(0, 2), max_size=7), min_size=1, max_size=6
).filter(lambda sentences: any(len(sentence) >= 3 for sentence in sentences))


@settings(deadline=None)
@given(lists_of_sentences)
def test_scores_equal_counting_with_sets(samples: list[list[int]]) -> None:
    flat = Flat.from_lists(samples)
    trigrams = [
        Counter(tuple(s[i : i + 3]) for i in range(len(s) - 2)) for s in samples if len(s) >= 3
    ]
    pooled = sum(trigrams, Counter[tuple[int, ...]]())
    repeats = [1 - len(counts) / counts.total() for counts in trigrams]
    sentences = {tuple(sentence) for sentence in samples}
    shares = [count / pooled.total() for count in pooled.values()]
    assert distinct(flat, 3).value == pytest.approx(len(pooled) / pooled.total())
    assert repetition(flat, 3).value == pytest.approx(sum(repeats) / len(repeats))
    assert duplicate_share(flat).value == pytest.approx(1 - len(sentences) / len(samples))
    entropy = -sum(share * math.log(share) for share in shares)
    assert ngram_entropy(flat, 3).value == pytest.approx(entropy, abs=1e-12)
