"""BLEU agrees with hand-worked cases, with a direct version and with nltk."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

import textbook_bleu
from sda.text.sentence_bleu import References, self_bleu
from sda.text.sentences import Flat

ORDERS = 5
WEIGHTS = [(1 / n,) * n for n in range(1, ORDERS + 1)]
METHOD1 = SmoothingFunction().method1

# Few words make repeats and ties of length common; zero to nine words reach past both ends.
sentences_of_few_words = st.lists(st.integers(0, 2), max_size=9)


def nltk_bleu(references: list[list[int]], hypothesis: list[int]) -> list[float]:
    return list(sentence_bleu(references, hypothesis, WEIGHTS, smoothing_function=METHOD1))


def random_sentences(count: int, rng: np.random.Generator) -> list[list[int]]:
    return [(rng.zipf(1.3, int(rng.integers(0, 25))) % 300).tolist() for _ in range(count)]


def test_a_copy_scores_one_and_strangers_zero() -> None:
    references = References(Flat.from_lists([[1, 2, 3, 4, 5, 6]]))
    scores = references.bleu(Flat.from_lists([[1, 2, 3, 4, 5, 6], [7, 8, 9], []]))
    np.testing.assert_allclose(scores, [[1.0] * 5, [0.0] * 5, [0.0] * 5], rtol=0, atol=1e-15)


def test_counts_are_clipped_at_the_best_single_reference() -> None:
    # Word 1 stands twice in one reference and twice in another: two of four count, not four.
    references = References(Flat.from_lists([[1, 1, 2, 3], [1, 1, 4, 5]]), orders=2)
    score = references.bleu(Flat.from_lists([[1, 1, 1, 1]]))[0]
    np.testing.assert_allclose(score, [2 / 4, math.sqrt(2 / 4 * 1 / 3)], rtol=1e-15)


def test_a_zero_count_becomes_a_tenth() -> None:
    references = References(Flat.from_lists([[1, 2, 3]]), orders=2)
    score = references.bleu(Flat.from_lists([[3, 2, 1]]))[0]
    np.testing.assert_allclose(score, [1.0, math.sqrt(0.1 / 2)], rtol=1e-15)


def test_a_hypothesis_shorter_than_the_order_divides_by_one() -> None:
    references = References(Flat.from_lists([[1]]), orders=3)
    score = references.bleu(Flat.from_lists([[1]]))[0]
    np.testing.assert_allclose(score, [1.0, 0.1 ** (1 / 2), 0.01 ** (1 / 3)], rtol=1e-15)


@pytest.mark.parametrize(
    ("reference_lengths", "closest"),
    [((4, 8), 4), ((8, 4), 4), ((7, 4), 7), ((6,), 6), ((9, 20), 9), ((1, 2), 2)],
)
def test_the_closest_reference_length_counts(
    reference_lengths: tuple[int, ...], closest: int
) -> None:
    references = References(Flat.from_lists([[1] * n for n in reference_lengths]), orders=1)
    score = references.bleu(Flat.from_lists([[1] * 6]))[0, 0]
    precision = min(6, max(reference_lengths)) / 6
    brevity = math.exp(min(0, 1 - closest / 6))
    assert score == pytest.approx(precision * brevity, abs=1e-15)


def test_self_bleu_leaves_only_the_sentence_itself_out() -> None:
    # A twin is still there for the first two; the third meets no word of its own.
    scores = self_bleu(Flat.from_lists([[1, 2], [1, 2], [3]]), orders=2)
    np.testing.assert_allclose(scores, [[1, 1], [1, 1], [0, 0]], rtol=0, atol=1e-15)


def test_self_bleu_clips_a_holder_at_the_second_largest_count() -> None:
    scores = self_bleu(Flat.from_lists([[1, 1, 1], [1, 1, 2], [1, 2, 2]]), orders=1)
    np.testing.assert_allclose(scores[:, 0], [2 / 3, 3 / 3, 2 / 3], rtol=1e-15)


def test_too_few_sentences_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one reference"):
        References(Flat.from_lists([]))
    with pytest.raises(ValueError, match="at least two"):
        self_bleu(Flat.from_lists([[1, 2, 3]]))


def test_no_hypotheses_have_no_scores() -> None:
    assert References(Flat.from_lists([[1]])).bleu(Flat.from_lists([])).shape == (0, 5)


def test_both_ways_are_the_two_comparisons() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        first = Flat.from_lists(random_sentences(int(rng.integers(1, 40)), rng))
        second = Flat.from_lists(random_sentences(int(rng.integers(1, 40)), rng))
        there, back = References(first, both_ways=True).bleu_both_ways(second)
        np.testing.assert_array_equal(there, References(first).bleu(second))
        np.testing.assert_array_equal(back, References(second).bleu(first))
    with pytest.raises(ValueError, match="both ways"):
        References(first).bleu_both_ways(second)


def test_references_can_be_used_again() -> None:
    references = References(Flat.from_lists([[1, 1, 2], [2, 3]]))
    hypotheses = Flat.from_lists([[1, 1, 3], [2, 3, 3]])
    np.testing.assert_array_equal(references.bleu(hypotheses), references.bleu(hypotheses))


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(
    st.lists(sentences_of_few_words, min_size=1, max_size=5),
    st.lists(sentences_of_few_words, min_size=1, max_size=4),
)
def test_bleu_equals_nltk_and_the_definition(
    references: list[list[int]], hypotheses: list[list[int]]
) -> None:
    scores = References(Flat.from_lists(references)).bleu(Flat.from_lists(hypotheses))
    for hypothesis, row in zip(hypotheses, scores, strict=True):
        np.testing.assert_allclose(row, nltk_bleu(references, hypothesis), rtol=0, atol=1e-12)
        direct = [textbook_bleu.sentence_bleu(references, hypothesis, n) for n in range(1, 6)]
        np.testing.assert_allclose(row, direct, rtol=0, atol=1e-12)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(st.lists(sentences_of_few_words, min_size=2, max_size=6))
def test_self_bleu_equals_nltk_and_the_definition(sentences: list[list[int]]) -> None:
    scores = self_bleu(Flat.from_lists(sentences))
    by_order = [textbook_bleu.self_bleu(sentences, n) for n in range(1, 6)]
    np.testing.assert_allclose(scores.T, by_order, rtol=0, atol=1e-12)
    for place, row in enumerate(scores):
        others = sentences[:place] + sentences[place + 1 :]
        np.testing.assert_allclose(row, nltk_bleu(others, sentences[place]), rtol=0, atol=1e-12)


def test_self_bleu_equals_references_without_the_sentence() -> None:
    sentences = random_sentences(300, np.random.default_rng(1))
    scores = self_bleu(Flat.from_lists(sentences))
    for place in range(0, 300, 7):
        others = References(Flat.from_lists(sentences[:place] + sentences[place + 1 :]))
        alone = others.bleu(Flat.from_lists([sentences[place]]))[0]
        np.testing.assert_array_equal(scores[place], alone)


@pytest.mark.slow
def test_larger_sets_equal_nltk() -> None:
    rng = np.random.default_rng(2)
    references, hypotheses = random_sentences(400, rng), random_sentences(40, rng)
    scores = References(Flat.from_lists(references)).bleu(Flat.from_lists(hypotheses))
    expected = [nltk_bleu(references, hypothesis) for hypothesis in hypotheses]
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)
