"""BLEU against references of one's own, by hand and by sacrebleu."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from sda.text.paired_bleu import count_pairs, stacked_bleu
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat
from sda.text.word_numbers import WordNumbers

TEXTS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9).map(" ".join)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=8)


def flats(*sets: list[str]) -> list[Flat]:
    numbers = WordNumbers(0)
    return [numbers.flat([text.split() for text in texts]) for texts in sets]


def test_counts_by_hand() -> None:
    hypotheses, first, second = flats(
        ["a a b", "c", ""], ["a b b b", "c d", "a"], ["a a", "d d d", "b b"]
    )

    counts = count_pairs(hypotheses, [first, second], orders=2)

    # Both a's are in the second reference, b and "a b" in the first; "a a" in the second.
    assert counts.matches.tolist() == [[3, 2], [1, 0], [0, 0]]
    assert counts.possible.tolist() == [[3, 2], [1, 0], [0, 0]]
    # Two and four words are as close to three: the shorter counts.
    assert counts.closest.tolist() == [2, 2, 1]
    assert counts.corpus_bleu() == pytest.approx(math.exp(1 - 5 / 4))


@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_the_corpus_score_is_that_of_sacrebleu(rows: list[tuple[str, str, str]]) -> None:
    hypotheses, *references = ([row[i] for row in rows] for i in range(3))
    numbered, *others = flats(hypotheses, *references)
    second = BLEU(tokenize="none", smooth_method="none", force=True)

    for used in (1, 2):
        wanted = second.corpus_score(hypotheses, references[:used]).score
        # sacrebleu rounds nothing, but gives up at another place where an order has no n-gram.
        found = count_pairs(numbered, others[:used]).corpus_bleu()
        if numbered.lengths.max() >= 4:
            assert 100 * found == pytest.approx(wanted)
        else:
            assert found == 0


@settings(max_examples=40, deadline=None)
@given(rows=ROWS)
def test_a_sentence_scores_as_against_a_set_of_its_references(
    rows: list[tuple[str, str, str]],
) -> None:
    hypotheses, first, second = flats(*([row[i] for row in rows] for i in range(3)))
    found = count_pairs(hypotheses, [first, second]).sentence_bleu()

    for row in range(len(rows)):
        here = np.array([row])
        own = References(Flat.join(first.take(here), second.take(here)), orders=4)
        assert found[row] == pytest.approx(own.bleu(hypotheses.take(here))[0])


def test_sums_of_a_selection_score_the_selection() -> None:
    hypotheses, references = flats(["a b c d", "b c d a e", "x"], ["a b c d", "b c d e", "y"])
    counts = count_pairs(hypotheses, [references])
    chosen = np.array([[1.0, 1, 0], [2, 0, 1]])
    taken = [np.array([0, 1]), np.array([0, 0, 2])]

    for score, rows in zip(stacked_bleu(chosen @ counts.stacked), taken, strict=True):
        again = count_pairs(hypotheses.take(rows), [references.take(rows)])
        assert score == pytest.approx(again.corpus_bleu())


def test_references_need_as_many_sentences() -> None:
    hypotheses, references = flats(["a", "b"], ["a"])

    with pytest.raises(ValueError, match="a place in each"):
        count_pairs(hypotheses, [references])
    with pytest.raises(ValueError, match="a place in each"):
        count_pairs(hypotheses, [])
