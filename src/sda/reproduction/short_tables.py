"""The short table of a page: few columns, all bases under one header.

What it leaves out, `sda table EXPERIMENT --all` tells.
"""

from __future__ import annotations

from collections.abc import Sequence

from sda.errors import UserError
from sda.reproduction.rows import base_title
from sda.reproduction.sheets import distance_cell, over_seeds, plain
from sda.reproduction.summary import summarize
from sda.reproduction.tables import ABOVE, CURVE, ON_CURVE, BaseTable, TableLine
from sda.show.shown_scores import score_column
from sda.show.table import NAMES, Cell, Column, Group, Table

MOST_COLUMNS = 8


def short_sheet(tables: Sequence[BaseTable], scores: Sequence[str] = ()) -> Table:
    """The lines of all bases that have a figure, with these scores or as many as there is room for.

    A score has the paper's figure beside it, and the last column is the distance from the curve of
    the start with its interval, where there is one. Lines about another number of sentences than
    the rest are left out: beside it they would mislead.
    """
    ready = [table for table in tables if table.has_runs]
    known = tables[0].columns
    for name in scores:
        if name not in known:
            raise UserError(f"unknown score {name!r} (known: {', '.join(known)})")
    in_paper = {name for table in ready for line in table.lines for name in line.paper}
    has_distances = any(
        row.distances(table.plane) for table in ready for row in table.rows if not row.is_start
    )
    room = MOST_COLUMNS - 2 - has_distances
    shown = list(scores) or _that_fit(known, in_paper, room)
    if len(_header(shown, in_paper)) > room:
        raise UserError(f"more than {MOST_COLUMNS} columns, the paper's among them")
    groups = []
    for table in ready:
        rows: list[list[Cell]] = []
        for line in table.lines:
            if line.title.endswith(ON_CURVE):
                continue
            cells = _cells(line, shown, in_paper)
            if any(cell is not None for cell in cells):
                above = [_above(table, line)] if has_distances else []
                rows.append([line.name, len(line.seeds), *cells, *above])
        groups.append(Group(f"base {base_title(table.base)}" if len(ready) > 1 else "", rows))
    fixed = [NAMES, Column("seeds", digits=0)]
    ends = [Column(ABOVE)] if has_distances else []
    columns = [*fixed, *_header(shown, in_paper), *ends]
    title = f"{tables[0].experiment.heading()}, profile {tables[0].profile}"
    return Table(title, columns, groups, _notes(ready, has_distances), fixed=len(fixed))


def _that_fit(known: Sequence[str], in_paper: set[str], room: int) -> list[str]:
    """The first scores whose columns fit."""
    shown: list[str] = []
    for name in known:
        if len(_header([*shown, name], in_paper)) > room:
            break
        shown.append(name)
    return shown


def _header(scores: Sequence[str], in_paper: set[str]) -> list[Column]:
    found = []
    for name in scores:
        found += [score_column(name), *([Column(f"{name}, paper")] if name in in_paper else [])]
    return found


def _cells(line: TableLine, scores: Sequence[str], in_paper: set[str]) -> list[Cell]:
    found: list[Cell] = []
    for name in scores:
        found.append(over_seeds(summarize(list(line.values.get(name, {}).values())), name))
        if name in in_paper:
            found.append(plain(line.paper.get(name), name))
    return found


def _above(table: BaseTable, line: TableLine) -> Cell:
    if line.row is None:
        return None
    if line.row.is_start:
        return CURVE
    found = line.row.distances(table.plane).values()
    return distance_cell([distance.as_trained for distance in found], has_interval=True)


def _notes(tables: Sequence[BaseTable], has_distances: bool) -> list[str]:
    """The notes of the bases' tables, each once; one that is true of one base alone names it."""
    left_out = (f"Rows{ON_CURVE}", *(() if has_distances else (f"{ABOVE}:",)))
    found = [
        (table, note)
        for table in tables
        for note in table.sheet().notes
        if not note.startswith(left_out)
    ]
    texts = [note for _, note in found]
    kept = [
        note if texts.count(note) == len(tables) else f"{base_title(table.base)}: {note}"
        for table, note in found
    ]
    return list(dict.fromkeys(kept))
