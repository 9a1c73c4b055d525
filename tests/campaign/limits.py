"""A machine that has run out: of disk, of open files, of memory, of the right to write."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from .calling import before_training, call
from .children import in_child
from .command_lines import BEGINNINGS, SHORT, furnish, serving_nothing
from .crash_points import KINDS_OF_RUN, WithRuns, command, finished
from .ground import Ground, scratch
from .results import differences
from .verdicts import EXIT, HANG, SILENT, Told, Verdict, judged


class Limits(WithRuns):
    """A command under a limit ends with a sentence or is done; a run then goes on without it."""

    name = "limits"
    about = "full disks, folders that may not be written to, few open files, little memory"
    share = 10.0

    def warm(self, ground: Ground) -> None:
        super().warm(ground)
        with scratch(ground) as folder:
            furnish(folder, ground)

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        limit, what = chance.choice(LIMITS)(chance, folder)
        if chance.random() < 0.5:
            return self._run(ground, chance, folder, limit, what)
        furnish(folder, ground)
        name = chance.choice(list(BEGINNINGS))
        words = [*name.split(), *BEGINNINGS[name], *SHORT.get(name, ())]

        def work() -> list[Any]:
            with before_training(), serving_nothing():
                limit()
                return _facts(call(*words))

        return _judged(in_child(work), f"{what}: sda {' '.join(words)}")

    def _run(
        self, ground: Ground, chance: Random, folder: Path, limit: Callable[[], None], what: str
    ) -> Verdict:
        kind = chance.choice(KINDS_OF_RUN)
        place = folder / "run"
        if kind == "augment":
            place.mkdir()

        def work() -> list[Any]:
            limit()
            return _facts(call(*command(kind, ground, place)))

        tried = f"{what}: a run ({kind})"
        verdict = _judged(in_child(work), tried)
        if verdict.fault is not None:
            return verdict
        ended = in_child(lambda: _facts(call(*command(kind, ground, place))))
        verdict = _judged(ended, f"{tried}, then without the limit")
        if verdict.fault is not None or ended.told[0] != 0:
            refused = Verdict(SILENT, f"{kind}: going on was refused", str(ended.told), tried)
            return verdict if verdict.fault is not None else refused
        found = differences(finished(kind, ground), place)
        if found:
            return Verdict(SILENT, f"{kind}: differs in {', '.join(found)[:200]}", "", tried)
        return verdict


def _facts(told: Told) -> list[Any]:
    verdict = judged(told, "")
    return [told.code, told.err[-2000:], verdict.as_dict()]


def _judged(ended: Any, tried: str) -> Verdict:
    if ended.hung:
        return Verdict(HANG, tried.partition(":")[0], "", tried)
    if ended.told is None:
        return Verdict(EXIT, f"{tried.partition(':')[0]}: ended with {ended.code}", "", tried)
    found = Verdict(**ended.told[2])
    return Verdict(found.fault, found.place, found.detail, tried)


Limit = tuple[Callable[[], None], str]


def _large_files(chance: Random, _: Path) -> Limit:
    size = chance.choice((0, 1, 100, 1000, 5000, 20_000, 50_000, 100_000))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit, f"no file above {size} bytes"


def _open_files(chance: Random, _: Path) -> Limit:
    more = chance.choice((0, 1, 2, 3, 5, 8, 12, 20))

    def limit() -> None:
        opened = len(os.listdir("/proc/self/fd"))
        resource.setrlimit(resource.RLIMIT_NOFILE, (opened + more, opened + more))

    return limit, f"{more} more open files"


def _memory(chance: Random, _: Path) -> Limit:
    room = chance.choice((0, 1, 4, 16, 64, 256)) << 20

    def limit() -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        size = pages * os.sysconf("SC_PAGE_SIZE") + room
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))

    return limit, f"{room >> 20} MB of memory"


def _failing(name: str, code: int) -> Callable[[Random, Path], Limit]:
    """Opening a file of the case for writing fails from one time on: root ignores permissions."""

    def made(chance: Random, folder: Path) -> Limit:
        after, left = chance.choice((0, 0, 1, 2, 5, 10, 30)), [0]

        def look(event: str, arguments: tuple[Any, ...]) -> None:
            if event != "open" or not isinstance(arguments[0], str | os.PathLike):
                return
            if not str(os.fspath(arguments[0])).startswith(str(folder)):
                return
            if isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
                left[0] += 1
                if left[0] > after:
                    raise OSError(code, os.strerror(code), str(arguments[0]))

        return lambda: sys.addaudithook(look), f"{name} after {after} files"

    return made


LIMITS: tuple[Callable[[Random, Path], Limit], ...] = (
    _large_files,
    _large_files,
    _open_files,
    _memory,
    _failing("disk full", errno.ENOSPC),
    _failing("read-only", errno.EROFS),
    _failing("not allowed", errno.EACCES),
    _failing("broken disk", errno.EIO),
)
