"""The words of a plain text file as numbers, and numbers as such a text, without a string a word.

What `str.split` would make of every line, many times as fast: words are found, told apart and
written as bytes by compiled code. Files that it is not made for are left to others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sda.text.compiled import Ids, Numbers, compiled
from sda.text.sentences import Flat

Bytes = NDArray[np.uint8]
LARGEST = 32 * 2**20
"""Bytes of the largest file that is read at once."""
LONGEST = 10_000
"""Bytes of the longest line: whoever reads line by line says what becomes of longer ones."""
# What splits words in Unicode and has more bytes than one, by its beginning.
FOREIGN_SPACES = tuple(
    bytes.fromhex(code) for code in ("c285", "c2a0", "e19a80", "e280", "e2819f", "e38080")
)
_SPACES = np.zeros(256, np.bool_)
_SPACES[[9, 10, 11, 12, 13, 28, 29, 30, 31, 32]] = True
_END, _SPACE = 10, 32
_AT_ONCE = 8  # letters
# FNV-1a.
_BASIS, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)


@dataclass(frozen=True)
class QuickText:
    """The words of a file in the order in which they first occur, and its lines that have any."""

    words: tuple[str, ...]
    counts: Numbers
    lines: Flat


def read_quickly(path: Path) -> QuickText | None:
    """All words of the file; None where it takes reading line by line, whatever the reason."""
    if path.suffix.lower() != ".txt" or not path.is_file() or path.stat().st_size > LARGEST:
        return None
    content = path.read_bytes()
    if b"\0" in content or content.startswith(b"\xef\xbb\xbf"):
        return None
    if not content.isascii():
        if any(space in content for space in FOREIGN_SPACES):
            return None
        try:
            content.decode()
        except UnicodeDecodeError:
            return None
    data = np.frombuffer(content, np.uint8)
    begins, ends, starts, longest = _cut(data, _SPACES)
    if longest > LONGEST or not len(begins):
        return None
    ids, firsts = _told_apart(data, begins, ends)
    words = tuple(content[begins[first] : ends[first]].decode() for first in firsts.tolist())
    return QuickText(words, np.bincount(ids, minlength=len(words)), Flat(ids, starts))


def spelled(lines: Flat, words: Sequence[bytes]) -> bytes:
    """The lines as text, a space between two words and a line end behind the last."""
    table = np.frombuffer(b"".join(words) + bytes(_AT_ONCE), np.uint8)
    offsets = np.fromiter(accumulate(map(len, words), initial=0), np.int64, len(words) + 1)
    return _spelled(lines.ids, lines.starts, table, offsets).tobytes()


@compiled
def _cut(data: Bytes, is_space: NDArray[np.bool_]) -> tuple[Numbers, Numbers, Numbers, int]:
    """Where words begin and end, how many there are before each line, and the longest line."""
    # As many as there can be: memory that nothing is written to costs nothing.
    most = len(data) // 2 + 1
    begins, ends = np.empty(most, np.int64), np.empty(most, np.int64)
    starts = np.empty(most + 1, np.int64)
    starts[0] = token = line = longest = line_begin = 0
    inside = has_words = False
    for place in range(len(data) + 1):
        value = data[place] if place < len(data) else _END
        if is_space[value]:
            if inside:
                ends[token - 1] = place
            inside = False
            if value == _END:
                longest = max(longest, place - line_begin)
                line_begin = place + 1
                if has_words:
                    line += 1
                    starts[line] = token
                has_words = False
        elif not inside:
            inside = has_words = True
            begins[token] = place
            token += 1
    return begins[:token].copy(), ends[:token].copy(), starts[: line + 1].copy(), longest


@compiled
def _told_apart(data: Bytes, begins: Numbers, ends: Numbers) -> tuple[Ids, Numbers]:
    """The number of each word, and for each number the first place where it stands."""
    size = 16
    while size < 2 * len(begins):
        size *= 2
    slots = np.full(size, -1, np.int64)
    ids, firsts = np.empty(len(begins), np.int32), np.empty(len(begins), np.int64)
    count = 0
    for token in range(len(begins)):
        begin, end = begins[token], ends[token]
        mark = _BASIS
        for place in range(begin, end):
            mark = (mark ^ np.uint64(data[place])) * _PRIME
        slot = np.int64(mark & np.uint64(size - 1))
        while True:
            number = slots[slot]
            if number < 0:
                slots[slot] = count
                ids[token] = count
                firsts[count] = token
                count += 1
                break
            first = begins[firsts[number]]
            if ends[firsts[number]] - first == end - begin:
                same = True
                for step in range(end - begin):
                    if data[first + step] != data[begin + step]:
                        same = False
                        break
                if same:
                    ids[token] = number
                    break
            slot = (slot + np.int64(1)) & np.int64(size - 1)
    return ids, firsts[:count]


@compiled
def _spelled(ids: Ids, starts: Numbers, table: Bytes, offsets: Numbers) -> Bytes:
    total = len(starts) - 1
    for number in ids:
        total += offsets[number + 1] - offsets[number] + 1
    # Each word has a space behind it, and the last of a line a line end in its place.
    out = np.empty(total + _AT_ONCE, np.uint8)
    place = 0
    for line in range(len(starts) - 1):
        for token in range(starts[line], starts[line + 1]):
            first = offsets[ids[token]]
            size = offsets[ids[token] + 1] - first
            # Where a short loop ends is what takes time: so many letters are copied whether the
            # word has them or not, and what follows is written over those that it has not.
            for step in range(_AT_ONCE):
                out[place + step] = table[first + step]
            for step in range(_AT_ONCE, size):
                out[place + step] = table[first + step]
            out[place + size] = _SPACE
            place += size + 1
        if starts[line + 1] > starts[line]:
            place -= 1
        out[place] = _END
        place += 1
    return out[:place]
