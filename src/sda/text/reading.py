"""Text files into lines: strict about what they hold, exact about where they break."""

import codecs
import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from sda.errors import UserError
from sda.text.dataset_folder import dataset_rows, is_dataset

SUFFIXES = (".txt", ".csv", ".tsv", ".jsonl")
"""Kinds of files; one with another ending, or none, has a sentence a line like `.txt`."""
NOT_TEXT = (
    *(".docx", ".doc", ".odt", ".rtf", ".pdf", ".xlsx", ".xls", ".ods", ".json", ".html", ".xml"),
    *(".parquet", ".arrow", ".npz", ".npy", ".pt", ".zip", ".tar", ".tgz", ".bz2", ".xz", ".zst"),
)
"""Endings of files that hold text, if any, in a form that is not read here."""
LONGEST_LINE = 100_000
"""Characters; a longer line is no sentence, and is left out."""
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
"""What may stand between the entries of a table."""

WITH_LABELS = (".csv", ".tsv", ".jsonl")

_QUOTED = re.compile(r'"[^"]*"')
_MOST_BYTES = 4 * LONGEST_LINE + 2
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


def read_lines(
    path: Path,
    *,
    column: str | None = None,
    field: str | None = None,
    left_out: set[int] | None = None,
) -> list[str]:
    """Every record of the file in order, blank ones included, without line ends.

    A text file has a sentence a line, `.csv` and `.tsv` a header and a `column`, `.jsonl` an object
    a line with a `field`; each may end in `.gz`. `column` and `field` matter only to files that
    have them. Refuses what is not UTF-8, and names the line. Lines that are too long are left out,
    and their numbers are put into `left_out`.
    """
    return list(each_line(path, column=column, field=field, left_out=left_out))


def each_line(
    path: Path,
    *,
    column: str | None = None,
    field: str | None = None,
    left_out: set[int] | None = None,
) -> Iterator[str]:
    """The records of `read_lines` one by one, so that a file need not fit into memory."""
    return (record.text for record in each_record(path, column, field, None, left_out))


def each_record(
    path: Path,
    column: str | None,
    field: str | None,
    label: str | None,
    left_out: set[int] | None = None,
    prompt: str | None = None,
    is_whole: bool = False,
) -> Iterator[Record]:
    """The same with labels and prompts, from the columns or the fields that `label` and `prompt`
    name.

    A blank sentence needs no label; any other without one is refused. A record that `is_whole` has
    all entries of its row or object.
    """
    too_long = set() if left_out is None else left_out
    suffix, lines = _suffix(path), _decoded(path, too_long)
    if is_dataset(path):
        records = _from_rows(path, column, label, prompt)
    elif suffix == ".txt":
        records = _from_lines(path, lines, label or prompt)
    elif suffix == ".jsonl":
        records = _from_objects(path, lines, field, label, prompt, is_whole)
    else:
        usual = SEPARATORS["comma" if suffix == ".csv" else "tab"]
        records = _from_table(path, lines, column, label, prompt, usual, is_whole)
    is_empty = True
    for number, record in records:
        is_empty = False
        if len(record.text) > LONGEST_LINE:
            too_long.add(number)
        if number in too_long:
            continue
        if label is not None and record.label == "" and record.text.strip():
            raise UserError(
                f"{path}, line {number}: no label in {label!r}; give every sentence one."
            )
        yield record
    if is_empty:
        raise UserError(f"{path} is empty.")


def plain_lines(path: Path) -> list[str]:
    """Every line of a file as it stands, whatever its name ends in; overlong ones are blank."""
    return [text for _, text in _decoded(path, set())]


def check_kinds(paths: Sequence[Path], column: str | None, field: str | None) -> None:
    """At least one of the files has use for each of `column` and `field` that is given."""
    # Columns of data sets are named as those of tables are.
    kinds = {".csv" if is_dataset(path) else _suffix(path) for path in paths}
    for name, value, wanted in (
        ("column", column, (".csv", ".tsv")),
        ("field", field, (".jsonl",)),
    ):
        if value is not None and kinds.isdisjoint(wanted):
            raise UserError(
                f"{paths[0]} has no {name} {value!r}: a {name} is part of {' and '.join(wanted)}"
                " files."
            )


def _suffix(path: Path) -> str:
    """The kind of the file, by its name; a plain text where the name does not tell."""
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(NOT_TEXT):
        raise UserError(
            f"{path}: files of this kind are not read; save it as plain text with a sentence a line"
            " (.txt), as a table (.csv, .tsv), or as JSON lines (.jsonl)."
        )
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), ".txt")


def _decoded(path: Path, too_long: set[int]) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers from 1, line ends removed, as they are asked for.

    One with more bytes than any sentence has is `too_long`, and comes as a blank one.
    """
    try:
        if not path.exists():
            raise UserError(f"{path} does not exist.")
        if path.is_dir():
            raise UserError(f"{path} is a folder; a file is needed.")
        with _opened(path) as file:
            number = 0
            # Reading by readline with a limit keeps a file without line ends out of memory.
            while raw := file.readline(_MOST_BYTES + 1):
                number += 1
                if len(raw) > _MOST_BYTES:
                    too_long.add(number)
                    while raw and not raw.endswith(b"\n"):
                        raw = file.readline(_MOST_BYTES)
                    raw = b""
                yield number, _decode(path, number, raw)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{path} is not a whole gzip file ({error}).") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error


def _opened(path: Path) -> BinaryIO:
    if path.name.lower().endswith(".gz"):
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


def _decode(path: Path, number: int, raw: bytes) -> str:
    if number == 1:
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise UserError(f"{path}, line 1: the file is UTF-16; save it as UTF-8.")
        raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}, line {number}: byte 0x{raw[error.start]:02x} at position {error.start + 1}"
            " is not UTF-8."
        ) from error
    return _checked(path, number, text.removesuffix("\n").removesuffix("\r"))


def _checked(path: Path, number: int, text: str) -> str:
    """The text itself, once it is known to be plain."""
    if "\0" in text:
        raise UserError(f"{path}, line {number}: a NUL byte; the file is not plain UTF-8 text.")
    return text


def _from_lines(
    path: Path, lines: Iterable[tuple[int, str]], label: str | None
) -> Iterator[tuple[int, Record]]:
    if label is not None:
        raise UserError(
            f"{path} has no label {label!r}: labels stand in {', '.join(WITH_LABELS)} files."
        )
    for number, text in lines:
        yield number, Record(text, None)


def _from_table(
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
    while True:
        first = rows.line_num + 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise UserError(f"{path}, line {first}: {error}.") from error
        if row is None:
            return
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
            text = _checked(path, first, row[place])
            name = None if label_place is None else row[label_place].strip()
            begun = None if prompt_place is None else _checked(path, first, row[prompt_place])
            entries = dict(zip(header, row, strict=True)) if is_whole else None
            yield first, Record(text, name, begun, entries)


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


def _from_objects(
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


def _from_rows(
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
    return _checked(path, number, text)


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
