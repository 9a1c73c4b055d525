"""One count of all gives what twenty counts of nearly all would give, to the last bit."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sda.evaluation.count_intervals import entropy, variety
from sda.evaluation.interval import GROUPS, set_interval
from sda.text.sentences import Flat


def random_numbers(sentences: int, seed: int) -> Flat:
    """Some sentences have no number, and some numbers are in one sentence only or nowhere."""
    rng = np.random.default_rng(seed)
    return Flat.from_lists(
        [(rng.zipf(1.3, rng.integers(0, 9)) % 500).tolist() for _ in range(sentences)]
    )


def kept_numbers(numbers: Flat, kept: NDArray[np.bool_]) -> NDArray[np.int32]:
    return numbers.ids[np.repeat(kept, numbers.lengths)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sentences", [2 * GROUPS, 333])
def test_variety_agrees_with_counting_anew(sentences: int, seed: int) -> None:
    numbers = random_numbers(sentences, seed)

    def share(kept: NDArray[np.bool_]) -> float:
        found = kept_numbers(numbers, kept)
        return len(np.unique(found)) / len(found)

    value, interval = variety(lambda distinct, total: distinct / total, numbers)
    assert value == share(np.ones(sentences, np.bool_))
    assert interval is not None and interval == set_interval(share, sentences)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sentences", [2 * GROUPS, 333])
def test_entropy_agrees_with_counting_anew(sentences: int, seed: int) -> None:
    numbers = random_numbers(sentences, seed)

    def direct(kept: NDArray[np.bool_]) -> float:
        counts = np.bincount(kept_numbers(numbers, kept))
        counts = counts[counts > 0]
        return float(np.log(counts.sum()) - (counts * np.log(counts)).sum() / counts.sum())

    value, interval = entropy(numbers)
    assert value == direct(np.ones(sentences, np.bool_))
    assert interval is not None and interval == set_interval(direct, sentences)


def test_few_sentences_have_no_interval() -> None:
    few = Flat.from_lists([[1, 1, 2]] * (2 * GROUPS - 1))
    assert variety(lambda distinct, _: float(distinct), few) == (2.0, None)
    assert entropy(few)[1] is None
    assert variety(lambda distinct, _: float(distinct), Flat.from_lists([[]])) == (0.0, None)
