"""What one epoch has to tell."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Progress:
    """The figures of one finished epoch of a stage; epochs count from 1."""

    stage: str
    epoch: int
    values: dict[str, float]


@dataclass
class Meter:
    """Collects figures during an epoch and averages each of them."""

    sums: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, **values: float) -> None:
        for name, value in values.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
            self.counts[name] = self.counts.get(name, 0) + 1

    def means(self) -> dict[str, float]:
        return {name: total / self.counts[name] for name, total in self.sums.items()}


class Diverged(Exception):
    """Training has gone where nothing good follows; the message says what was seen."""


def check_finite(name: str, value: float) -> None:
    """Raise `Diverged` unless the loss is a finite number."""
    if not math.isfinite(value):
        raise Diverged(f"{name} became {value}")
