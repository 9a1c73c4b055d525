"""Streams are those of SplitMix64, and their numbers have the distributions they promise."""

import numpy as np
import pytest

from sda.text.streams import Stream, below, geometric, start_stream, uniform

MASK = 2**64 - 1


def stream_of(seed: int, number: int = 0) -> Stream:
    stream = np.zeros(1, np.uint64)
    start_stream(stream, seed, number)
    return stream


def split_mix(state: int) -> tuple[int, int]:
    """The next state and its output, in whole numbers of any size."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    value = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return state, value ^ (value >> 31)


def test_numbers_are_those_of_split_mix() -> None:
    stream = np.zeros(1, np.uint64)
    state, value = split_mix(0)
    assert value == 0xE220A8397B1DCDAF  # the first output for seed 0 that the authors give

    assert uniform(stream) == (value >> 11) / 2**53
    state, value = split_mix(state)
    assert uniform(stream) == (value >> 11) / 2**53


def test_seed_and_number_both_tell_streams_apart() -> None:
    firsts = {uniform(stream_of(seed, number)) for seed in range(20) for number in range(20)}

    assert len(firsts) == 400
    assert uniform(stream_of(3, 4)) == uniform(stream_of(3, 4))


def test_whole_numbers_are_equally_likely() -> None:
    stream = stream_of(1)
    counts = np.bincount([below(stream, 5) for _ in range(20_000)], minlength=5)

    assert len(counts) == 5
    assert np.abs(counts - 4000).max() < 5 * np.sqrt(20_000 * 0.2 * 0.8)


@pytest.mark.parametrize(("ratio", "n"), [(0.5, 4), (0.9, 3), (0.1, 2), (0.99999999, 3)])
def test_geometric_numbers_are_cut_at_n(ratio: float, n: int) -> None:
    stream = stream_of(2)
    counts = np.bincount([geometric(stream, ratio, n) for _ in range(20_000)], minlength=n)
    expected = ratio ** np.arange(n)
    expected *= 20_000 / expected.sum()

    assert len(counts) == n
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected) + 1).all()


def test_a_ratio_of_zero_leaves_the_first() -> None:
    assert geometric(stream_of(0), 0.0, 9) == 0
