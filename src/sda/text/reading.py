"""Text files into lines: strict about what they hold, exact about where they break."""

import codecs
import gzip
import math
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from sda.errors import UserError
from sda.text.dataset_folder import is_dataset
from sda.text.records import (
    SEPARATORS,
    Record,
    checked_text,
    from_lines,
    from_objects,
    from_rows,
    from_table,
)

SUFFIXES = (".txt", ".csv", ".tsv", ".jsonl")
"""Kinds of files; one with another ending, or none, has a sentence a line like `.txt`."""
NOT_TEXT = (
    *(".docx", ".doc", ".odt", ".rtf", ".pdf", ".xlsx", ".xls", ".ods", ".json", ".html", ".xml"),
    *(".parquet", ".arrow", ".npz", ".npy", ".pt", ".zip", ".tar", ".tgz", ".bz2", ".xz", ".zst"),
)
"""Endings of files that hold text, if any, in a form that is not read here."""
LONGEST_LINE = 100_000
"""Characters; a longer line is no sentence, and is left out."""
LARGEST_EXPANSION = 200
"""How many times as large a packed text may be unpacked; text in any language stays below 20."""
ALWAYS_UNPACKED = 2**28
_MOST_BYTES = 4 * LONGEST_LINE + 2


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
    path: Path, *, column: str | None, field: str | None, left_out: set[int] | None = None
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
        records = from_rows(path, column, label, prompt)
    elif suffix == ".txt":
        records = from_lines(path, lines, label or prompt)
    elif suffix == ".jsonl":
        records = from_objects(path, lines, field, label, prompt, is_whole)
    else:
        usual = SEPARATORS["comma" if suffix == ".csv" else "tab"]
        records = from_table(path, lines, column, label, prompt, usual, is_whole)
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
        if path.is_char_device() or path.is_block_device():
            raise UserError(f"{path} is a device; a file is needed.")
        most = _most_unpacked(path)
        with _opened(path) as file:
            number = size = 0
            # Reading by readline with a limit keeps a file without line ends out of memory.
            while raw := file.readline(_MOST_BYTES + 1):
                number += 1
                size += len(raw)
                if len(raw) > _MOST_BYTES:
                    too_long.add(number)
                    while raw and not raw.endswith(b"\n") and size <= most:
                        raw = file.readline(_MOST_BYTES)
                        size += len(raw)
                    raw = b""
                if size > most:
                    raise UserError(
                        f"{path} unpacks to over {LARGEST_EXPANSION} times its size, which no text"
                        " does; unpack it yourself if it is one."
                    )
                yield number, _decode(path, number, raw)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{path} is not a whole gzip file ({error}).") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error


def _most_unpacked(path: Path) -> float:
    """The most bytes that a packed file may hold; a small one may be of one word alone."""
    if not path.name.lower().endswith(".gz"):
        return math.inf
    return max(ALWAYS_UNPACKED, LARGEST_EXPANSION * path.stat().st_size)


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
    return checked_text(path, number, text.removesuffix("\n").removesuffix("\r"))
