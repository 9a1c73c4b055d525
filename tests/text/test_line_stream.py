"""Lines as they come."""

import io
import sys
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.text.line_stream import line_portions


class Slow(io.RawIOBase):
    """A pipe into which somebody writes now and then."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece = self.pieces.pop(0) if self.pieces else b""
        buffer[: len(piece)] = piece
        return len(piece)


def given(monkeypatch: pytest.MonkeyPatch, *pieces: bytes) -> None:
    stream = io.TextIOWrapper(io.BufferedReader(Slow(*pieces)))
    monkeypatch.setattr(sys, "stdin", stream)


def test_what_is_there_comes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b"one\n", b"tw", b"o\nthree\r\n\n", b"four")

    assert list(line_portions(None, 10)) == [["one"], ["two", "three", ""], ["four"]]


def test_no_list_is_longer_than_it_may_be(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(b"%d\n" % number for number in range(20_000)))
    found = list(line_portions(path, 300))

    assert [line for some in found for line in some] == [str(number) for number in range(20_000)]
    assert max(map(len, found)) == 300


def test_a_line_that_is_no_text_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b"one\n", b"two\n\xff\n")
    with pytest.raises(UserError, match="standard input: line 3 is not UTF-8"):
        list(line_portions(None, 1))
    with pytest.raises(UserError, match=r"missing\.txt"):
        list(line_portions(tmp_path / "missing.txt", 1))
