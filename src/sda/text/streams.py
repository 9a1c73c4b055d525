"""Random numbers inside compiled loops: a stream of their own for every sentence.

What is drawn for a sentence depends on the seed and on the sentence's number alone, so a text gives
the same result in whatever portions it is handed over. The numbers are those of SplitMix64 (Steele,
Lea and Flood 2014).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sda.text.compiled import compiled

Stream = NDArray[np.uint64]
"""(1,), the state: it moves on with every number drawn."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_FIRST_SHIFT = np.uint64(30)
_SECOND_SHIFT = np.uint64(27)
_THIRD_SHIFT = np.uint64(31)
_TO_53_BITS = np.uint64(11)


@compiled
def mixed(value: np.uint64) -> np.uint64:
    """The value with all its bits stirred; different values stay different."""
    value = (value ^ (value >> _FIRST_SHIFT)) * _FIRST_FACTOR
    value = (value ^ (value >> _SECOND_SHIFT)) * _SECOND_FACTOR
    return value ^ (value >> _THIRD_SHIFT)


@compiled
def start_stream(stream: Stream, seed: int, number: int) -> None:
    """The stream stands at the beginning of the one that seed and number name."""
    stream[0] = mixed(mixed(np.uint64(seed) + _STEP) + np.uint64(number))


@compiled
def uniform(stream: Stream) -> float:
    """A number from 0 to below 1."""
    stream[0] += _STEP
    return float(mixed(stream[0]) >> _TO_53_BITS) * 2.0**-53


@compiled
def below(stream: Stream, n: int) -> int:
    """A whole number from 0 to n - 1, all equally likely; off by n / 2**53 at most."""
    return int(uniform(stream) * n)


@compiled
def geometric(stream: Stream, ratio: float, n: int) -> int:
    """A whole number i from 0 to n - 1 with a probability proportional to ratio**i, ratio < 1.

    A ratio that is rounded to 1 makes all of them equally likely.
    """
    if ratio <= 0.0:
        return 0
    if ratio >= 1.0:
        return below(stream, n)
    reached = 1.0 - uniform(stream) * (1.0 - ratio**n)
    # Rounding could lead one step too far where the ratio is close to one.
    return min(n - 1, int(math.log(reached) / math.log(ratio)))
