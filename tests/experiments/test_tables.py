"""Tables show names as they are."""

import io

from rich.console import Console
from rich.table import Table

from sda.experiments.tables import rich_table, summary_table


def shown(table: Table) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_brackets_are_no_markup() -> None:
    names = ("[bold]a", "[/b]", "c[red]", "[d]")
    assert all(name in shown(summary_table(names[0], [(names[1], names[2])])) for name in names[:3])
    table = shown(rich_table([names[0], names[1]], [[names[2], "1"]], names[3]))
    assert all(name in table for name in names)
