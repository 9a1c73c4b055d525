"""Vectors are compared in the references' units."""

import numpy as np
import pytest

from sda.evaluation.features import Vectors, standardised


def vectors(*rows: list[float], source: str = "here") -> Vectors:
    return Vectors(np.array(rows, dtype=np.float64), source)


def test_references_get_mean_zero_and_spread_one() -> None:
    samples, references = standardised(
        vectors([5.0, 7.0, 3.0]), vectors([1.0, 4.0, 3.0], [3.0, 8.0, 3.0])
    )
    assert references.tolist() == [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]
    assert samples.tolist() == [[3.0, 0.5, 0.0]]


def test_a_number_that_never_changes_in_the_references_keeps_its_unit() -> None:
    samples, _ = standardised(vectors([2.5]), vectors([2.0], [2.0]))
    assert samples.tolist() == [[0.5]]


def test_vectors_of_two_sources_are_not_compared() -> None:
    with pytest.raises(ValueError, match="cannot compare there with here"):
        standardised(vectors([1.0], source="there"), vectors([1.0]))


def test_an_empty_set_is_refused() -> None:
    empty = Vectors(np.empty((0, 1)), "here")
    for pair in ((empty, vectors([1.0])), (vectors([1.0]), empty)):
        with pytest.raises(ValueError, match="at least one sample and one reference"):
            standardised(*pair)
