"""A run that ends at one of its file operations, as a killed process or a lost power would end it.

A run is done once in a child, and before each of its operations its folder is copied: that is what
a process which ends there, without closing or flushing anything, leaves behind. Where the power is
lost, files that had not been synced are also cut short. Then the same command is given once more in
that folder, and what it ends with has to be what a run that was left alone ends with. Operations
that leave the very same folder are gone on from once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
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

OPERATIONS = {
    *("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link"),
    *("os.symlink", "shutil.rmtree", "sqlite3.connect"),
}
KINDS_OF_RUN = ("paper", "judged", "leakrnn", "transfer", "augment")
NOTHING = "nothing"
"""What there is before a run has made its folder."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND


class Operations:
    """Counts what this process does to files below a folder; before each, `begins` is called."""

    def __init__(self, folder: Path, begins: Callable[[Operations], None]) -> None:
        self._folder = str(folder)
        self._begins = begins
        self._sync = os.fsync
        self.unsynced: dict[str, int] = {}
        """The files that a loss of power may cut short, each with what would surely be left."""
        self.done = 0
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
            self.unsynced[path] = os.path.getsize(path) if appends else 0
            return
        self._step()
        if event == "os.rename" and path in self.unsynced:
            target = os.path.abspath(os.fsdecode(arguments[1]))
            self.unsynced[target] = self.unsynced.pop(path)

    def _synced(self, descriptor: Any) -> None:
        self._step()
        self._sync(descriptor)
        self.unsynced.pop(os.readlink(f"/proc/self/fd/{descriptor}"), None)

    def _step(self) -> None:
        self._begins(self)
        self.done += 1


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

    def warm(self, ground: Ground) -> None:
        """Each child would else load for seconds what it uses for a moment."""
        for kind in KINDS_OF_RUN:
            with scratch(ground) as folder:
                told = call(*command(kind, ground, folder / kind if kind != "augment" else folder))
                assert told.code == 0, told


class CrashPoints(WithRuns):
    """Every operation of every kind of run, before it as a kill and with the power lost."""

    name = "crash-points"
    about = "runs of five kinds that end before each of their file operations, then go on"
    share = 40.0

    def __init__(self) -> None:
        self._points: list[tuple[str, bool, int, str]] = []
        self._verdicts: dict[tuple[str, str], Verdict] = {}

    def prepare(self, ground: Ground) -> None:
        if self._points:
            return
        super().prepare(ground)
        shutil.rmtree(_left(ground), ignore_errors=True)
        for kind in KINDS_OF_RUN:
            recorded = in_child(partial(record, kind, ground))
            assert isinstance(recorded.told, list), (kind, recorded)
            self._points += [
                (kind, is_lost, point, states[is_lost])
                for point, states in enumerate(recorded.told)
                for is_lost in (False, True)
            ]
        # A part of them is then a part of each kind of run.
        Random(0).shuffle(self._points)

    def count(self, ground: Ground) -> int | None:
        return len(self._points)

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        kind, is_lost, point, state = self._points[number % len(self._points)]
        what = "the power is lost" if is_lost else "it is killed"
        tried = f"a run ({kind}): {what} before operation {point}"
        if (kind, state) not in self._verdicts:
            place = _place(ground)
            if state != NOTHING:
                shutil.copytree(_left(ground) / kind / state, place)
            self._verdicts[kind, state] = go_on_and_compare(kind, ground, place, tried)
        found = self._verdicts[kind, state]
        return Verdict(found.fault, found.place, found.detail, tried)


def _left(ground: Ground) -> Path:
    """Where the folders that crashes leave are kept, by kind of run and by what they hold."""
    return ground.root / "left"


def _place(ground: Ground) -> Path:
    """An empty place for a run that crashes: always the same, for runs may write down theirs."""
    place = ground.root / "crashing" / "run"
    shutil.rmtree(place.parent, ignore_errors=True)
    place.parent.mkdir()
    return place


def record(kind: str, ground: Ground) -> list[tuple[str, str]]:
    """What each operation of a run finds: the folder that a kill and a loss of power leave."""
    place, kept = _place(ground), _left(ground) / kind
    kept.mkdir(parents=True)
    if kind == "augment":
        place.mkdir()
    states = []

    def begins(operations: Operations) -> None:
        chance = Random(f"{kind} {operations.done}")
        killed = _kept(place, {}, kept)
        left = {
            os.path.relpath(path, place): chance.randint(min(least, size), size)
            for path, least in operations.unsynced.items()
            if (size := os.path.getsize(path) if os.path.isfile(path) else 0)
        }
        states.append((killed, _kept(place, left, kept)))

    Operations(place, begins)
    told = call(*command(kind, ground, place))
    assert told.code == 0, told
    return states


def _kept(place: Path, left: dict[str, int], kept: Path) -> str:
    """The name of a copy of the folder in which the files named have only so many bytes left."""
    if not place.exists():
        return NOTHING
    content = hashlib.sha256()
    for path in sorted(place.rglob("*")):
        name = str(path.relative_to(place))
        data = path.read_bytes()[: left.get(name)] if path.is_file() else b""
        content.update(f"{name}\0{path.is_dir()}\0{len(data)}\0".encode() + data)
    state = content.hexdigest()[:32]
    if not (kept / state).exists():
        shutil.copytree(place, kept / state)
        for name, size in left.items():
            os.truncate(kept / state / name, size)
    return state
