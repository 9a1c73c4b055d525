"""Columns of progress bars that fit a narrow terminal: the bar and the time left always stay."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean

from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.table import Column, Table
from rich.text import Text

RECENT = 5  # steps whose mean duration the time left is told by
WIDE = 90  # columns of a terminal that has room for a longer bar
LONG_BAR, SHORT_BAR = 20, 10


class Pace:
    """How long steps take, and so how long those that are left will: known from the first one on.

    Steps of one kind follow each other, and the last few of a kind tell how long the next takes.
    """

    def __init__(self, now: float) -> None:
        self._last = now
        self._kind = ""
        self._spans: list[float] = []

    def step(self, kind: str, now: float) -> None:
        """One more step is done; those of another kind before it tell nothing from now on."""
        if kind != self._kind:
            self._kind, self._spans = kind, []
        self._spans = [*self._spans[1 - RECENT :], now - self._last]
        self._last = now

    def skip(self, span: float) -> None:
        """So many seconds of the step that is going on are not usual for its kind."""
        self._last += span

    def left(self, steps: float, now: float) -> float | None:
        """Seconds until so many further steps are done; None before the first step."""
        if not self._spans:
            return None
        since = now - self._last
        # The step that is going on may be the first of a slower kind.
        span = max(mean(self._spans), since)
        return span * steps - since if steps else 0.0


class TimeLeft(ProgressColumn):
    """Hours, minutes and seconds, by the `pace` of the task or else by its mean so far.

    A task whose steps were `begun` before it was shown has a field for that.
    """

    def render(self, task: Task) -> Text:
        seconds = self._seconds(task)
        shown = "-:--:--"
        if seconds is not None:
            minutes, second = divmod(int(seconds), 60)
            shown = f"{minutes // 60}:{minutes % 60:02}:{second:02}"
        return Text(shown, style="progress.remaining", no_wrap=True)

    @staticmethod
    def _seconds(task: Task) -> float | None:
        if task.total is None:
            return None
        left = task.total - task.completed
        pace: Pace | None = task.fields.get("pace")
        if pace is not None:
            return pace.left(left, task.get_time())
        begun: float | None = task.fields.get("begun", task.start_time)
        if begun is None or not task.completed:
            return None
        return (task.get_time() - begun) * left / task.completed


class Rest(ProgressColumn):
    """As many of the task's `parts` as there is `room` for; a first one that is too long is cut."""

    def __init__(self) -> None:
        super().__init__(Column(no_wrap=True))
        self.room = 0

    def render(self, task: Task) -> Text:
        first, *others = task.fields["parts"] or [""]
        for part in others:
            longer = f"{first}  {part}"
            if cell_len(longer) > self.room:
                break
            first = longer
        text = Text(first, no_wrap=True)
        text.truncate(self.room, overflow="ellipsis")
        return text


class NarrowBars(Progress):
    """Bars that keep all but the last column whole, and give to that what room is left.

    Rich would take it from the bar and the time. Tasks have a field `parts`, the texts behind the
    bar, of which those that fit are shown.
    """

    def __init__(self, *columns: ProgressColumn, console: Console, transient: bool = False) -> None:
        self._bar = BarColumn(LONG_BAR)
        self._rest = Rest()
        before = [column for column in columns if isinstance(column, TextColumn)]
        after = [column for column in columns if column not in before]
        whole = [*before, self._bar, MofNCompleteColumn(), *after]
        super().__init__(*whole, self._rest, console=console, transient=transient)

    def make_tasks_table(self, tasks: Iterable[Task]) -> Table:
        shown = list(tasks)
        if not shown:
            return super().make_tasks_table(shown)
        # Each time, since a window may change its width.
        console = self.console
        self._bar.bar_width = LONG_BAR if console.width >= WIDE else SHORT_BAR
        self._rest.room = console.width
        for column in self.columns[:-1]:
            assert isinstance(column, ProgressColumn)
            widths = [Measurement.get(console, console.options, column(task)) for task in shown]
            # One more for the space behind it.
            self._rest.room -= max(width.maximum for width in widths) + 1
        self._rest.room = max(0, self._rest.room)
        return super().make_tasks_table(shown)
