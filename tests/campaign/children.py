"""Work in a process of its own, which may be killed, limited, or die, and tells what it found."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PATIENCE = 60.0
"""Seconds after which a case hangs: so long at work, or so long without any work."""
LEAST_WORK = 0.5
"""Seconds of work in so long a time that show a process to be alive."""


@dataclass(frozen=True)
class Ended:
    """How a child ended: its code (minus the signal that ended it), and what it told before."""

    code: int
    told: Any = None
    hung: bool = False


class Watch:
    """Says when a process hangs, however busy the machine is.

    A process that has to share the cores with others takes longer than it works.
    """

    def __init__(self, process: int, patience: float) -> None:
        self._process = process
        self._patience = patience
        self.begin()

    def begin(self) -> None:
        """A new case begins."""
        self._began = self._before = self._work()
        self._looked = time.monotonic()

    def left(self) -> float:
        """Seconds to wait before looking again; 0 once the process hangs."""
        waited = time.monotonic() - self._looked
        if waited < self._patience:
            return self._patience - waited
        work = self._work()
        if work - self._began >= self._patience or work - self._before < LEAST_WORK:
            return 0.0
        self._looked, self._before = time.monotonic(), work
        return self._patience

    def _work(self) -> float:
        """Seconds that the process and the children it waited for have computed."""
        try:
            with open(f"/proc/{self._process}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def in_child(
    work: Callable[[], Any],
    patience: float = PATIENCE,
    stop: tuple[int, float] | None = None,
) -> Ended:
    """What `work` gives, done in a fork of this process; what it gives has to fit JSON.

    `stop` is a signal that the child is sent so many seconds after it began.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _work_and_leave(work, writer)
    os.close(writer)
    began = time.monotonic()
    watch = Watch(child, patience)
    content, hung = b"", False
    while True:
        now = time.monotonic() - began
        left = watch.left()
        if stop is not None:
            if now >= stop[1]:
                os.kill(child, stop[0])
                stop = None
            else:
                left = min(left, stop[1] - now)
        if left <= 0:
            hung = True
            os.kill(child, signal.SIGKILL)
            break
        if select.select([reader], [], [], left)[0]:
            piece = os.read(reader, 1 << 16)
            if not piece:
                break
            content += piece
    os.close(reader)
    _, status = os.waitpid(child, 0)
    told = None
    if content:
        try:
            told = json.loads(content)
        except ValueError:
            told = None
    return Ended(os.waitstatus_to_exitcode(status), told, hung)


def _work_and_leave(work: Callable[[], Any], writer: int) -> None:
    """Nothing of the parent's is cleaned up, closed or flushed on the way out."""
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        content = json.dumps(work()).encode()
        while content:
            content = content[os.write(writer, content) :]
        code = 0
    except KeyboardInterrupt:
        code = 130
    finally:
        os._exit(code)
