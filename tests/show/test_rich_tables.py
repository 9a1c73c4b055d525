"""Tables show names as they are."""

import io

import pytest
from rich.console import Console
from rich.table import Table

from sda.show.rich_tables import MOST_COLUMNS, narrow_tables, rich_table, summary_table


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


@pytest.mark.parametrize("width", [40, 80, 100])
def test_pieces_fit_the_width_and_lose_nothing(width: int) -> None:
    header = ["", "seeds", *(f"score-{number}" for number in range(9)), "a name of many words"]
    body = [["a model with a long name", "3", *(f"0.{n}00 ± 0.010" for n in range(9)), "1.000"]]
    tables = narrow_tables(header, body, "title", width, fixed=2)

    columns = [[str(column.header) for column in table.columns] for table in tables]
    assert all(names[:2] == header[:2] for names in columns)
    assert [name for names in columns for name in names[2:]] == header[2:]
    assert all(len(names) <= 2 + MOST_COLUMNS for names in columns)
    assert [str(table.title) for table in tables] == ["title", *[""] * (len(tables) - 1)]
    for table in tables:
        lines = shown(table).splitlines()
        assert max(map(len, lines)) <= max(width, 60)
        assert any("a model with a long name" in line for line in lines)


def test_a_table_that_fits_is_one_piece() -> None:
    assert len(narrow_tables(["", "a", "b"], [["x", "1", "2"]], "t", 80)) == 1
