"""Tables of labelled texts: read with all their columns, and written with new rows behind them."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sda.errors import UserError
from sda.files import write_text
from sda.text.reading import WITH_LABELS, each_record

FEWEST = 2
"""Rows of a label: one to learn from, and one to be asked about."""


@dataclass(frozen=True)
class LabelledRows:
    """Texts and their labels, row by row, with all that stood beside them by column."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    entries: tuple[Mapping[str, Any], ...]
    text_column: str
    label_column: str
    skipped: int = 0
    """Rows that have no text, or one too long to be a sentence."""

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels that occur, in alphabetical order."""
        return tuple(sorted(set(self.labels)))

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for entry in self.entries for name in entry))

    def counts(self) -> Counter[str]:
        return Counter(self.labels)


def read_labelled(path: Path, text: str, label: str) -> LabelledRows:
    """The rows of a table, or the objects of a `.jsonl` file, that have a text."""
    left_out: set[int] = set()
    records = list(each_record(path, text, text, label, left_out, is_whole=True))
    found = [record for record in records if record.text.strip()]
    rows = LabelledRows(
        tuple(record.text for record in found),
        tuple(record.label or "" for record in found),
        tuple(record.entries or {} for record in found),
        text,
        label,
        len(records) - len(found) + len(left_out),
    )
    _refuse_few(path, rows)
    return rows


def of_lists(texts: Sequence[str], labels: Sequence[str | int]) -> LabelledRows:
    """The rows of two lists of one length."""
    if len(texts) != len(labels):
        raise UserError(f"{len(texts):,} texts and {len(labels):,} labels: give every text one.")
    pairs = [(text, str(label)) for text, label in zip(texts, labels, strict=True) if text.strip()]
    entries = tuple({"text": text, "label": label} for text, label in pairs)
    rows = LabelledRows(
        tuple(text for text, _ in pairs),
        tuple(label for _, label in pairs),
        entries,
        "text",
        "label",
        len(texts) - len(pairs),
    )
    _refuse_few("the texts", rows)
    return rows


def _refuse_few(where: object, rows: LabelledRows) -> None:
    counts = rows.counts()
    if len(counts) < 2:
        names = ", ".join(map(repr, counts)) or "none"
        raise UserError(
            f"{where}: at least two different labels are needed in {rows.label_column!r}, and there"
            f" is {names}."
        )
    few = [name for name, count in counts.items() if count < FEWEST]
    if few:
        raise UserError(
            f"{where}: label {few[0]!r} has one row; every label needs at least {FEWEST}."
        )


def write_rows(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows as the ending of the path asks for: `.csv`, `.tsv` or `.jsonl`.

    Texts stand there as they are: a model will learn from them, and a mark that keeps a spreadsheet
    from running a cell would be learned too.
    """
    suffix = path.suffix.lower()
    if suffix not in WITH_LABELS:
        raise UserError(f"{path}: name a file that ends in {', '.join(WITH_LABELS)}.")
    if suffix == ".jsonl":
        lines = (json.dumps(dict(row), ensure_ascii=False) for row in rows)
        write_text(path, "".join(f"{line}\n" for line in lines))
        return
    text = io.StringIO()
    writer = csv.writer(text, delimiter="," if suffix == ".csv" else "\t", lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in columns])
    write_text(path, text.getvalue())


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
