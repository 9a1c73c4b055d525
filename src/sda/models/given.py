"""Weights that come from a file and never change: whoever saves a model leaves them out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from torch import Tensor, nn


@runtime_checkable
class HasGiven(Protocol):
    """A model with weights that it finds again where it is made."""

    def given(self) -> Iterable[Tensor]: ...


def given_weights(model: nn.Module) -> set[int]:
    """What tells the given weights of the model and of all models within it from others: `id`."""
    found = (part.given() for part in model.modules() if isinstance(part, HasGiven))
    return {id(weight) for weights in found for weight in weights}
