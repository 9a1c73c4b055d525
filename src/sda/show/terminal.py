"""How a run tells what it does: to a person, to a script, or not at all."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from sda.show.rich_tables import summary_table

SHOWN = {
    "g_loss": "loss",
    "nll_valid": "NLL valid",
    "d_accuracy_real": "D real",
    "d_accuracy_buffer": "D buffer",
    "d_accuracy_fake": "D fake",
    "reward": "reward",
    "buffer_median": "buffer",
    "bleu_3": "BLEU-3",
    "self_bleu_3": "self-BLEU-3",
    "nll_oracle": "NLL oracle",
    "grammatical_share": "grammatical",
}
STAGES = {"mle": "MLE", "discriminator": "discriminator", "imitation": "imitation"}


class Reporter(Protocol):
    def start(
        self, title: str, rows: Sequence[tuple[str, str]], epochs: int, done: int
    ) -> None: ...
    def tick(self) -> None: ...
    def epoch(self, line: dict[str, Any]) -> None: ...
    def warn(self, text: str) -> None: ...
    def say(self, text: str) -> None: ...
    def stop(self) -> None: ...


class Quiet:
    """Says nothing but warnings, and those on standard error."""

    def start(self, title: str, rows: Sequence[tuple[str, str]], epochs: int, done: int) -> None:
        pass

    def tick(self) -> None:
        pass

    def epoch(self, line: dict[str, Any]) -> None:
        pass

    def warn(self, text: str) -> None:
        print(f"warning: {text}", file=sys.stderr)

    def say(self, text: str) -> None:
        pass

    def stop(self) -> None:
        pass


class JsonLines(Quiet):
    """One JSON object a line on standard output: epochs, warnings, messages."""

    def epoch(self, line: dict[str, Any]) -> None:
        print(json.dumps(line), flush=True)

    def warn(self, text: str) -> None:
        print(json.dumps({"warning": text}), flush=True)

    def say(self, text: str) -> None:
        print(json.dumps({"message": text}), flush=True)


class Terminal:
    """A progress bar on standard error, with the figures of the last epoch beside it.

    Where standard error is not a terminal there is a line for each epoch instead.
    """

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self._bars: Bars | None = None
        self._last = 0.0

    def start(self, title: str, rows: Sequence[tuple[str, str]], epochs: int, done: int) -> None:
        self.console.print(summary_table(title, rows))
        if not self.console.is_terminal:
            return
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[spin]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[figures]}"),
            console=self.console,
        )
        self._task = self._bars.add_task(
            "starting", total=epochs, completed=done, spin="", figures=""
        )
        self._bars.start()

    def tick(self) -> None:
        now = time.monotonic()
        if self._bars is not None and now - self._last > 0.2:
            turn = "|/-\\"[int(now * 4) % 4]
            self._bars.update(self._task, spin=turn)
            self._last = now

    def epoch(self, line: dict[str, Any]) -> None:
        figures = "  ".join(
            f"{label} {line[name]:.3f}" for name, label in SHOWN.items() if name in line
        )
        name = f"{STAGES[line['stage']]} {line['epoch']}"
        if self._bars is None:
            self.console.print(f"{name}: {figures}", soft_wrap=True)
        else:
            self._bars.update(self._task, advance=1, description=name, figures=figures)

    def warn(self, text: str) -> None:
        self.console.print(f"[yellow]warning:[/yellow] {escape(text)}", soft_wrap=True)

    def say(self, text: str) -> None:
        self.console.print(escape(text), soft_wrap=True)

    def stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


class Counter:
    """So many steps on standard error: a bar on a terminal, and if wanted lines elsewhere."""

    def __init__(self, lines: bool = True) -> None:
        self._lines = lines
        self._console = Console(stderr=True, highlight=False)
        self._bars = Bars(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
        )
        self._total = self._done = 0

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._bars.stop()

    def begin(self, total: int) -> None:
        self._total = total
        if self._console.is_terminal:
            self._task = self._bars.add_task("", total=total)
            self._bars.start()

    def step(self, text: str) -> None:
        """One more is done, and the text says which."""
        self._done += 1
        if self._console.is_terminal:
            self._bars.update(self._task, advance=1, description=text)
        elif self._lines:
            line = f"{self._done}/{self._total} {text}"
            self._console.print(line, markup=False, soft_wrap=True)


class LateBar:
    """A bar on standard error for work that turned out to be long; a short one shows nothing.

    Call it with how much is done and how much there is. Only a terminal shows bars.
    """

    PATIENCE = 2.0  # seconds

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._begin = time.monotonic()
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> LateBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._tasks:
            self._bars.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        if not self._console.is_terminal or time.monotonic() - self._begin < self.PATIENCE:
            return
        if not self._tasks:
            self._bars.start()
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task(what, total=total)
        self._bars.update(self._tasks[what], completed=done)
