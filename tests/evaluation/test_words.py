"""Rare words and lengths of sets small enough to count by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.evaluation.score import Score
from sda.evaluation.words import (
    length_distance,
    length_scores,
    rare_word_scores,
    type_count,
)
from sda.text.sentences import Flat

# Word 1 occurs five times, 2 twice, 3 once; word 4 never does.
TRAIN = Flat.from_lists([[1, 1, 2], [1, 2], [1, 3, 1]])


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def of_lengths(*lengths: int) -> Flat:
    return Flat.from_lists([[1] * length for length in lengths])


def test_rare_words_by_hand() -> None:
    samples = Flat.from_lists([[1, 2, 2, 3], [1, 1], [], [4, 2]])
    scores = by_name(rare_word_scores(samples, TRAIN))
    # Rare are 2 and 3, in two of four samples and four of eight words; 4 is new and not rare.
    assert {name: score.value for name, score in scores.items()} == {
        "rare-sentence-share": 2 / 4,
        "rare-word-share": 4 / 8,
        "rare-types": 2.0,
    }
    assert {score.higher_is_better for score in scores.values()} == {None}
    for score in scores.values():
        assert score.signature.startswith("train:3|threshold:3|hyps:4|words:8|ci:")


def test_the_threshold_can_be_given() -> None:
    samples = Flat.from_lists([[1, 2, 2, 3], [1, 1]])
    values = [score.value for score in rare_word_scores(samples, TRAIN, threshold=2)]
    assert values == pytest.approx([1 / 2, 1 / 6, 1.0])
    assert [score.value for score in rare_word_scores(samples, TRAIN, 1)] == [0.0, 0.0, 0.0]
    assert "threshold:6|" in rare_word_scores(samples, TRAIN, 6)[0].signature


def test_no_word_is_rare_beside_nothing() -> None:
    values = [score.value for score in rare_word_scores(TRAIN, Flat.from_lists([]))]
    assert values == [0.0, 0.0, 0.0]


sentence_lists = st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=8)


@settings(deadline=None)
@given(sentence_lists.filter(any), sentence_lists, st.integers(1, 6))
def test_rare_words_equal_counting_one_by_one(
    samples: list[list[int]], train: list[list[int]], threshold: int
) -> None:
    words = [word for sentence in train for word in sentence]
    rare = {word for word in words if words.count(word) < threshold}
    used = [word for sentence in samples for word in sentence]
    scores = rare_word_scores(Flat.from_lists(samples), Flat.from_lists(train), threshold)
    assert [score.value for score in scores] == pytest.approx(
        [
            sum(bool(rare & set(sentence)) for sentence in samples) / len(samples),
            sum(word in rare for word in used) / len(used),
            len(rare & set(used)),
        ]
    )
    assert type_count(Flat.from_lists(samples)).value == len(set(used))


def test_intervals_of_rare_words_vary_as_they_say() -> None:
    train = Flat.from_lists([[word] for word in range(40) for _ in range(word % 8 + 1)])
    found = []
    for seed in range(60):
        ids = np.random.default_rng(seed).integers(0, 40, 900).astype(np.int32)
        samples = Flat(ids, np.arange(0, 901, 3))
        found.append([s for s in rare_word_scores(samples, train) if s.name != "rare-types"])
    for scores in zip(*found, strict=True):
        spread = np.std([score.value for score in scores], ddof=1)
        widths = [s.interval[1] - s.interval[0] for s in scores if s.interval is not None]
        assert len(widths) == 60
        # The spread of 60 is known to 9 %.
        assert np.mean(widths) / (2 * 1.96) == pytest.approx(spread, rel=0.3)


def test_types_are_different_words() -> None:
    score = type_count(Flat.from_lists([[5, 1, 5], [], [1]]))
    assert (score.name, score.value, score.interval) == ("types", 2.0, None)
    assert "hyps:3|words:4|ci:jackknife|" in score.signature
    assert type_count(Flat.from_lists([[]])).value == 0.0


def test_lengths_by_hand() -> None:
    scores = by_name(length_scores(of_lengths(*range(1, 101))))
    assert list(scores) == ["length-sd", "length-q05", "length-q50", "length-q95"]
    # The numbers 1 to n have the variance (n^2 - 1) / 12.
    assert scores["length-sd"].value == pytest.approx(((100**2 - 1) / 12) ** 0.5)
    assert [scores[f"length-q{q}"].value for q in ("05", "50", "95")] == [5.0, 50.0, 95.0]
    assert scores["length-q50"].interval == (40.0, 60.0)
    assert scores["length-sd"].interval is not None
    assert {score.higher_is_better for score in scores.values()} == {None}


def test_the_distance_of_lengths_by_hand() -> None:
    real = of_lengths(1, 2, 2, 3)
    assert length_distance(real, real).value == 0.0
    assert length_distance(of_lengths(3, 1), of_lengths(1, 1, 3, 3)).value == 0.0
    assert length_distance(of_lengths(4, 5), real).value == 1.0
    # Shares 1/2 of 2 and 1/2 of 7 against 1/4, 1/2, 1/4: half of 1/4 + 1/4 + 1/2.
    score = length_distance(of_lengths(2, 7), real)
    assert score.value == pytest.approx(0.5)
    assert (score.name, score.higher_is_better) == ("length-distance", False)
    assert "real:4|hyps:2|ci:jackknife|" in score.signature
    assert length_distance(real, of_lengths(2, 7)).value == pytest.approx(0.5)


def test_the_interval_of_a_distance_is_within_its_bounds() -> None:
    rng = np.random.default_rng(0)
    real = of_lengths(*rng.integers(1, 9, 400).tolist())
    samples = of_lengths(*rng.integers(1, 9, 400).tolist(), 20)
    low, high = length_distance(samples, real).interval or (-1.0, 2.0)
    assert 0.0 <= low < length_distance(samples, real).value < high <= 1.0


def test_scores_that_cannot_be_computed_are_refused() -> None:
    nothing = Flat.from_lists([])
    with pytest.raises(ValueError, match="at least one word"):
        rare_word_scores(Flat.from_lists([[], []]), TRAIN)
    for score in (type_count, length_scores):
        with pytest.raises(ValueError, match="at least one sample"):
            score(nothing)
    for samples, real in ((nothing, TRAIN), (TRAIN, nothing)):
        with pytest.raises(ValueError, match="at least one sample"):
            length_distance(samples, real)
