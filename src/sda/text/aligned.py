"""Sentences with figures of each, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import torch
from torch import Tensor

from sda.text.sentences import Sentences


@dataclass(frozen=True)
class Aligned:
    """A dataclass whose fields, sentences and tensors, have one row for each thing."""

    def __len__(self) -> int:
        return len(next(iter(self._columns().values())))

    def __getitem__(self, rows: Tensor) -> Self:
        return replace(self, **{name: column[rows] for name, column in self._columns().items()})

    def followed_by(self, other: Self) -> Self:
        """All rows of this one, then those of the other."""
        pairs = zip(self._columns().items(), other._columns().values(), strict=True)
        return replace(self, **{name: _joined([one, two]) for (name, one), two in pairs})

    def _columns(self) -> dict[str, Sentences | Tensor]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _joined(columns: Sequence[Sentences | Tensor]) -> Sentences | Tensor:
    sentences = [column for column in columns if isinstance(column, Sentences)]
    if sentences:
        return Sentences.join(sentences)
    return torch.cat([column for column in columns if isinstance(column, Tensor)])
