"""Cases one after another in a child, which is ended when one hangs and replaced when it dies."""

from __future__ import annotations

import faulthandler
import json
import os
import re
import resource
import select
import shutil
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from .calling import inside
from .children import PATIENCE, Watch
from .ground import Ground
from .verdicts import EXIT, HANG, TRACEBACK, Verdict, place_of

CASES_OF_ONE = 1500
"""A child is replaced after so many, so that nothing that one leaves in memory piles up."""
ROOM = 4 << 30
"""Bytes that a child may take beyond what it began with: absurd sizes end here."""
_STACK = re.compile(r'File ".*/sda/([^"]+)", line (\d+) in (\w+)')


class Kind(ABC):
    """One kind of attack. Case `number` is the same attack whenever it is run."""

    name: str
    about: str
    share: float
    """Its part of the time, beside those of the others."""
    has_runs: bool = False
    """Whether each case is one or more whole runs, in children of its own."""

    def prepare(self, ground: Ground) -> None:
        """What all cases need is there."""
        return

    def warm(self, ground: Ground) -> None:
        """What cases call has been called once, and need not be loaded in every child."""
        return

    def count(self, ground: Ground) -> int | None:
        """How many cases there are; None where there is no end to them."""
        return None

    @abstractmethod
    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        """The verdict on a case, which has an empty folder for itself."""


@dataclass(frozen=True)
class Case:
    """A case that was run, with its verdict and the seconds it took."""

    number: int
    verdict: Verdict
    seconds: float


def cases(
    kind: Kind, ground: Ground, numbers: range, until: float, patience: float | None = None
) -> Iterator[Case]:
    """The cases of these numbers, in order, as far as the time reaches."""
    if patience is None:
        # A case of whole runs looks itself after the children that it waits for.
        patience = 20 * PATIENCE if kind.has_runs else PATIENCE
    left = numbers
    while left and time.monotonic() < until:
        last = left.start - left.step
        for case in _from_one_child(kind, ground, left[:CASES_OF_ONE], until, patience):
            last = case.number
            yield case
        if last < left.start:
            return  # the time was over
        left = range(last + left.step, left.stop, left.step)


def _from_one_child(
    kind: Kind, ground: Ground, numbers: range, until: float, patience: float
) -> Iterator[Case]:
    reader, writer = os.pipe()
    stack = ground.root / f"stack-{kind.name}-{numbers.start}"
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run_and_leave(kind, ground, numbers, until, writer, stack)
    os.close(writer)
    running, began, buffered = None, time.monotonic(), b""
    watch = Watch(child, patience)
    try:
        while True:
            left = watch.left()
            if left and not select.select([reader], [], [], left)[0]:
                continue
            if not left:
                tried = _stack_of(child, stack)
                verdict = Verdict(HANG, tried[0], tried[1], f"no answer in {patience:.0f} s")
                yield Case(running if running is not None else numbers.start, verdict, patience)
                return
            piece = os.read(reader, 1 << 16)
            if not piece:
                break
            buffered += piece
            *lines, buffered = buffered.split(b"\n")
            for line in lines:
                told = json.loads(line)
                if "done" in told:
                    return
                if "verdict" not in told:
                    running, began = told["number"], time.monotonic()
                    watch.begin()
                    continue
                running = None
                yield Case(told["number"], Verdict(**told["verdict"]), told["seconds"])
        if running is not None:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            child = 0
            verdict = Verdict(EXIT, f"the process ended with {code}", "", "died within the case")
            yield Case(running, verdict, time.monotonic() - began)
    finally:
        os.close(reader)
        if child:
            # It leads a group of its own: what it started ends with it.
            for end in (os.killpg, os.kill):
                try:
                    end(child, signal.SIGKILL)
                except OSError:
                    continue
            os.waitpid(child, 0)
        stack.unlink(missing_ok=True)


def _stack_of(child: int, file: Path) -> tuple[str, str]:
    """Where the child is, in one line and in full."""
    os.kill(child, signal.SIGUSR1)
    time.sleep(1.0)
    text = file.read_text() if file.exists() else ""
    found = _STACK.search(text)
    return (f"{found[1]}:{found[2]} {found[3]}" if found else "unknown", text[:3000])


def _run_and_leave(
    kind: Kind, ground: Ground, numbers: range, until: float, writer: int, stack: Path
) -> None:
    def tell(**facts: Any) -> None:
        content = json.dumps(facts).encode() + b"\n"
        while content:
            content = content[os.write(writer, content) :]

    code = 70
    try:
        os.setpgid(0, 0)
        with stack.open("w") as file:
            faulthandler.register(signal.SIGUSR1, file=file)
            _limit_memory(ROOM)
            for number in numbers:
                if time.monotonic() >= until:
                    break
                tell(number=number)
                began = time.monotonic()
                verdict = run_case(kind, ground, number)
                seconds = time.monotonic() - began
                tell(number=number, verdict=verdict.as_dict(), seconds=seconds)
            tell(done=True)
        code = 0
    finally:
        os._exit(code)


def run_case(kind: Kind, ground: Ground, number: int) -> Verdict:
    """The verdict on one case, in a folder that is gone afterwards."""
    folder = ground.root / f"{kind.name}-{number}"
    shutil.rmtree(folder, ignore_errors=True)  # of a campaign that was killed
    folder.mkdir()
    try:
        with inside(folder):
            return kind.run(ground, number, Random(f"{kind.name} {number}"), folder)
    except Exception as trouble:
        return Verdict(TRACEBACK, f"the campaign itself: {place_of(trouble)}", repr(trouble))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _limit_memory(room: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + room,) * 2)
