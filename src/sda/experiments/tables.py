"""Tables for the terminal.

Cells and titles may quote a path or a text of the user's, whose brackets are no markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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


def evaluation_table(reports: Sequence[Mapping[str, Any]]) -> Table:
    """One score a row, one file a column; its name alone where that tells the files apart."""
    names: dict[str, None] = {}
    values = []
    for report in reports:
        found = {score["name"]: score["value"] for score in report["scores"]}
        names |= dict.fromkeys(found)
        values.append(found)
    body = [
        [name, *(f"{found[name]:.4f}" if name in found else "-" for found in values)]
        for name in names
    ]
    files = [str(report["file"]) for report in reports]
    short = [Path(file).name for file in files]
    header = ["score", *(short if len(set(short)) == len(short) else files)]
    return rich_table(header, body, f"{len(reports)} file{'s' if len(reports) > 1 else ''}")
