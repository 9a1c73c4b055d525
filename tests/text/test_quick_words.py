"""Words as numbers by compiled code: what `str.split` finds, and the same text back."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.text.quick_words import QuickText, read_quickly, spelled
from sda.text.sentences import Flat

# Every white space of one byte, and letters of one to four.
LETTERS = "ab \t\x0b\x0c\r\x1c\x1d\x1e\x1f\n\x7féß中\U0001f600"


def lines_of(found: QuickText) -> list[list[str]]:
    words = [found.words[number] for number in found.lines.ids.tolist()]
    starts = found.lines.starts.tolist()
    return [words[begin:end] for begin, end in pairwise(starts)]


@given(st.text(LETTERS, max_size=60))
def test_words_are_those_of_split(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("quick") / "text.txt"
    path.write_bytes(text.encode())
    expected = [line.split() for line in text.split("\n") if line.split()]
    found = read_quickly(path)
    if found is None:
        assert not expected
        return
    assert lines_of(found) == expected
    flat = [word for line in expected for word in line]
    assert list(found.words) == list(dict.fromkeys(flat))
    assert found.counts.tolist() == [flat.count(word) for word in found.words]
    again = spelled(found.lines, [word.encode() for word in found.words])
    assert again.decode() == "".join(f"{' '.join(line)}\n" for line in expected)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"a b\n"),
        ("a.txt", b"a\0b\n"),
        ("a.txt", b"\xef\xbb\xbfa b\n"),
        ("a.txt", "a\u00a0b\n".encode()),
        ("a.txt", "a\u2003b\n".encode()),
        ("a.txt", "a\u3000b\n".encode()),
        ("a.txt", b"\xff\xfea\0"),
        ("a.txt", b"caf\xe9\n"),
        ("a.txt", b"a" * 20_000 + b"\n"),
        ("a.txt", b" \n\n"),
    ],
)
def test_what_it_is_not_made_for(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert read_quickly(path) is None


def test_lines_without_words_are_still_lines() -> None:
    lines = Flat(np.array([1, 0], np.int32), np.array([0, 0, 2, 2]))
    assert spelled(lines, [b"a", b"bc"]) == b"\nbc a\n\n"
    assert spelled(Flat(np.array([], np.int32), np.array([0])), []) == b""


def test_every_white_space_of_python_is_known() -> None:
    spaces = [chr(code) for code in range(0x110000) if chr(code).isspace() and code > 127]
    from sda.text.quick_words import FOREIGN_SPACES

    assert all(space.encode().startswith(FOREIGN_SPACES) for space in spaces)
