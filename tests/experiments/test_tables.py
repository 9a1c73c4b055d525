"""Tables show names as they are."""

import io

from rich.console import Console
from rich.table import Table

from sda.experiments.tables import evaluation_table, rich_table, summary_table


def shown(table: Table) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_brackets_are_no_markup() -> None:
    names = ("[bold]a", "[/b]", "c[red]", "[d]")
    reports = [{"file": names[0], "scores": [{"name": names[1], "value": 0.5}]}]

    assert all(name in shown(summary_table(names[0], [(names[1], names[2])])) for name in names[:3])
    table = shown(rich_table([names[0], names[1]], [[names[2], "1"]], names[3]))
    assert all(name in table for name in names)
    assert all(name in shown(evaluation_table(reports)) for name in names[:2])


def test_files_with_different_scores_stand_side_by_side() -> None:
    reports = [
        {"file": "a.txt", "scores": [{"name": "bleu-2", "value": 0.5}]},
        {"file": "b.txt", "scores": [{"name": "length", "value": 7.25}]},
    ]
    lines = [line.split() for line in shown(evaluation_table(reports)).splitlines()]

    assert lines[0] == ["2", "files"]
    assert ["\u2502", "bleu-2", "\u2502", "0.5000", "\u2502", "-", "\u2502"] in lines
    assert ["\u2502", "length", "\u2502", "-", "\u2502", "7.2500", "\u2502"] in lines


def test_folders_are_shown_only_where_names_are_equal() -> None:
    def report(file: str) -> dict[str, object]:
        return {"file": file, "scores": []}

    assert "one" not in shown(evaluation_table([report("one/a.txt"), report("two/b.txt")]))
    assert "one/a.txt" in shown(evaluation_table([report("one/a.txt"), report("two/a.txt")]))
