"""Which words of a source are hidden from the model that rewrites it."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sda.transfer.rewriting import GREEDY, LEAST_ODDS, RAW, Reading, candidate_ways

ODDS = torch.tensor([[0.0, 3.0, 2.2, 1.0], [0.0, 0.7, 0.9, 0.1], [0.0, 0.5, 0.2, 0.0]])


def test_a_threshold_hides_what_is_above_it() -> None:
    hidden = Reading(2.0).cuts(ODDS) < ODDS

    assert hidden.tolist() == [[False, True, True, False], [False] * 4, [False] * 4]
    assert not (Reading().cuts(ODDS) < ODDS).any()


def test_a_share_hides_the_strongest_words_of_every_sentence_that_has_style() -> None:
    hidden = Reading(2.5, 0.7).cuts(ODDS) < ODDS

    # 0.7 of 3.0 is 2.1, of 0.9 it is 0.63; what is below 0.6 is of no style.
    first, second, third = hidden.tolist()
    assert first == [False, True, True, False]
    assert second == [False, True, True, False]
    assert third == [False] * 4


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6), st.floats(0.6, 4), st.floats(0.1, 0.99))
def test_a_share_hides_at_least_what_the_threshold_hides(
    row: list[float], threshold: float, share: float
) -> None:
    odds = torch.tensor([row])
    alone, both = (odds > Reading(threshold, part).cuts(odds) for part in (1.0, share))

    assert not (alone & ~both).any()
    assert bool(both.any()) >= bool((odds * share).max() > LEAST_ODDS)


@pytest.mark.parametrize("reading", [Reading(), Reading(1.5), Reading(2.5, 0.7)])
def test_a_reading_survives_json(reading: Reading) -> None:
    assert Reading.from_dict(reading.as_dict()) == reading
    assert Reading.from_dict({"threshold": 1.5}) == Reading(1.5)  # as runs had it before


def test_candidates_begin_with_the_way_of_one_pass() -> None:
    ways = candidate_ways(5, Reading(1.5, 0.7), [1.0, 1.5, 2.5], 0.6)

    assert [reading for reading, _ in ways[:4]] == [
        Reading(1.5, 0.7),
        Reading(1.0),
        Reading(2.5),
        Reading(RAW),
    ]
    assert [decoding == GREEDY for _, decoding in ways] == [True] * 4 + [False]
