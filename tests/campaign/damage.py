"""Files that something happened to behind the program's back."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

DEEP = 100_000
ODD_BYTES = (
    b"\xff\xfe",
    b"\x00",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\x80",
    "\u2028".encode(),
    b'"\\ud800"',
    b"NaN",
    b"[" * DEEP,
    b"9" * 5000,
)
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2**63,
    10**400,
    1e308,
    -0.5,
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    "nan",
    "\ud800",
    "\0",
    "<script>alert(1)</script>",
    "../../../../etc/passwd",
    "x" * 10_000,
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"value": None},
)


def damage(path: Path, others: Sequence[Path], chance: Random) -> str:
    """The file is damaged in one way; returns which, in words.

    `others` are files that it may be taken for.
    """
    ways: list[Callable[[Path, Random], str]] = [*ANY]
    if path.suffix in (".json", ".jsonl"):
        # A file that was edited or written by another program comes up as often as all the rest.
        ways += [edit_json] * len(ANY)
    elif path.suffix == ".toml":
        ways += [edit_toml] * len(ANY)
    elif path.suffix == ".safetensors":
        ways += [edit_safetensors] * (len(ANY) // 2)
    elif path.suffix == ".sqlite":
        ways += [edit_sqlite] * len(ANY)
    if others:
        ways += [lambda target, rng: _replace(target, rng.choice(others))] * 2
    return chance.choice(ways)(path, chance)


# Any file


def flip(path: Path, chance: Random) -> str:
    """Some bits are others."""
    content = bytearray(path.read_bytes())
    if not content:
        return empty(path, chance)
    bits = [chance.randrange(8 * len(content)) for _ in range(chance.choice((1, 1, 1, 8, 64)))]
    for bit in bits:
        content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)
    return f"bits {', '.join(map(str, bits[:3]))} flipped"


def cut(path: Path, chance: Random) -> str:
    size = chance.randrange(path.stat().st_size + 1)
    with path.open("r+b") as file:
        file.truncate(size)
    return f"cut to {size} bytes"


def empty(path: Path, chance: Random) -> str:
    path.write_bytes(b"")
    return "emptied"


def remove(path: Path, chance: Random) -> str:
    path.unlink()
    return "removed"


def make_folder(path: Path, chance: Random) -> str:
    path.unlink()
    path.mkdir()
    return "a folder in its place"


def link_to_itself(path: Path, chance: Random) -> str:
    path.unlink()
    path.symlink_to(path.name)
    return "a link to itself in its place"


def insert(path: Path, chance: Random) -> str:
    content, odd = path.read_bytes(), chance.choice(ODD_BYTES)
    at = chance.choice((0, len(content), chance.randrange(len(content) + 1)))
    path.write_bytes(content[:at] + odd + content[at:])
    return f"{odd[:12]!r} (of {len(odd)} bytes) put in at {at}"


def overwrite(path: Path, chance: Random) -> str:
    content = bytearray(path.read_bytes())
    at, odd = chance.randrange(len(content) + 1), chance.choice(ODD_BYTES)[:64]
    content[at : at + len(odd)] = odd
    path.write_bytes(content)
    return f"{odd[:12]!r} written over {at}"


def double(path: Path, chance: Random) -> str:
    path.write_bytes(path.read_bytes() * 2)
    return "doubled"


def scramble(path: Path, chance: Random) -> str:
    path.write_bytes(chance.randbytes(chance.choice((1, 100, path.stat().st_size))))
    return "random bytes"


def shuffle_lines(path: Path, chance: Random) -> str:
    lines = path.read_bytes().splitlines(keepends=True)
    if chance.random() < 0.5 and lines:
        del lines[chance.randrange(len(lines))]
        told = "a line removed"
    else:
        chance.shuffle(lines)
        told = "lines shuffled"
    path.write_bytes(b"".join(lines))
    return told


def compress(path: Path, chance: Random) -> str:
    path.write_bytes(gzip.compress(path.read_bytes()))
    return "compressed"


ANY = (
    *(flip, flip, flip, cut, cut, insert, insert, overwrite, empty, remove, make_folder),
    *(link_to_itself, double, scramble, shuffle_lines, compress),
)


def _replace(path: Path, other: Path) -> str:
    shutil.copy(other, path)
    return f"replaced by {other.name}"


# Files of a known form


def edit_json(path: Path, chance: Random) -> str:
    """One value is of another type, absurd, or gone."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines() if path.suffix == ".jsonl" else [text]
    at = chance.randrange(len(lines)) if lines else 0
    try:
        value = json.loads(lines[at])
    except (IndexError, ValueError):
        return flip(path, chance)
    lines[at], told = _edited(value, chance)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"line {at + 1}: {told}" if path.suffix == ".jsonl" else told


