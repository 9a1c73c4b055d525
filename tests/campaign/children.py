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
"""Seconds after which a case hangs."""
KILLED = -signal.SIGKILL


@dataclass(frozen=True)
class Ended:
    """How a child ended: its code (minus the signal that ended it), and what it told before."""

    code: int
    told: Any = None
    hung: bool = False


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
    content, hung = b"", False
    while True:
        now = time.monotonic() - began
        left = patience - now
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
