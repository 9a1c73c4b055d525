"""Fair timing of two ways to do the same work, what one way needs, and the rows of the report."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any


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


@dataclass(frozen=True)
class Limit:
    """An amount of ours that was promised to stay below a goal; it depends on the machine."""

    name: str
    amount: float
    goal_below: float
    unit: str
    note: str

    @property
    def is_met(self) -> bool:
        return self.amount < self.goal_below


def as_dict(row: Row | Limit) -> dict[str, object]:
    """The fields by name and what follows from them, ready for JSON."""
    ratio = {"ratio": row.ratio} if isinstance(row, Row) else {}
    return {**asdict(row), **ratio, "is_met": row.is_met}


def from_dict(found: dict[str, Any]) -> Row | Limit:
    """The row that `as_dict` wrote."""
    kind: type[Row | Limit] = Limit if "goal_below" in found else Row
    return kind(**{field.name: found[field.name] for field in fields(kind)})


def cpu_seconds(work: Callable[[], object]) -> float:
    """The CPU time of one call, over all threads of the process."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def least_cpu_seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """The least CPU seconds of several calls."""
    return min(cpu_seconds(work) for _ in range(rounds))


def compare(
    ours: Callable[[], object], reference: Callable[[], object], rounds: int = 3
) -> tuple[float, float]:
    """The least CPU seconds of each, taken in turns so that a busy machine slows both alike.

    Whoever has something to compile calls it once beforehand.
    """
    pairs = [(cpu_seconds(ours), cpu_seconds(reference)) for _ in range(rounds)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def peak_gigabytes() -> float:
    """The most memory that this process has held so far, in 10**9 bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e9
