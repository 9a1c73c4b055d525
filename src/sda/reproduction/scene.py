"""What a panel draws from, and what rows are called and look like in a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sda.reproduction.ledger import Ledger
from sda.reproduction.row_style import Style
from sda.reproduction.rows import Row, base_title


@dataclass(frozen=True)
class Scene:
    """What a panel draws from: all rows of a base, their styles by name, and the whole ledger."""

    base: str
    rows: Sequence[Row]
    styles: Mapping[str, Style]
    ledger: Ledger

    @property
    def title(self) -> str:
        return base_title(self.base)

    @property
    def present(self) -> list[Row]:
        """The rows that have a run."""
        return [row for row in self.rows if row.records]

    def style(self, row: Row) -> Style:
        return self.styles[row.name]

    def line(self, row: Row) -> dict[str, Any]:
        """How a line of the row is drawn."""
        style = self.style(row)
        return {
            "color": style.colour,
            "linestyle": style.dash,
            "linewidth": 1.8 if style.is_main else 1.0,
            "marker": style.marker,
            "markersize": 4.5,
            "zorder": 3 if style.is_main else 2,
            "label": row_label(row),
        }


def row_name(row: Row) -> str:
    """What the row is called beside others of its base."""
    title = row.definition.title
    return ", ".join(part for part in ("MLE", title) if part) if row.is_start else title


def row_label(row: Row) -> str:
    """The name, and how many runs there are if that is one, or fewer than planned."""
    runs = len(row.records)
    if runs == 1:
        return f"{row_name(row)}, single run"
    return f"{row_name(row)}, {runs} runs" if row.missing else row_name(row)
