"""Fair timing of two ways to do the same work, and the rows of the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One comparison in CPU seconds; `goal_ratio` is None where no speed was promised."""

    name: str
    ours_seconds: float
    reference_seconds: float
    goal_ratio: float | None
    note: str

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.reference_seconds / self.ours_seconds

    @property
    def is_met(self) -> bool | None:
        return None if self.goal_ratio is None else self.ratio >= self.goal_ratio


def cpu_seconds(work: Callable[[], object]) -> float:
    """The CPU time of one call, over all threads of the process."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def compare(
    ours: Callable[[], object], reference: Callable[[], object], rounds: int = 3
) -> tuple[float, float]:
    """The least CPU seconds of each, taken in turns so that a busy machine slows both alike.

    Whoever has something to compile calls it once beforehand.
    """
    pairs = [(cpu_seconds(ours), cpu_seconds(reference)) for _ in range(rounds)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
