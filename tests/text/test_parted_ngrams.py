"""What is numbered in parts has the numbers that it has without, whatever the parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.text import parted_ngrams
from sda.text.ngrams import find_ngrams, number_ngrams
from sda.text.parted_ngrams import Ngrams, number_in_parts
from sda.text.sentences import Flat

sentence_lists = st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=8)


@pytest.fixture(scope="module", params=[2, 2**14], ids=["many parts", "one part"], autouse=True)
def parts(request: pytest.FixtureRequest) -> None:
    parted_ngrams.PART, kept = request.param, parted_ngrams.PART
    request.addfinalizer(lambda: setattr(parted_ngrams, "PART", kept))


@settings(deadline=None)
@given(sentence_lists, sentence_lists)
def test_parts_change_no_number(sentences: list[list[int]], others: list[list[int]]) -> None:
    flat, strangers = Flat.from_lists(sentences), Flat.from_lists(others)
    expected_tables, expected = number_ngrams(flat, 4)
    tables, numbers = number_in_parts(flat, 4)

    assert [table.size for table in tables] == [table.size for table in expected_tables]
    assert [found.tolist() for found in numbers] == [found.tolist() for found in expected]
    for shown in (flat, strangers):
        found = [numbers.tolist() for numbers in found_in_parts(tables, shown)]
        assert found == [numbers.tolist() for numbers in find_ngrams(expected_tables, shown)]


def found_in_parts(
    tables: list[parted_ngrams.PartedPairs], sentences: Flat
) -> list[np.ndarray[tuple[int], np.dtype[np.int32]]]:
    found: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
    for table in tables:
        found.append(table.find(parted_ngrams.prefixes_of(sentences, found), sentences.ids))
    return found


@settings(deadline=None)
@given(sentence_lists)
def test_what_begins_like_no_other_is_numbered_all_the_same(sentences: list[list[int]]) -> None:
    flat = Flat.from_lists(sentences)
    ngrams = Ngrams(flat)
    for n in (3, 1, 4):
        assert ngrams.numbers(n).tolist() == number_ngrams(flat, n)[1][-1].tolist()


def test_tables_that_grow_keep_every_number() -> None:
    rng = np.random.default_rng(0)
    flat = Flat(rng.integers(0, 200, 20_000).astype(np.int32), np.arange(0, 20_001, 10))
    expected = number_ngrams(flat, 3)[1]
    numbers, ngrams = number_in_parts(flat, 3)[1], Ngrams(flat)
    for n in range(3):
        np.testing.assert_array_equal(numbers[n], expected[n])
        np.testing.assert_array_equal(ngrams.numbers(n + 1), expected[n])
