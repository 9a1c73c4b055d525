"""Sentences of a file with what stands beside them, by its kind: lines, tables, objects, data
sets."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sda.errors import UserError
from sda.text.dataset_folder import dataset_rows

if TYPE_CHECKING:
    from _csv import Reader

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
"""What may stand between the entries of a table."""

WITH_LABELS = (".csv", ".tsv", ".jsonl")

_QUOTED = re.compile(r'"[^"]*"')
_JSON_KINDS = {dict: "an object", list: "a list", bool: "a truth value", type(None): "null"}


class Record(NamedTuple):
    """One sentence of a file as it stands there, its label, and its prompt; None where none was
    asked for.

    `entries` is all that stands in its row or object by name, where that was asked for.
    """

    text: str
    label: str | None
    prompt: str | None = None
    entries: Mapping[str, Any] | None = None


def checked_text(path: Path, number: int, text: str) -> str:
    """The text itself, once it is known to be plain."""
    if "\0" in text:
        raise UserError(f"{path}, line {number}: a NUL byte; the file is not plain UTF-8 text.")
    return text


def from_lines(
    path: Path, lines: Iterable[tuple[int, str]], label: str | None
) -> Iterator[tuple[int, Record]]:
    if label is not None:
        raise UserError(
            f"{path} has no label {label!r}: labels stand in {', '.join(WITH_LABELS)} files."
        )
    for number, text in lines:
        yield number, Record(text, None)


def from_table(
    path: Path,
    lines: Iterable[tuple[int, str]],
    column: str | None,
    label: str | None,
    prompt: str | None,
    usual: str,
    is_whole: bool,
) -> Iterator[tuple[int, Record]]:
    """The column's entry of every row, the label's and the prompt's; the first row has the names.

    Entries are separated as `usual` for the kind of file, or as the first row shows.
    """
    lines = iter(lines)
    first_line = next(lines, None)
    if first_line is None:
        return
    separator = _separator(first_line[1], usual, column)
    every = chain([first_line], lines)
    # The line ends go back on, because a quoted entry may hold some.
    rows = csv.reader((f"{text}\n" for _, text in every), delimiter=separator, strict=True)
    header: list[str] | None = None
    place, label_place, prompt_place = 0, None, None
    for first, row in numbered(path, rows):
        if header is None:
            header = row
            place = _place(path, header, column)
            label_place = None if label is None else _place(path, header, label)
            prompt_place = None if prompt is None else _place(path, header, prompt)
        elif not row:
            yield first, Record("", None)
        elif len(row) != len(header):
            raise UserError(
                f"{path}, line {first}: {len(row)} entries where the header has {len(header)}."
            )
        else:
            text = checked_text(path, first, row[place])
            name = None if label_place is None else row[label_place].strip()
            begun = None if prompt_place is None else checked_text(path, first, row[prompt_place])
            entries = dict(zip(header, row, strict=True)) if is_whole else None
            yield first, Record(text, name, begun, entries)


def numbered(path: Path, rows: "Reader") -> Iterator[tuple[int, list[str]]]:
    """Each row with the number of the line it begins in; a damaged one is refused."""
    while True:
        line = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise UserError(f"{path}, line {line}: {error}.") from error
        yield line, row


def _separator(header: str, usual: str, column: str | None) -> str:
    """What separates the names in the first row.

    Another one than usual is taken only where the usual one does not occur: a name may hold it.
    """
    bare = _QUOTED.sub("", header)
    others = [other for other in SEPARATORS.values() if other != usual and other in bare]
    if usual in bare or not others or header == column:
        return usual
    return max(others, key=bare.count)


def _place(path: Path, header: list[str], column: str | None) -> int:
    if column is None:
        raise UserError(
            f"{path}: say which column holds the text, by --column or the setting data.column:"
            f" {_listed(header)}."
        )
    if column not in header:
        raise UserError(f"{path}: no column {column!r}; it has {_listed(header)}.")
    if header.count(column) > 1:
        raise UserError(f"{path}: {header.count(column)} columns are called {column!r}.")
    return header.index(column)


def from_objects(
    path: Path,
    lines: Iterable[tuple[int, str]],
    field: str | None,
    label: str | None,
    prompt: str | None,
    is_whole: bool,
) -> Iterator[tuple[int, Record]]:
    """The field of the object on every line, its label and its prompt; a blank line is a blank
    record."""
    for number, line in lines:
        if not line.strip():
            yield number, Record("", None)
            continue
        where = f"{path}, line {number}"
        try:
            # ValueError also covers a number with too many digits.
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{where}: not JSON ({error}).") from error
        if not isinstance(value, dict):
            raise UserError(f"{where}: {_kind(value)}, not an object.")
        if field is None:
            raise UserError(
                f"{where}: say which field holds the text, by --field or the setting data.field:"
                f" {_listed(value)}."
            )
        text = _text(path, number, value, field)
        name = None if label is None else _label(where, value, label)
        begun = None if prompt is None else _text(path, number, value, prompt)
        yield number, Record(text, name, begun, value if is_whole else None)


def from_rows(
    path: Path, column: str | None, label: str | None, prompt: str | None
) -> Iterator[tuple[int, Record]]:
    """The column of every row of a data set, its label and its prompt."""
    for number, row in enumerate(dataset_rows(path), 1):
        if column is None:
            raise UserError(
                f"{path}: say which column holds the text, by --column or the setting data.column:"
                f" {_listed(row)}."
            )
        name = None if label is None else _label(f"{path}, row {number}", row, label)
        begun = None if prompt is None else _text(path, number, row, prompt)
        # A text of several lines is one sentence here.
        text = " ".join(_text(path, number, row, column).splitlines())
        yield number, Record(text, name, begun)


def _text(path: Path, number: int, value: dict[str, object], field: str) -> str:
    """What the object on that line has in a field that must hold text."""
    where, text = f"{path}, line {number}", value.get(field)
    if field not in value:
        raise UserError(f"{where}: no field {field!r}; it has {_listed(value)}.")
    if not isinstance(text, str):
        raise UserError(f"{where}: field {field!r} is {_kind(text)}, not a string.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(f"{where}: field {field!r} holds half a character.") from error
    return checked_text(path, number, text)


def _label(where: str, value: dict[str, object], label: str) -> str:
    """The label as text; a whole number is one as well, as data sets often have it."""
    found = value.get(label)
    if found is None:
        return ""
    if isinstance(found, bool) or not isinstance(found, str | int):
        raise UserError(
            f"{where}: label {label!r} is {_kind(found)}, not a string or a whole number."
        )
    return str(found).strip()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _kind(value: object) -> str:
    return _JSON_KINDS.get(type(value), "a string" if isinstance(value, str) else "a number")
