"""What came of augmentation: the new rows as a table, and what was not taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sda.labelled.labelled_rows import LabelledRows
from sda.labelled.row_choice import Written

NEW_COLUMNS = ("source", "score", "confidence", "nats", "copied", "nearest", "similarity")
ORIGINAL, GENERATED = "original", "generated"


@dataclass(frozen=True)
class Augmented:
    """The new rows, best first within each label, what was not taken, and what was not tried."""

    rows: LabelledRows
    written: tuple[Written, ...]
    rejected: tuple[Written, ...]
    wanted: Mapping[str, int]
    declined: tuple[str, ...] = ()
    """Sentences: which rows were not written though they were wanted, why, and what to do."""

    @property
    def missing(self) -> dict[str, int]:
        """How many rows of each label could not be had."""
        found = Counter(one.label for one in self.written)
        return {name: n - found[name] for name, n in self.wanted.items() if n > found[name]}

    def table(self) -> tuple[list[str], Iterator[dict[str, Any]]]:
        """Columns and rows: the originals with all that they had, then the new ones."""
        return [*self.rows.columns, *NEW_COLUMNS], self._rows()

    def _rows(self) -> Iterator[dict[str, Any]]:
        rows = self.rows
        for entry in rows.entries:
            yield {**entry, "source": ORIGINAL}
        values = rows.label_values()
        for one in self.written:
            named = {rows.text_column: one.text, rows.label_column: values[one.label]}
            yield {**named, "source": GENERATED, **one.figures()}

    def rejected_table(self) -> tuple[list[str], list[dict[str, Any]]]:
        """Columns and rows of what was not taken, each with its reason."""
        columns = ["text", "label", "reason", *NEW_COLUMNS[1:]]
        return columns, [
            {"text": one.text, "label": one.label, "reason": one.reason, **one.figures()}
            for one in self.rejected
        ]
