"""What a person is told who has pressed Ctrl-C."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Interrupted(Exception):
    """The user has ended the command; the message says how to go on."""


@contextmanager
def resumable(folder: Path) -> Iterator[None]:
    """An interruption inside says how to go on with the run in the folder, if one has begun."""
    try:
        yield
    except KeyboardInterrupt:
        from sda.runs.folder import RunFolder

        found = RunFolder(folder)
        if not found.holds_run:
            raise
        raise Interrupted(
            f"interrupted; what is done so far is kept. To go on, type:\n  {found.resume_command}"
        ) from None


def again(arguments: list[str]) -> str:
    """What to type to have the command once more."""
    command = shlex.join(["sda", *arguments])
    return f"interrupted. To begin again, or go on where that is possible, type:\n  {command}"
