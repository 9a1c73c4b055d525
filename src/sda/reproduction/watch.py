"""What a person sees while jobs run: how many are done, and how far the others are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

from rich.progress import TimeElapsedColumn

from sda.errors import UserError
from sda.reproduction.runner import W
from sda.reproduction.work import Places
from sda.show.terminal import Counter

MINUTE = 60


class Screen(Generic[W]):
    """A bar on a terminal, and a line for each job that ends; on standard error."""

    def __init__(self, total: int, places: Places, epochs: Callable[[W, Places], int]) -> None:
        """`epochs` says how many of a job are done."""
        self._places = places
        self._epochs = epochs
        self._total = total
        self._counter = Counter(lines=False, time_column=TimeElapsedColumn)

    def __enter__(self) -> Screen[W]:
        self._counter.begin(self._total)
        return self

    def __exit__(self, *_: object) -> None:
        self._counter.stop()

    def look(self, active: Sequence[W]) -> None:
        """Say for each active job how many epochs are on the disk."""
        if self._counter.has_bars:
            texts = [f"{job.name}: epoch {self._epochs(job, self._places)}" for job in active]
            self._counter.tell(", ".join(texts))

    def ended(self, job: W) -> None:
        self._counter.step()
        self._counter.say(f"done: {job.experiment} {job.name}")

    def failed(self, job: W, trouble: UserError) -> None:
        self._counter.step()
        self._counter.say(f"failed: {job.experiment} {job.name}: {trouble}")


def span(seconds: float) -> str:
    """A time in words that is easy to read."""
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    minutes = round(seconds / MINUTE)
    return f"{minutes} min" if minutes < MINUTE else f"{minutes // MINUTE} h {minutes % MINUTE} min"
