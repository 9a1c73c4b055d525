"""What a run cost: updates of the generator, tokens that it wrote, metric calls, and time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

COUNTS = ("updates", "written", "calls")  # of all epochs so far
TIMES = ("seconds", "cpu_seconds")  # of one epoch


class Watch:
    """Measures how long epochs take: on the wall, and of this process on all its cores."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def lap(self) -> dict[str, float]:
        """The seconds since the last lap."""
        lap = {
            "seconds": round(time.perf_counter() - self._wall, 3),
            "cpu_seconds": round(time.process_time() - self._cpu, 3),
        }
        self._start()
        return lap


def run_costs(lines: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The costs of these lines of progress together; none where lines do not tell them."""
    costs: dict[str, float] = {}
    for name in COUNTS:
        if lines and name in lines[-1]:
            costs[name] = lines[-1][name]
    for name in TIMES:
        if any(name in line for line in lines):
            costs[name] = round(sum(line.get(name, 0.0) for line in lines), 3)
    return costs
