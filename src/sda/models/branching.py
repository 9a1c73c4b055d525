"""What a generator remembers of the words so far: a nest of tuples of tensors, batch first."""

from __future__ import annotations

import torch
from torch import Tensor

State = Tensor | tuple["State", ...]


def select(state: State, rows: Tensor) -> State:
    """The states of the given rows, in that order; a row may be taken several times."""
    if isinstance(state, Tensor):
        return state.index_select(0, rows)
    return tuple(select(part, rows) for part in state)


def vectors(state: State) -> Tensor:
    """(B, F) all vectors of numbers that a state has for each row, side by side.

    What grows with the words read, as keys and values do, is left out.
    """
    found = [leaf for leaf in _leaves(state) if leaf.dim() == 2 and leaf.is_floating_point()]
    return torch.cat(found, 1) if found else torch.zeros(_rows(state), 0)


def _leaves(state: State) -> list[Tensor]:
    if isinstance(state, Tensor):
        return [state]
    return [leaf for part in state for leaf in _leaves(part)]


def _rows(state: State) -> int:
    leaves = _leaves(state)
    return len(leaves[0]) if leaves else 0
