"""A table as data: what it holds is said once, and every form of it is written from that.

Forms: the terminal (`rich_tables`), Markdown and LaTeX (`markup`), HTML (`templates`),
and JSON (`Table.as_dict`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

NOTHING = "-"  # stands where a row has no figure
FLAG = "!"  # stands behind a figure that an alarm is about


@dataclass(frozen=True)
class Figure:
    """A number, how far it is to be trusted, and how it is written.

    `digits` are its decimals; None leaves them to the column. `remark` stands behind the number.
    """

    value: float
    digits: int | None = None
    deviation: float | None = None
    interval: tuple[float, float] | None = None
    is_signed: bool = False
    is_flagged: bool = False
    remark: str = ""

    def text(self, digits: int | None = None) -> str:
        """As people read it; `digits` are those of the column."""
        places = self.digits if self.digits is not None else digits
        if places is None:
            places = usual_digits(self.value)
        text = _rounded(self.value, places, self.is_signed)
        if self.deviation is not None:
            text += f" ± {self.deviation:.{places}f}"
        if self.interval is not None:
            low, high = (_rounded(end, places, self.is_signed) for end in self.interval)
            text += f" ({low} to {high})"
        return f"{text}{self.remark}{FLAG if self.is_flagged else ''}"

    def as_dict(self) -> dict[str, Any]:
        """What is known of the number, ready for JSON."""
        found = {
            "value": self.value,
            "deviation": self.deviation,
            "interval": None if self.interval is None else list(self.interval),
            "flagged": self.is_flagged or None,
            "remark": self.remark or None,
        }
        return {name: value for name, value in found.items() if value is not None}


Cell = str | float | Figure | None
"""A text, a number, or None where there is nothing."""


def is_flagged(cell: Cell) -> bool:
    """Whether an alarm is about what the cell holds."""
    return isinstance(cell, Figure) and cell.is_flagged


@dataclass(frozen=True)
class Column:
    """What the cells of a column have in common.

    `digits` are the decimals of its numbers, None for those that suit the size of each.
    `higher_is_better` is None where neither direction is good in itself. The terminal breaks no
    cell of a `is_whole` column into lines.
    """

    title: str
    align: Literal["left", "right"] = "right"
    digits: int | None = None
    higher_is_better: bool | None = None
    is_whole: bool = False
    about: str = ""

    def text(self, cell: Cell) -> str:
        """The cell as people read it."""
        if cell is None:
            return NOTHING
        if isinstance(cell, str):
            return cell
        figure = cell if isinstance(cell, Figure) else Figure(cell)
        return figure.text(self.digits)


NAMES = Column("", align="left")
"""The first column of most tables: what each row is about."""


@dataclass(frozen=True)
class Group:
    """Rows of one kind; `about` says on pages what that is."""

    title: str
    rows: Sequence[Sequence[Cell]]
    about: str = ""


@dataclass(frozen=True)
class Table:
    """Groups of rows under one header, and below them sentences that belong to them.

    The first `fixed` columns say what a row is. An alarm is the name of what it is about, and a
    sentence.
    """

    title: str
    columns: Sequence[Column]
    groups: Sequence[Group]
    notes: Sequence[str] = ()
    alarms: Sequence[tuple[str, str]] = ()
    fixed: int = 1

    @classmethod
    def of_rows(
        cls,
        title: str,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Cell]],
        notes: Sequence[str] = (),
        alarms: Sequence[tuple[str, str]] = (),
        fixed: int = 1,
    ) -> Table:
        """A table whose rows are all of one kind."""
        return cls(title, columns, [Group("", rows)] if rows else [], notes, alarms, fixed)

    @property
    def header(self) -> list[str]:
        return [column.title for column in self.columns]

    @property
    def body(self) -> list[list[str]]:
        """All rows as people read them, whatever their group."""
        return [row for group in self.groups for row in self.texts(group)]

    def texts(self, group: Group) -> list[list[str]]:
        """The rows of a group as people read them."""
        return [
            [column.text(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in group.rows
        ]

    def as_dict(self) -> dict[str, Any]:
        """All that the table holds, with numbers as they are, ready for JSON."""
        return {
            "title": self.title,
            "columns": [
                {"title": column.title, "higher_is_better": column.higher_is_better}
                for column in self.columns
            ],
            "groups": [
                {"title": group.title, "rows": [list(map(_value, row)) for row in group.rows]}
                for group in self.groups
            ],
            "notes": list(self.notes),
            "alarms": [{"of": name, "alarm": text} for name, text in self.alarms],
        }


def fact_table(title: str, facts: Sequence[tuple[str, str]]) -> Table:
    """What is told by a name and a text each; it needs no header."""
    return Table.of_rows(title, (NAMES, Column("")), facts)


def usual_digits(value: float, small: int = 3) -> int:
    """The decimals that suit a number of this size, where one below ten has `small`."""
    size = abs(value)
    return small if size < 10 else min(small, 1) if size < 1000 else 0


def _rounded(value: float, digits: int, is_signed: bool) -> str:
    # Rounding leaves the sign of a small negative number, and adding 0 takes it away.
    rounded = round(value, digits) + 0.0
    return f"{rounded:{'+' if is_signed and rounded else ''}.{digits}f}"


def _value(cell: Cell) -> Any:
    return cell.as_dict() if isinstance(cell, Figure) else cell