def _edited(value: Any, chance: Random) -> tuple[str, str]:
    """The value with one thing in it changed, as JSON; and what was changed."""
    holder = {"": value}
    places = list(_places(holder, ()))
    keys = chance.choice(places)
    within: Any = holder
    for key in keys[:-1]:
        within = within[key]
    last, where = keys[-1], "/".join(map(str, keys[1:])) or "the whole"
    way = chance.randrange(6)
    if way == 0 and len(keys) > 1:
        del within[last]
        told = f"{where} removed"
    elif way == 1 and isinstance(within, dict) and len(keys) > 1:
        within[f"{last}x"] = within.pop(last)
        told = f"{where} renamed"
    elif way == 2 and isinstance(within, list):
        within.append(within[last])
        told = f"{where} twice"
    elif way == 3 and isinstance(within[last], int | float):
        within[last] = within[last] * chance.choice((-1, 2, 1e6)) + chance.choice((0, 1, 0.5))
        told = f"{where} is {within[last]!r}"
    else:
        within[last] = chance.choice(ODD_VALUES)
        told = f"{where} is {str(within[last])[:20]!r}"
    # The long number is written by hand: Python would refuse to.
    text = json.dumps(holder[""], ensure_ascii=True, default=str)
    return text, told


def _places(value: Any, keys: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to each value within."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, within in inner:
        yield (*keys, key)
        if isinstance(within, dict | list):
            yield from _places(within, (*keys, key))


TOML_VALUES = (
    *("nan", "inf", "-1", "0", "1e308", "true", '""', "[]", "{}", '"x"', "[[[]]]", "1979-05-27"),
    *("9" * 400, '"\\u0000"', "[" * 3000 + "]" * 3000, '"subprocess:Popen"', '"sda.cli:main"'),
    *('"sda.models.rnn:RnnGenerator"', '"../x.py:f"', "{use = 1}", "[1, 'a']", "1_000_000_000"),
)


def edit_toml(path: Path, chance: Random) -> str:
    """One line has another value, another key, or is gone."""
    lines = path.read_text(encoding="utf-8").splitlines()
    chosen = [n for n, line in enumerate(lines) if "=" in line]
    if not chosen:
        return flip(path, chance)
    at = chance.choice(chosen)
    key, _, value = lines[at].partition("=")
    way = chance.randrange(5)
    if way == 0:
        del lines[at]
        told = f"{key.strip()} removed"
    elif way == 1:
        lines[at] = f"{key.strip()}x ={value}"
        told = f"{key.strip()} renamed"
    elif way == 2:
        dotted = ".".join("a" * 3000) + " = 1"
        lines.insert(0, chance.choice((dotted, "[" * 2000, "a = {" * 500, "unknown = 1", "[x]")))
        told = f"a first line {lines[0][:12]}"
    else:
        lines[at] = f"{key}= {chance.choice(TOML_VALUES)}"
        told = lines[at][:60]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return told


def edit_safetensors(path: Path, chance: Random) -> str:
    """The header tells of other shapes, types, places or names; or a number is none."""
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header, rest = json.loads(content[8 : 8 + size]), bytearray(content[8 + size :])
    names = [name for name in header if name != "__metadata__"]
    name, way = chance.choice(names), chance.randrange(6)
    if way == 0:
        told = f"{name} removed"
        del header[name]
    elif way == 1:
        told = f"{name} renamed"
        header[f"{name}x"] = header.pop(name)
    elif way == 2:
        header[name]["dtype"] = chance.choice(("F16", "I64", "BOOL", "F99", "U8"))
        told = f"{name} of type {header[name]['dtype']}"
    elif way == 3:
        header[name]["shape"] = chance.choice(([], [0], [2**40], [1, 1, 1], [-1], "x"))
        told = f"{name} of shape {header[name]['shape']}"
    elif way == 4 and len(rest) >= 4:
        at = chance.randrange(len(rest) // 4) * 4
        rest[at : at + 4] = struct.pack("<f", chance.choice((float("nan"), float("inf"), 1e38)))
        told = f"no number at {at}"
    else:
        size = chance.choice((0, 2**63 - 1, len(content), 2**20))
        path.write_bytes(struct.pack("<Q", size) + content[8:])
        return f"a header of {size} bytes"
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(rest))
    return told


def edit_sqlite(path: Path, chance: Random) -> str:
    """A cell, a table or a column is another or gone."""
    connection = sqlite3.connect(path)
    try:
        tables = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        table = chance.choice(tables)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info('{table}')")]
        column, way = chance.choice(columns), chance.randrange(5)
        odd = chance.choice((None, -1, 10**6, 2**62, 0.5, "", "x", b"\xff\xfe", "nan", "\0"))
        if way == 0:
            connection.execute(f"DROP TABLE '{table}'")
            told = f"table {table} dropped"
        elif way == 1:
            connection.execute(f"DELETE FROM '{table}'")
            told = f"table {table} emptied"
        elif way == 2:
            connection.execute(f"ALTER TABLE '{table}' RENAME COLUMN '{column}' TO other")
            told = f"column {table}.{column} renamed"
        else:
            where = "" if way == 3 else f" WHERE rowid = {chance.randrange(1, 20)}"
            connection.execute(f"UPDATE OR IGNORE '{table}' SET '{column}' = ?{where}", (odd,))
            told = f"{table}.{column} is {odd!r}{where}"
        connection.commit()
    except sqlite3.Error:
        return flip(path, chance)
    finally:
        connection.close()
    return told
