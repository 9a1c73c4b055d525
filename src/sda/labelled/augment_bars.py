"""How far augmentation is, on standard error: a bar for each part of the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sda.show.terminal import Counter, Quiet

NAMES = {"mle": "learning the texts", "sda": "learning from its own best"}


class AugmentBars(Quiet):
    """Shows epochs of the runs, and texts that are written; warnings stay on the screen."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._name = ""
        self._done = self._epochs = 0

    def start(self, title: str, rows: Sequence[tuple[str, str]], epochs: int, done: int) -> None:
        # The title of a run begins with its method.
        self._name = NAMES.get(title.partition(" ")[0], NAMES["sda"])
        self._done, self._epochs = done, epochs
        self._counter.show(self._name, done, epochs)

    def epoch(self, line: dict[str, Any]) -> None:
        self._done += 1
        self._counter.show(self._name, self._done, self._epochs)

    def part(self, name: str, done: int, total: int) -> None:
        self._counter.show(name, done, total)

    def stop(self) -> None:
        # Stage I ends when nothing more is gained, which is seldom after its last epoch.
        self._counter.show(self._name, self._epochs, self._epochs)
