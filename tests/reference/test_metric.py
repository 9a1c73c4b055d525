from collections.abc import Sequence

import pytest
import torch
from fakes import sentences_of
from torch import Tensor

from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.text.sentences import Sentences


class Constant:
    """Scores the sentences by the given values, whatever they are."""

    def __init__(self, name: str, values: Sequence[float], depends_on_generator: bool = False):
        self.name = name
        self.depends_on_generator = depends_on_generator
        self._values = values

    def __call__(self, sentences: Sentences) -> Tensor:
        return torch.tensor(self._values, dtype=torch.float64)


TWO = sentences_of([1], [2])


def test_parts_are_weighted_and_add_up() -> None:
    metric = WeightedSum([(1.0, Constant("a", [1, 2])), (0.5, Constant("b", [4, -2]))])
    scores = metric(TWO)

    assert scores.parts.tolist() == [[1, 2], [2, -1]]
    assert scores.total.tolist() == [3, 1]
    assert metric.names == ("a", "b")


def test_a_filter_outweighs_everything() -> None:
    never = float("-inf")
    metric = WeightedSum([(1.0, Constant("a", [1e300, 1])), (1.0, Constant("b", [never, 0]))])

    assert metric(TWO).total.tolist() == [never, 1]


def test_equal_names_are_numbered() -> None:
    parts: list[tuple[float, ReferenceMetric]] = [
        (1.0, Constant(name, [0, 0])) for name in ("a", "b", "a", "a")
    ]

    assert WeightedSum(parts).names == ("a-1", "b", "a-2", "a-3")


@pytest.mark.parametrize("depends", [(False, False), (False, True), (True, True)])
def test_one_part_that_depends_on_the_generator_is_enough(depends: tuple[bool, bool]) -> None:
    metric = WeightedSum([(1.0, Constant("a", [0, 0], it_does)) for it_does in depends])

    assert metric.depends_on_generator == any(depends)


def test_no_parts_score_nothing() -> None:
    scores = WeightedSum([])(TWO)

    assert scores.total.tolist() == [0, 0]
    assert scores.parts.shape == (2, 0)
