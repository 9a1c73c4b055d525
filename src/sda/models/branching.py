"""What a generator remembers of the words so far: a nest of tuples of tensors, batch first."""

from __future__ import annotations

from torch import Tensor

State = Tensor | tuple["State", ...]


def select(state: State, rows: Tensor) -> State:
    """The states of the given rows, in that order; a row may be taken several times."""
    if isinstance(state, Tensor):
        return state.index_select(0, rows)
    return tuple(select(part, rows) for part in state)
