"""The columns and cells of an experiment's tables: figures over seeds, beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sda.reproduction.summary import SeedSummary, summarize
from sda.show.shown_scores import score_figure
from sda.show.table import NAMES, Cell, Column, Figure, Table

SINGLE = "(single run)"
OUTSIDE = "outside"


def sheet(
    title: str, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], notes: Sequence[str]
) -> Table:
    """A table whose rows begin with a name and a number of seeds; `columns` are the others."""
    fixed = (NAMES, Column("seeds", digits=0))
    return Table.of_rows(title, [*fixed, *columns], rows, notes, fixed=len(fixed))


def row_name(title: str, seeds: int) -> str:
    """The title, which says so where there is one run only."""
    return f"{title} {SINGLE}" if seeds == 1 else title


def over_seeds(summary: SeedSummary | None, column: str, is_signed: bool = False) -> Figure | None:
    """Mean and standard deviation, or the one value there is."""
    if summary is None:
        return None
    return score_figure(column, summary.mean, summary.sd, is_signed=is_signed)


def with_interval(summary: SeedSummary | None, column: str = "") -> Figure | None:
    """Mean with its sign and 95 % interval, or the one value there is."""
    if summary is None:
        return None
    return score_figure(column, summary.mean, interval=summary.interval, is_signed=True)


def distance_cell(values: Sequence[float | None], has_interval: bool) -> Cell:
    """Distances of several seeds; one outside the range of its curve is told and not guessed."""
    if not values:
        return None
    inside = [value for value in values if value is not None]
    summary = summarize(inside)
    found = with_interval(summary) if has_interval else over_seeds(summary, "", is_signed=True)
    if found is None:
        return OUTSIDE
    few = "" if len(inside) == len(values) else f", {len(inside)} of {len(values)} inside"
    return replace(found, remark=few)


def plain(value: float | None, column: str) -> Figure | None:
    """A figure without a spread."""
    return None if value is None else score_figure(column, value)
