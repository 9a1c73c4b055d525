"""What a run cost, as columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MINUTE = 60


@dataclass(frozen=True)
class Cost:
    """A column: which cost of a record it shows, and in parts of how much."""

    key: str
    part: float

    def of(self, costs: Mapping[str, float]) -> float | None:
        """The figure of a run; None where it was not counted."""
        value = costs.get(self.key)
        return value if value is None or self.part == 1 else value / self.part


COSTS = {
    "updates": Cost("updates", 1),
    "tokens": Cost("written", 1),
    "calls": Cost("calls", 1),
    "cpu-minutes": Cost("cpu_seconds", MINUTE),
}
