"""What a person sees while jobs run: how many are done, and how far the others are."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from sda.errors import UserError
from sda.reproduction.jobs import Job
from sda.reproduction.work import Places, epochs_done

MINUTE = 60


class Screen:
    """A bar on a terminal, and a line for each job that ends; on standard error."""

    def __init__(self, total: int, places: Places) -> None:
        self._places = places
        self._console = Console(stderr=True, highlight=False)
        self._bars = Progress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
        )
        self._task = self._bars.add_task("", total=total)

    def __enter__(self) -> Screen:
        if self._console.is_terminal:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._bars.stop()

    def look(self, active: Sequence[Job]) -> None:
        """Say for each active job how many epochs are on the disk."""
        if self._console.is_terminal:
            texts = [f"{job.name}: epoch {epochs_done(job, self._places)}" for job in active]
            self._bars.update(self._task, description=", ".join(texts))

    def ended(self, job: Job) -> None:
        self._bars.advance(self._task)
        self._say(f"done: {job.experiment} {job.name}")

    def failed(self, job: Job, trouble: UserError) -> None:
        self._bars.advance(self._task)
        self._say(f"failed: {job.experiment} {job.name}: {trouble}")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


def span(seconds: float) -> str:
    """A time in words that is easy to read."""
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    minutes = round(seconds / MINUTE)
    return f"{minutes} min" if minutes < MINUTE else f"{minutes // MINUTE} h {minutes % MINUTE} min"
