"""N-grams and sentences get equal numbers exactly when they are equal."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.text.ngrams import find_ngrams, number_ngrams, number_sentences, occurrences
from sda.text.sentences import Flat

sentence_lists = st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=8)


def ngram_ending_at(sentence: list[int], place: int, n: int) -> tuple[int, ...] | None:
    return tuple(sentence[place - n + 1 : place + 1]) if place + 1 >= n else None


def all_ngrams(sentences: list[list[int]], n: int) -> list[tuple[int, ...] | None]:
    return [
        ngram_ending_at(sentence, place, n)
        for sentence in sentences
        for place in range(len(sentence))
    ]


def test_numbers_count_up_in_order_of_appearance() -> None:
    tables, numbers = number_ngrams(Flat.from_lists([[5, 7, 5, 7], [7, 5]]), 3)
    assert [found.tolist() for found in numbers] == [
        [0, 1, 0, 1, 1, 0],
        [-1, 0, 1, 0, -1, 1],
        [-1, -1, 0, 1, -1, -1],
    ]
    assert [table.size for table in tables] == [2, 2, 2]


def test_no_ngram_crosses_from_one_sentence_to_the_next() -> None:
    tables, _ = number_ngrams(Flat.from_lists([[1, 2], [], [3], [4, 5], []]), 2)
    assert tables[1].size == 2


@settings(deadline=None)
@given(sentence_lists)
def test_equal_numbers_mean_equal_ngrams(sentences: list[list[int]]) -> None:
    tables, numbers = number_ngrams(Flat.from_lists(sentences), 4)
    for n, (table, found) in enumerate(zip(tables, numbers, strict=True), 1):
        ngrams = all_ngrams(sentences, n)
        assert [ngram is None for ngram in ngrams] == (found == -1).tolist()
        meaning = dict(zip(found.tolist(), ngrams, strict=True))
        assert [meaning[number] for number in found.tolist()] == ngrams
        known = {ngram for ngram in ngrams if ngram is not None}
        assert table.size == len(known) == len({number for number in meaning if number >= 0})


@settings(deadline=None)
@given(sentence_lists, sentence_lists)
def test_find_agrees_with_the_numbers_given(
    sentences: list[list[int]], others: list[list[int]]
) -> None:
    tables, numbers = number_ngrams(Flat.from_lists(sentences), 4)
    found = find_ngrams(tables, Flat.from_lists(others))
    for n in range(1, 5):
        known = dict(zip(all_ngrams(sentences, n), numbers[n - 1].tolist(), strict=True))
        expected = [known.get(ngram, -1) if ngram else -1 for ngram in all_ngrams(others, n)]
        assert found[n - 1].tolist() == expected


def test_ids_at_both_ends_of_their_range_stay_apart() -> None:
    extremes = [0, 1, 2**31 - 1, -1, -(2**31)]
    pairs = [[a, b] for a in extremes for b in extremes]
    tables, numbers = number_ngrams(Flat.from_lists(pairs), 2)
    assert tables[0].size == 5
    assert numbers[1][1::2].tolist() == list(range(25))


def test_tables_that_grow_many_times_keep_every_number() -> None:
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 200, 100_000).astype(np.int32)
    sentences = Flat(ids, np.arange(0, 100_001, 10))
    tables, numbers = number_ngrams(sentences, 3)
    columns = ids.reshape(-1, 10).astype(np.int64)
    bigrams = columns[:, :-1] * 200 + columns[:, 1:]
    trigrams = bigrams[:, :-1] * 200 + columns[:, 2:]
    assert [table.size for table in tables] == [
        200,
        len(np.unique(bigrams)),
        len(np.unique(trigrams)),
    ]
    for again, first in zip(find_ngrams(tables, sentences), numbers, strict=True):
        np.testing.assert_array_equal(again, first)


def test_nothing_has_no_ngrams() -> None:
    tables, numbers = number_ngrams(Flat.from_lists([]), 2)
    assert [table.size for table in tables] == [0, 0]
    assert find_ngrams(tables, Flat.from_lists([[1, 2]]))[0].tolist() == [-1, -1]
    assert [len(found) for found in numbers] == [0, 0]


@settings(deadline=None)
@given(sentence_lists)
def test_sentences_share_a_number_exactly_when_equal(sentences: list[list[int]]) -> None:
    numbers = number_sentences(Flat.from_lists(sentences)).tolist()
    for number, sentence in zip(numbers, sentences, strict=True):
        assert [other == number for other in numbers] == [other == sentence for other in sentences]


def test_many_sentences_keep_apart() -> None:
    ids = np.arange(20_000, dtype=np.int32) // 2
    numbers = number_sentences(Flat(ids, np.arange(0, 20_001, 1)))
    np.testing.assert_array_equal(numbers[::2], numbers[1::2])
    assert len(np.unique(numbers)) == 10_000


@settings(deadline=None)
@given(sentence_lists)
def test_occurrences_count_within_a_sentence(sentences: list[list[int]]) -> None:
    flat = Flat.from_lists(sentences)
    numbers = number_ngrams(flat, 2)[1][1]
    expected = []
    for sentence in sentences:
        ends = [ngram_ending_at(sentence, place, 2) for place in range(len(sentence))]
        expected += [ends[: i + 1].count(end) if end else 0 for i, end in enumerate(ends)]
    assert occurrences(numbers, flat).tolist() == expected
