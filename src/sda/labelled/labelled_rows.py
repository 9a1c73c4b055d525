"""Tables of labelled texts: read with all their columns, and written with new rows behind them."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sda.errors import UserError, brief
from sda.files import whole_file
from sda.text.reading import LONGEST_LINE, each_record
from sda.text.records import WITH_LABELS

FEWEST = 2
"""Rows of a label: one to learn from, and one to be asked about."""
FEWEST_DRAWN = 10
"""Rows that a label keeps, where it has them, however rare it is where rows are drawn."""


@dataclass(frozen=True)
class LabelledRows:
    """Texts and their labels, row by row.

    `entries` is every row of the file by column, those without a text among them.
    """

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    entries: tuple[Mapping[str, Any], ...] = ()
    text_column: str = "text"
    label_column: str = "label"

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels that occur, in alphabetical order."""
        return tuple(sorted(set(self.labels)))

    @property
    def numbers(self) -> NDArray[np.int64]:
        """(N,) the place of each row's label among the names."""
        places = {name: place for place, name in enumerate(self.names)}
        return np.array([places[label] for label in self.labels], np.int64)

    @property
    def blank(self) -> int:
        """How many rows have no text."""
        return len(self.entries) - len(self.texts)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for entry in self.entries for name in entry))

    def label_values(self) -> dict[str, Any]:
        """Each label as it stands in the file: in an object it may be a number."""
        found: dict[str, Any] = {}
        for entry in self.entries:
            if entry[self.text_column].strip():
                found.setdefault(str(entry[self.label_column]).strip(), entry[self.label_column])
        return found

    def counts(self) -> dict[str, int]:
        """How many rows each label has, in the order of the names."""
        found = Counter(self.labels)
        return {name: found[name] for name in self.names}

    def some(self, most: int, seed: int) -> LabelledRows:
        """About so many rows at most, drawn by the seed; every label keeps its share, and ten rows
        where it has them."""
        if len(self) <= most:
            return self
        rng = np.random.default_rng(seed)
        numbers = self.numbers
        chosen: list[int] = []
        for number, count in enumerate(self.counts().values()):
            own = rng.permutation(np.flatnonzero(numbers == number))
            chosen += own[: max(FEWEST_DRAWN, count * most // len(self))].tolist()
        chosen.sort()
        return LabelledRows(
            tuple(self.texts[row] for row in chosen), tuple(self.labels[row] for row in chosen)
        )


def read_labelled(path: Path, text: str, label: str) -> LabelledRows:
    """The rows of a table, or the objects of a `.jsonl` file."""
    too_long: set[int] = set()
    records = list(each_record(path, text, text, label, too_long, is_whole=True))
    if too_long:
        raise UserError(
            f"{path}, line {min(too_long)}: more than {LONGEST_LINE:,} characters, which is no"
            " text to learn from; shorten it or take it out."
        )
    found = [record for record in records if record.text.strip()]
    rows = LabelledRows(
        tuple(record.text for record in found),
        tuple(record.label or "" for record in found),
        tuple(record.entries for record in records if record.entries is not None),
        text,
        label,
    )
    _refuse_few(path, rows)
    return rows


def of_lists(texts: Sequence[str], labels: Sequence[str | int]) -> LabelledRows:
    """The rows of two lists of one length."""
    if len(texts) != len(labels):
        raise UserError(f"{len(texts):,} texts and {len(labels):,} labels: give every text one.")
    strange = next((text for text in texts if not isinstance(text, str)), None)
    if strange is not None:
        raise UserError(f"texts: {brief(strange)} is not a text.")
    entries = tuple(
        {"text": text, "label": str(label)} for text, label in zip(texts, labels, strict=True)
    )
    found = [entry for entry in entries if entry["text"].strip()]
    rows = LabelledRows(
        tuple(entry["text"] for entry in found), tuple(entry["label"] for entry in found), entries
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


def check_table_name(option: str, path: Path) -> None:
    """Refuse a file to write that is no table by its name, or whose folder is not there."""
    if path.suffix.lower() not in WITH_LABELS:
        raise UserError(f"{option}: {path}: name a file that ends in {', '.join(WITH_LABELS)}.")
    if not path.parent.is_dir():
        raise UserError(f"{option}: {path}: there is no folder {path.parent}.")


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """The rows as the ending of the path asks for: `.csv`, `.tsv` or `.jsonl`.

    Texts stand there as they are: a model will learn from them, and a mark that keeps a spreadsheet
    from running a cell would be learned too.
    """
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        try:
            if path.suffix.lower() == ".jsonl":
                text.writelines(f"{json.dumps(dict(row), ensure_ascii=False)}\n" for row in rows)
            else:
                separator = "," if path.suffix.lower() == ".csv" else "\t"
                writer = csv.writer(text, delimiter=separator, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
        finally:
            # The file is closed by who opened it.
            text.detach()


def _cell(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    # Fields of objects that become cells keep the form that they had.
    return json.dumps(value, ensure_ascii=False)
