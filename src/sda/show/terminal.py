"""How a run tells what it does: to a person, to a script, or not at all."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import ProgressColumn, TaskID, TextColumn

from sda.show.bars import NarrowBars, Pace, TimeLeft
from sda.show.rich_tables import as_rich
from sda.show.table import fact_table

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
    "right_share": "right",
    "style_share": "style",
    "content": "content",
}

PATIENCE = 2.0  # seconds before a part of an epoch has a bar of its own
STAGES = {"mle": "MLE", "discriminator": "discriminator", "imitation": "imitation"}


class Reporter(Protocol):
    def start(
        self, title: str, rows: Sequence[tuple[str, str]], epochs: int, done: int
    ) -> None: ...
    def tick(self) -> None: ...
    def part(self, name: str, done: int, total: int) -> None: ...
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

    def part(self, name: str, done: int, total: int) -> None:
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
        self._bars: NarrowBars | None = None
        self._last = 0.0
        self._part: TaskID | None = None
        self._part_since = self._part_last = 0.0

    def start(self, title: str, rows: Sequence[tuple[str, str]], epochs: int, done: int) -> None:
        self.console.print(as_rich(fact_table(title, rows)))
        if not self.console.is_terminal:
            return
        self._bars = NarrowBars(
            TextColumn("{task.description} {task.fields[spin]}"), TimeLeft(), console=self.console
        )
        self._pace = Pace(self._bars.get_time())
        self._task = self._bars.add_task(
            "starting", total=epochs, completed=done, spin=" ", parts=(), pace=self._pace
        )
        self._bars.start()

    def tick(self) -> None:
        now = time.monotonic()
        if self._bars is not None and now - self._last > 0.2:
            turn = "|/-\\"[int(now * 4) % 4]
            self._bars.update(self._task, spin=turn)
            self._last = now

    def part(self, name: str, done: int, total: int) -> None:
        """So much of a part of an epoch is done: the metric is asked, or judges are fitted.

        What it takes tells nothing about epochs without it.
        """
        if self._bars is None:
            return
        now = time.monotonic()
        if not done:
            self._part_since = now
        else:
            self._pace.skip(now - self._part_last)
        self._part_last = now
        if done == total:
            if self._part is not None:
                self._bars.remove_task(self._part)
                self._part = None
        elif self._part is not None:
            self._bars.update(self._part, completed=done, total=total)
        elif done and now - self._part_since > PATIENCE:
            self._part = self._bars.add_task(
                name, total=total, completed=done, spin=" ", parts=(), begun=self._part_since
            )

    def epoch(self, line: dict[str, Any]) -> None:
        figures = [f"{label} {line[name]:.3f}" for name, label in SHOWN.items() if name in line]
        name = f"{STAGES[line['stage']]} {line['epoch']}"
        if self._bars is None:
            self.console.print(f"{name}: {'  '.join(figures)}", soft_wrap=True)
        else:
            self._pace.step(line["stage"], self._bars.get_time())
            self._bars.update(self._task, advance=1, description=name, parts=figures)

    def warn(self, text: str) -> None:
        self.console.print(f"[yellow]warning:[/yellow] {escape(text)}", soft_wrap=True)

    def say(self, text: str) -> None:
        self.console.print(escape(text), soft_wrap=True)

    def stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


class Counter:
    """How far work of known size is, on standard error; bars are gone when it is done.

    A terminal shows bars, and where `patience` is given only if the work takes more seconds than
    that. Elsewhere there is a line for each step, if `lines` are wanted.
    """

    def __init__(
        self,
        lines: bool = True,
        patience: float = 0.0,
        time_column: type[ProgressColumn] = TimeLeft,
    ) -> None:
        self._lines = lines
        self._patience = patience
        self._time_column = time_column
        self._console = Console(stderr=True, highlight=False)
        self._began = time.monotonic()
        self._bars: NarrowBars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._total = self._done = 0

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def has_bars(self) -> bool:
        """Whether anybody sees more than lines."""
        return self._console.is_terminal

    def stop(self) -> None:
        """No bar is left."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None

    def begin(self, total: int) -> None:
        """There are so many steps of one kind, none of them done."""
        self._total = total
        self.show("", 0, total)

    def step(self, text: str | None = None) -> None:
        """One more is done, and the text says which."""
        self._done += 1
        self.show("", self._done, self._total, text)
        if self._lines and not self.has_bars:
            self.say(f"{self._done}/{self._total} {text}")

    def tell(self, text: str) -> None:
        """What goes on now stands beside the bar."""
        self.show("", self._done, self._total, text)

    def say(self, text: str) -> None:
        """A line that stays."""
        self._console.print(text, markup=False, soft_wrap=True)

    def show(self, what: str, done: int, total: int, text: str | None = None) -> None:
        """So much of a work is done; works of several names have a bar each.

        The text beside the bar stays as it was where there is none.
        """
        if not self.has_bars or time.monotonic() - self._began < self._patience:
            return
        if self._bars is None:
            self._bars = self._new_bars(has_names=bool(what))
            self._bars.start()
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task(what, parts=())
        fields: dict[str, Any] = {} if text is None else {"parts": [text]}
        self._bars.update(self._tasks[what], completed=done, total=total, **fields)

    def _new_bars(self, has_names: bool) -> NarrowBars:
        named = [TextColumn("{task.description}")] if has_names else []
        return NarrowBars(*named, self._time_column(), console=self._console, transient=True)
