"""Tables for the terminal.

Cells and titles may quote a path or a text of the user's, whose brackets are no markup.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import JustifyMethod
from rich.markup import escape
from rich.table import Table


def rich_table(header: Sequence[str], body: Sequence[Sequence[str]], title: str) -> Table:
    """Rows under a header, the first column to the left, figures to the right."""
    table = Table(title=escape(title), title_justify="left")
    for number, name in enumerate(header):
        justify: JustifyMethod = "right" if number else "left"
        table.add_column(escape(name), justify=justify, overflow="fold")
    for row in body:
        table.add_row(*map(escape, row))
    return table


def summary_table(title: str, rows: Sequence[tuple[str, str]]) -> Table:
    """Two columns under a title."""
    table = Table(title=escape(title), show_header=False, title_justify="left")
    table.add_column()
    table.add_column(justify="right")
    for row in rows:
        table.add_row(*map(escape, row))
    return table
