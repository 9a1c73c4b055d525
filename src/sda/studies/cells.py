"""Tables of text that any program may open: cells that a spreadsheet would run are made harmless,
and what comes back is read with the number of its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sda.errors import UserError
from sda.text.records import numbered

if TYPE_CHECKING:
    from _csv import Reader

_DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
HARMLESS = "'"
SEPARATORS = {".csv": ",", ".tsv": "\t"}
MOST_CELL = 1_000_000  # characters


def harmless(value: object) -> object:
    """The cell; a text that a spreadsheet would take for a formula gets a quote before it."""
    if isinstance(value, str) and value.startswith(_DANGEROUS):
        return HARMLESS + value
    return value


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with commas, as every spreadsheet reads it."""
    text = io.StringIO()
    # Only what may end a line is quoted where it stands in a cell: both characters do.
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def read_rows(path: Path) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """The names of the columns, and each row by name with the number of the line it begins in.

    Tabs separate the cells of a `.tsv` file, where a quotation mark is a character like others.
    """
    separator = SEPARATORS.get(path.suffix.lower())
    if separator is None:
        raise UserError(f"{path}: ratings are read from .csv and .tsv files")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8") from None
    csv.field_size_limit(MOST_CELL)
    stream = io.StringIO(text, newline="")
    if separator == "\t":
        reader = csv.reader(stream, delimiter=separator, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(stream)
    header = next(reader, None)
    if not header:
        raise UserError(f"{path} is empty")
    return header, _rows(path, header, reader)


def _rows(path: Path, header: list[str], reader: Reader) -> Iterator[tuple[int, dict[str, str]]]:
    for line, row in numbered(path, reader):
        if not row:
            continue
        if len(row) != len(header):
            raise UserError(
                f"{path}, line {line}: {len(row)} cells where the header has {len(header)}"
            )
        yield line, dict(zip(header, row, strict=True))


def require_columns(path: Path, header: Sequence[str], wanted: Mapping[str, str | None]) -> None:
    """Every column that is wanted is there; the keys are options that named them, or their use."""
    for use, name in wanted.items():
        if name is not None and name not in header:
            raise UserError(f"{path}: no column {name!r} ({use}); it has {', '.join(header)}")
