"""A run that ends at one of its file operations, as a killed process or a lost power would end it.

The run is done in a child. Before operation number K the child ends, without closing or flushing
anything. Where the power is lost, files that had not been synced are also cut short. Then the same
command is given once more, and what it ends with has to be what a run that was left alone ends
with.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from .calling import call
from .children import in_child
from .ground import Ground, scratch
from .results import differences
from .verdicts import EXIT, HANG, SILENT, TRACEBACK, Verdict
from .worker import Kind

CRASHED = 77
OPERATIONS = {
    *("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link"),
    *("os.symlink", "shutil.rmtree", "sqlite3.connect"),
}
KINDS_OF_RUN = ("paper", "judged", "leakrnn", "transfer", "augment")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND


class Operations:
    """Counts what this process does to files below a folder, and ends it before one of them."""

    def __init__(self, folder: Path, last: int | None, is_power_lost: bool, chance: Random) -> None:
        self._folder = str(folder)
        self._last = last
        self._is_power_lost = is_power_lost
        self._chance = chance
        self._unsynced: dict[str, int] = {}
        self.done = 0
        self._sync = os.fsync
        os.fsync = self._synced  # type: ignore[assignment]
        sys.addaudithook(self._look)

    def _look(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in OPERATIONS or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if not path.startswith(self._folder):
            return
        if event == "open":
            if not arguments[2] & WRITING:
                return
            self._step()
            appends = os.path.exists(path) and not arguments[2] & os.O_TRUNC
            self._unsynced[path] = os.path.getsize(path) if appends else 0
            return
        self._step()
        if event == "os.rename" and path in self._unsynced:
            target = os.path.abspath(os.fsdecode(arguments[1]))
            self._unsynced[target] = self._unsynced.pop(path)

    def _synced(self, descriptor: Any) -> None:
        self._step()
        self._sync(descriptor)
        self._unsynced.pop(os.readlink(f"/proc/self/fd/{descriptor}"), None)

    def _step(self) -> None:
        if self.done == self._last:
            if self._is_power_lost:
                self._tear()
            os._exit(CRASHED)
        self.done += 1

    def _tear(self) -> None:
        """Of what was written and not synced, only a beginning is left."""
        self._last = None
        for path, least in self._unsynced.items():
            if os.path.isfile(path):
                size = os.path.getsize(path)
                os.truncate(path, self._chance.randint(min(least, size), size))


def command(kind: str, ground: Ground, folder: Path) -> list[str]:
    """What makes a run of that kind in the folder, and goes on with one that is there."""
    if kind == "augment":
        return ground.augment_words(folder)
    return [*ground.words(kind), "--out", str(folder), "--seed", "0", "--resume"]


def finished(kind: str, ground: Ground) -> Path:
    return ground.augmented if kind == "augment" else ground.trained(kind)


def go_on_and_compare(kind: str, ground: Ground, folder: Path, tried: str) -> Verdict:
    """Give the command once more, and hold what there is against a run that was left alone."""
    ended = in_child(_told(lambda: call(*command(kind, ground, folder))))
    if ended.hung:
        return Verdict(HANG, f"{kind}: going on", "", tried)
    if ended.told is None:
        return Verdict(EXIT, f"{kind}: going on ended with {ended.code}", "", tried)
    code, err, trouble = ended.told
    if trouble:
        return Verdict(TRACEBACK, f"{kind}: going on: {trouble}", err, tried)
    if code != 0:
        return Verdict(SILENT, f"{kind}: going on was refused", err[-500:], tried)
    found = differences(finished(kind, ground), folder)
    if found:
        return Verdict(SILENT, f"{kind}: differs in {', '.join(found)[:200]}", err, tried)
    return Verdict(tried=tried)


def _told(work: Callable[[], Any]) -> Callable[[], tuple[object, str, str]]:
    def done() -> tuple[object, str, str]:
        told = work()
        return told.code, told.err, "" if told.trouble is None else repr(told.trouble)

    return done


class WithRuns(Kind):
    """Cases of whole runs; one run of each kind was left alone, and the others have to equal it."""

    has_runs = True

    def prepare(self, ground: Ground) -> None:
        for kind in KINDS_OF_RUN:
            finished(kind, ground)


class CrashPoints(WithRuns):
    """Every operation of every kind of run, before it as a kill and with the power lost."""

    name = "crash-points"
    about = "runs of five kinds that end before each of their file operations, then go on"
    share = 40.0

    def __init__(self) -> None:
        self._points: list[tuple[str, bool, int]] = []

    def prepare(self, ground: Ground) -> None:
        if self._points:
            return
        super().prepare(ground)
        for kind in KINDS_OF_RUN:
            with scratch(ground) as folder:
                count = in_child(partial(_count, kind, ground, folder))
            assert isinstance(count.told, int), (kind, count)
            self._points += [
                (kind, is_lost, point) for is_lost in (False, True) for point in range(count.told)
            ]
        # A part of them is then a part of each kind of run.
        Random(0).shuffle(self._points)

    def count(self, ground: Ground) -> int | None:
        return len(self._points)

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        kind, is_lost, point = self._points[number % len(self._points)]
        what = "the power is lost" if is_lost else "it is killed"
        tried = f"a run ({kind}): {what} before operation {point}"
        place = folder / "run"
        if kind == "augment":
            place.mkdir()

        def work() -> None:
            Operations(place, point, is_lost, chance)
            call(*command(kind, ground, place))

        ended = in_child(work)
        if ended.code != CRASHED:
            return Verdict(EXIT, f"{kind}: ended with {ended.code} before the crash", "", tried)
        return go_on_and_compare(kind, ground, place, tried)


def _count(kind: str, ground: Ground, folder: Path) -> int:
    """How many operations a run of that kind has."""
    place = folder / "run"
    if kind == "augment":
        place.mkdir()
    operations = Operations(place, None, False, Random(0))
    told = call(*command(kind, ground, place))
    assert told.code == 0, told
    return operations.done
