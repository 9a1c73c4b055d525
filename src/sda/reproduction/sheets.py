"""Tables of cells with notes below, in every form that a reader may want."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console

from sda.evaluation.catalogue import LIKELIHOOD, TRUTH, kind_of
from sda.reproduction.cost_columns import COSTS
from sda.reproduction.summary import SeedSummary, summarize
from sda.show.comparison import latex_table, markdown_table
from sda.show.rich_tables import narrow_tables

NOTHING = "-"
SINGLE = "(single run)"
WIDTH = 100  # of a table for the terminal that is written to a file
OUTSIDE = "outside"


@dataclass(frozen=True)
class Sheet:
    """Rows of cells under a header, the first cell a name and the second a number of seeds."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def row_name(title: str, seeds: int) -> str:
    """The title, which says so where there is one run only."""
    return f"{title} {SINGLE}" if seeds == 1 else title


def cell(summary: SeedSummary | None, column: str, signed: bool = False) -> str:
    """Mean and standard deviation, the one value there is, or a dash."""
    if summary is None:
        return NOTHING
    digits = _digits(summary.mean, column)
    text = _figure(summary.mean, digits, signed)
    return text if summary.sd is None else f"{text} ± {summary.sd:.{digits}f}"


def cell_with_interval(summary: SeedSummary | None, column: str = "") -> str:
    """Mean with its sign and 95 % interval, or the one value there is."""
    if summary is None:
        return NOTHING
    digits = _digits(summary.mean, column)
    text = _figure(summary.mean, digits, signed=True)
    if summary.interval is None:
        return text
    low, high = (_figure(end, digits, signed=True) for end in summary.interval)
    return f"{text} ({low} to {high})"


def distance_cell(values: Sequence[float | None], has_interval: bool) -> str:
    """Distances of several seeds; one outside the range of its curve is told and not guessed."""
    if not values:
        return NOTHING
    inside = [value for value in values if value is not None]
    if not inside:
        return OUTSIDE
    summary = summarize(inside)
    text = cell_with_interval(summary) if has_interval else cell(summary, "", signed=True)
    few = "" if len(inside) == len(values) else f", {len(inside)} of {len(values)} inside"
    return text + few


def plain(value: float | None, column: str) -> str:
    """A figure without a spread, or a dash."""
    return NOTHING if value is None else _figure(value, _digits(value, column), False)


def _digits(value: float, column: str) -> int:
    """Those of the catalogue, but no more than a large figure needs."""
    if column in COSTS:
        return COSTS[column].digits
    kind, size = kind_of(column), abs(value)
    # Nats are logarithms: a hundredth counts however large the figure is.
    if size < 10 or kind.group in (LIKELIHOOD, TRUTH):
        return kind.digits
    return min(kind.digits, 1 if size < 1000 else 0)


def _figure(value: float, digits: int, signed: bool) -> str:
    # Rounding leaves the sign of a small negative number, and adding 0 takes it away.
    rounded = round(value, digits) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''}.{digits}f}"


def markdown(sheet: Sheet) -> str:
    """A table, then the notes as a list."""
    notes = "".join(f"- {note}\n" for note in sheet.notes)
    return f"**{sheet.title}**\n\n{markdown_table(sheet.header, sheet.rows)}" + (
        f"\n{notes}" if notes else ""
    )


def latex(sheet: Sheet) -> str:
    """A `tabular` under a comment with the title; the notes are comments."""
    comments = "".join(f"% {note}\n" for note in sheet.notes)
    return f"% {sheet.title}\n{latex_table(sheet.header, sheet.rows)}{comments}"


def show(sheets: Sequence[Sheet], console: Console) -> None:
    """Print the sheets, each as many tables as it takes to fit the width."""
    for sheet in sheets:
        for table in narrow_tables(sheet.header, sheet.rows, sheet.title, console.width, fixed=2):
            console.print(table)
        for note in sheet.notes:
            console.print(note, markup=False, highlight=False)


def screen(sheets: Sequence[Sheet]) -> str:
    """What `show` prints on a terminal of usual width."""
    text = io.StringIO()
    show(sheets, Console(file=text, width=WIDTH))
    return text.getvalue()
