from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sda.text.sentences import Flat
from sda.text.similarity import keep_dissimilar


def brute_force(sentences: list[list[int]], limit: float) -> list[int]:
    sets = [set(pairwise(words)) for words in sentences]
    kept: list[int] = []
    for i, bigrams in enumerate(sets):
        overlaps = [
            len(bigrams & sets[j]) / len(bigrams | sets[j]) for j in kept if bigrams | sets[j]
        ]
        if all(overlap < limit for overlap in overlaps):
            kept.append(i)
    return kept


# Tenths such as 0.3 are rounded, so that limits are chosen which no fraction of small sets equals.
@given(
    st.lists(st.lists(st.integers(0, 3), max_size=7), max_size=15),
    st.sampled_from([0.07, 0.23, 0.5, 0.77, 0.97, 1.0]),
)
def test_keeps_what_comparing_every_pair_keeps(sentences: list[list[int]], limit: float) -> None:
    kept = keep_dissimilar(Flat.from_lists(sentences), limit)

    assert kept.tolist() == brute_force(sentences, limit)


def test_one_word_is_never_alike() -> None:
    assert keep_dissimilar(Flat.from_lists([[1], [1], [1, 1], [1]]), 0.1).tolist() == [0, 1, 2, 3]


def test_half_the_bigrams_in_common_by_hand() -> None:
    # Bigrams 12 23 34 and 12 23 35: two of four are common.
    sentences = Flat.from_lists([[1, 2, 3, 4], [1, 2, 3, 5]])

    assert keep_dissimilar(sentences, 0.5).tolist() == [0]
    assert keep_dissimilar(sentences, 0.51).tolist() == [0, 1]


def test_a_sentence_like_one_that_was_left_out_may_stay() -> None:
    # The second is like the first, the third like the second only.
    sentences = Flat.from_lists([[1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]])

    assert keep_dissimilar(sentences, 0.5).tolist() == [0, 2]
