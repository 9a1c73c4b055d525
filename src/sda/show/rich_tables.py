"""Tables for the terminal.

Cells and titles may quote a path or a text of the user's, whose brackets are no markup.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import JustifyMethod
from rich.markup import escape
from rich.table import Table

MOST_COLUMNS = 6  # beside the fixed ones; more are hard to read across
_FRAME = 3  # a border and two blanks for each column
LONGEST_NAME = 34


def rich_table(header: Sequence[str], body: Sequence[Sequence[str]], title: str) -> Table:
    """Rows under a header, the first column to the left, figures to the right."""
    table = Table(title=escape(title), title_justify="left")
    for number, name in enumerate(header):
        justify: JustifyMethod = "right" if number else "left"
        table.add_column(escape(name), justify=justify, overflow="fold")
    for row in body:
        table.add_row(*map(escape, row))
    return table


def narrow_tables(
    header: Sequence[str], body: Sequence[Sequence[str]], title: str, width: int, fixed: int = 1
) -> list[Table]:
    """The table in pieces of some columns, each of which fits the width.

    The first `fixed` columns, which say what a row is, stand in every piece.
    """
    widths = [
        max(cell_len(text) for text in (*name.split(), *(row[column] for row in body), ""))
        for column, name in enumerate(header)
    ]
    # A long name breaks into lines rather than leave no room for figures.
    widths[0] = min(widths[0], LONGEST_NAME)
    room = width - 1 - sum(widths[:fixed]) - _FRAME * fixed
    pieces: list[list[int]] = []
    left = 0
    for column in range(fixed, len(header)):
        needed = widths[column] + _FRAME
        if not pieces or needed > left or len(pieces[-1]) == MOST_COLUMNS:
            pieces.append([])
            left = room
        pieces[-1].append(column)
        left -= needed
    tables = []
    for number, piece in enumerate(pieces or [[]]):
        kept = [*range(fixed), *piece]
        table = rich_table(
            [header[column] for column in kept],
            [[row[column] for column in kept] for row in body],
            "" if number else title,
        )
        for place, column in enumerate(kept):
            table.columns[place].width = widths[column]
        tables.append(table)
    return tables


def summary_table(title: str, rows: Sequence[tuple[str, str]]) -> Table:
    """Two columns under a title."""
    table = Table(title=escape(title), show_header=False, title_justify="left")
    table.add_column()
    table.add_column(justify="right")
    for row in rows:
        table.add_row(*map(escape, row))
    return table
