"""Tables on the terminal.

Cells and titles may quote a path or a text of the user's, whose brackets are no markup.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

from rich import table as rich_table
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement

from sda.show.table import Cell, Group, Table, is_flagged

MOST_COLUMNS = 6  # beside the fixed ones; more are hard to read across
USUAL_WIDTH = 100  # of a table for the terminal that is written to a file
LONGEST_NAME, SHORTEST_NAME = 34, 8
_ENDLESS = 10_000  # columns
_FRAME = 3  # a border and two blanks for each column


def show(table: Table, console: Console) -> None:
    """Print the table and what stands below it; in pieces where it would break figures."""
    whole = as_rich(table)
    anywhere = console.options.update(max_width=_ENDLESS)
    fits = Measurement.get(console, anywhere, whole).minimum <= console.width
    for piece in [whole] if fits else pieces(table, console.width):
        console.print(piece)
    show_notes(table, console)


def show_all(tables: Sequence[Table], console: Console) -> None:
    """Print the tables one below the other."""
    for table in tables:
        show(table, console)


def show_wide(tables: Sequence[Table], console: Console) -> None:
    """Print tables of many columns, each in as many pieces as it takes to fit the width."""
    for table in tables:
        for piece in pieces(table, console.width):
            console.print(piece)
        show_notes(table, console)


def wide_text(tables: Sequence[Table]) -> str:
    """What `show_wide` prints on a terminal of usual width."""
    text = io.StringIO()
    show_wide(tables, Console(file=text, width=USUAL_WIDTH))
    return text.getvalue()


def show_notes(table: Table, console: Console) -> None:
    """Print the sentences that stand below a table."""
    for name, text in table.alarms:
        console.print(f"ALARM {name}: {text}", style="red", markup=False, highlight=False)
    for note in table.notes:
        console.print(note, markup=False, highlight=False)


def as_rich(table: Table) -> rich_table.Table:
    """The whole table, with a rule between groups and no header where no column has a title."""
    found = rich_table.Table(
        title=escape(table.title), title_justify="left", show_header=any(table.header)
    )
    for column in table.columns:
        found.add_column(
            escape(column.title),
            justify=column.align,
            overflow="fold",
            no_wrap=column.is_whole,
        )
    for group in table.groups:
        found.add_section()
        for row, texts in zip(group.rows, table.texts(group), strict=True):
            found.add_row(*map(_marked, row, texts))
    return found


def pieces(table: Table, width: int) -> list[rich_table.Table]:
    """The table in pieces of some columns, each of which fits the width.

    The fixed columns, which say what a row is, stand in every piece.
    """
    fixed = table.fixed
    widths = _widths(table, width)
    room = width - 1 - sum(widths[:fixed]) - _FRAME * fixed
    parts: list[list[int]] = []
    left = 0
    for place in range(fixed, len(table.columns)):
        needed = widths[place] + _FRAME
        if not parts or needed > left or len(parts[-1]) == MOST_COLUMNS:
            parts.append([])
            left = room
        parts[-1].append(place)
        left -= needed
    found = []
    for number, part in enumerate(parts or [[]]):
        kept = [*range(fixed), *part]
        piece = as_rich(_only(table, kept, "" if number else table.title))
        for column, place in zip(piece.columns, kept, strict=True):
            column.width, column.no_wrap = widths[place], False
        found.append(piece)
    return found


def _widths(table: Table, width: int) -> list[int]:
    """The width of each column, such that the fixed ones leave room for any one of the others."""
    body = table.body
    widths = [
        max(cell_len(text) for text in (*name.split(), *(row[place] for row in body), ""))
        for place, name in enumerate(table.header)
    ]
    fixed = table.fixed
    room = width - 1 - sum(widths[1:fixed]) - _FRAME * fixed
    widest = max(widths[fixed:], default=0) + _FRAME
    # A long name breaks into lines rather than leave no room for figures.
    longest = max(SHORTEST_NAME, min(LONGEST_NAME, room - widest))
    widths[0] = min(widths[0], longest)
    # Where even so there is none, figures break too.
    left = max(1, room - widths[0] - _FRAME)
    return [*widths[:fixed], *(min(found, left) for found in widths[fixed:])]


def _only(table: Table, places: Sequence[int], title: str) -> Table:
    """Some columns of a table."""
    return replace(
        table,
        title=title,
        columns=[table.columns[place] for place in places],
        groups=[
            Group(group.title, [[row[place] for place in places] for row in group.rows])
            for group in table.groups
        ],
    )


def _marked(cell: Cell, text: str) -> str:
    return f"[bold red]{escape(text)}[/]" if is_flagged(cell) else escape(text)
