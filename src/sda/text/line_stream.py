"""Lines as they come: one from a person who types, many at once from a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol, cast

from sda.errors import UserError
from sda.files import naming


class _Stream(Protocol):
    def read1(self, size: int, /) -> bytes: ...


CHUNK = 2**16  # bytes that are taken at once, if there are so many


def line_portions(path: Path | None, size: int) -> Iterator[list[str]]:
    """The lines of a file, or of standard input, in lists of at most `size`.

    A list holds what is there by the time that the one before is dealt with, so that a line that
    comes alone need not wait for others.
    """
    with ExitStack() as stack:
        stack.enter_context(naming(path or Path("standard input")))
        stream = sys.stdin.buffer if path is None else stack.enter_context(path.open("rb"))
        number = 0
        for lines in _chunks(cast(_Stream, stream)):
            for first in range(0, len(lines), size):
                some = lines[first : first + size]
                yield [
                    _text(line, number + place, path) for place, line in enumerate(some, first + 1)
                ]
            number += len(lines)


def _chunks(stream: _Stream) -> Iterator[list[bytes]]:
    """The whole lines that each reading has brought, and in the end what is left."""
    rest = b""
    # It waits for the first byte only, and takes what is there.
    while chunk := stream.read1(CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            yield lines
    if rest:
        yield [rest]


def _text(line: bytes, number: int, path: Path | None) -> str:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        name = "standard input" if path is None else path
        raise UserError(f"{name}: line {number} is not UTF-8 text") from None
    return text.removesuffix("\r")
