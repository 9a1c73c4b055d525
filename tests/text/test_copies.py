"""Copied runs and similar sentences, against a search through every sentence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.text.copies import copied_runs, most_similar
from sda.text.sentences import Flat

sentences = st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=8)


def runs(words: list[int], n: int) -> set[tuple[int, ...]]:
    return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}


def jaccard(one: list[int], other: list[int]) -> float:
    first, second = (runs(words, 1) | runs(words, 2) for words in (one, other))
    return len(first & second) / len(first | second) if first & second else 0.0


def test_runs_by_hand() -> None:
    found = copied_runs(Flat.from_lists([[1, 2, 3], [], [3, 1]]), Flat.from_lists([[2, 3], [1, 2]]))
    # All five words are known; 12 and 23 are runs, 31 is not; no sentence has three words.
    assert [ends.tolist() for ends in found] == [[0, 1, 2, 3, 4], [1, 2]]


def test_a_run_does_not_cross_from_one_sentence_to_the_next() -> None:
    apart, joined = Flat.from_lists([[1], [2]]), Flat.from_lists([[1, 2]])
    assert [ends.tolist() for ends in copied_runs(joined, apart)] == [[0, 1]]
    assert [ends.tolist() for ends in copied_runs(apart, joined)] == [[0, 1]]


def test_nothing_is_copied_from_nothing() -> None:
    nothing, something = Flat.from_lists([]), Flat.from_lists([[1, 2], []])
    assert list(copied_runs(something, nothing)) == []
    assert list(copied_runs(nothing, something)) == []


@settings(deadline=None)
@given(sentences, sentences)
def test_runs_equal_those_found_one_by_one(some: list[list[int]], source: list[list[int]]) -> None:
    flat = Flat.from_lists(some)
    found = list(copied_runs(flat, Flat.from_lists(source)))
    longest = max(
        (n for n in range(9) if any(runs(s, n) & runs(t, n) for s in some for t in source)),
        default=0,
    )
    assert len(found) == longest
    for n, ends in enumerate(found, 1):
        expected = [
            start + end
            for start, words in zip(flat.starts.tolist(), some, strict=False)
            for end in range(n - 1, len(words))
            if any(tuple(words[end - n + 1 : end + 1]) in runs(t, n) for t in source)
        ]
        assert ends.tolist() == expected


def test_the_most_similar_sentence_by_hand() -> None:
    source = Flat.from_lists([[5], [1, 2, 4], [1, 2, 3, 4], [1, 2, 3, 4]])
    best, similarity = most_similar(Flat.from_lists([[1, 2, 3], [1, 2, 3, 4], [], [9]]), source)
    # 1 2 3 12 23 against 1 2 3 4 12 23 34; the first of two equal sentences is taken.
    assert best.tolist() == [2, 2, 0, 0]
    assert similarity.tolist() == [5 / 7, 1.0, 0.0, 0.0]


def test_there_must_be_something_to_be_similar_to() -> None:
    with pytest.raises(ValueError, match="no sentence"):
        most_similar(Flat.from_lists([[1]]), Flat.from_lists([]))


@settings(deadline=None)
@given(sentences, sentences.filter(bool))
def test_the_most_similar_equals_comparing_every_pair(
    some: list[list[int]], source: list[list[int]]
) -> None:
    best, similarity = most_similar(Flat.from_lists(some), Flat.from_lists(source))
    table = np.array([[jaccard(s, t) for t in source] for s in some]).reshape(
        len(some), len(source)
    )
    np.testing.assert_allclose(similarity, table.max(axis=1, initial=0.0), atol=1e-15)
    assert best.tolist() == table.argmax(axis=1).tolist()
