"""Commands in processes of their own, which tests interrupt and kill.

They are forked from a process that has read the packages once: starting Python for each of them
would take longer than what they do. That process has run nothing, and its hashes are not ours.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

# The last one is what torch reads when the first optimiser is made.
PRELOADED = [
    "sda.cli",
    "sda.runs.train",
    "sda.runs.report",
    "sda.reproduction.runner",
    "torch._dynamo",
]
SECONDS = 240  # a process may wait for others
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(PRELOADED)


def nothing() -> None:
    pass


class Life:
    """`sda` with these words, in a folder and in a process group of its own.

    What it prints is in the files `out` and `err`. `first` is called before the command.
    """

    def __init__(self, folder: Path, *words: object, first: Callable[[], None] = nothing) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.out, self.err = folder / "out.txt", folder / "err.txt"
        arguments = (folder, self.out, self.err, [str(word) for word in words], first)
        self._process = _CONTEXT.Process(target=_live, args=arguments)
        self._process.start()

    def wait_for(self, happened: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS
        while not happened():
            assert self._process.is_alive() and time.monotonic() < end, self.err.read_text()
            time.sleep(0.002)

    def interrupt(self) -> None:
        """Press Ctrl-C: a terminal tells every process of the group."""
        os.killpg(self._process.pid or 0, signal.SIGINT)

    def kill(self) -> None:
        """Kill the command itself, and no process that it has started."""
        self._process.kill()
        assert self.end() == -signal.SIGKILL

    def end(self) -> int | None:
        """The code that it ends with."""
        self._process.join(SECONDS)
        return self._process.exitcode


def _live(folder: Path, out: Path, err: Path, words: list[str], first: Callable[[], None]) -> None:
    from tiny import undrawn

    from sda.cli import main

    os.setsid()
    os.chdir(folder)
    sys.stdout = out.open("w", encoding="utf-8", buffering=1)
    sys.stderr = err.open("w", encoding="utf-8", buffering=1)
    sys.argv = ["sda", *words]
    first()
    with undrawn():
        main()
