"""The reference metric m(s) of the paper: what a user calls a good sentence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Tensor

from sda.text.scores import Scores
from sda.text.sentences import Sentences


class ReferenceMetric(ABC):
    """Scores sentences, higher is better; minus infinity keeps a sentence out of the buffer.

    A subclass has a `name` and a call from sentences to scores; arguments of its `__init__` named
    `vocabulary`, `train`, `generator` and `rng` are filled in by the run, others are settings.
    `depends_on_generator` says whether scores change as the generator learns, so that the buffer
    must be scored anew each epoch. For a metric on plain texts a function is enough.

    ```python
    import sda


    class Brevity(sda.ReferenceMetric):
        name = "brevity"

        def __init__(self, scale: float = 1.0):
            self.scale = scale

        def __call__(self, sentences):
            return -self.scale * sentences.lengths.double()


    run = sda.train("captions", "runs/brief", metric=Brevity, profile="smoke")
    ```
    """

    name: str
    depends_on_generator: bool = False

    @abstractmethod
    def __call__(self, sentences: Sentences) -> Tensor:
        """(B,) float64, without gradient."""


class WeightedSum:
    """A metric made of others, each with a weight; it keeps the parts apart for the record."""

    def __init__(self, parts: Sequence[tuple[float, ReferenceMetric]]) -> None:
        self.parts = tuple(parts)
        self.names = _distinct([part.name for _, part in parts])

    @property
    def depends_on_generator(self) -> bool:
        return any(part.depends_on_generator for _, part in self.parts)

    def __call__(self, sentences: Sentences) -> Scores:
        # Words are counted on the CPU; a part that asks a model moves them to it.
        sentences = sentences.to("cpu")
        columns = torch.zeros(len(sentences), len(self.parts), dtype=torch.float64)
        for column, (weight, part) in enumerate(self.parts):
            columns[:, column] = weighted(weight, part(sentences))
        return Scores(columns.sum(1), columns)


def weighted(weight: float, values: Tensor) -> Tensor:
    """What a part of a metric adds to it; what it rules out stays out, whatever its weight."""
    return torch.where(values == -torch.inf, values, weight * values)


def _distinct(names: list[str]) -> tuple[str, ...]:
    """The names, with a number behind those that come more than once."""
    return tuple(
        name if names.count(name) == 1 else f"{name}-{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    )
