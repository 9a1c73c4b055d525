"""The command that checks the files of the experiments, and makes some of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sda.reproduction.data_files import Finding
    from sda.show.table import Table


def data(
    folder: Annotated[Path, typer.Argument(help="Data folder.")] = Path("data"),
    json_file: Annotated[Path | None, typer.Option("--json", help="JSON file to write.")] = None,
) -> None:
    """Check the files that the experiments read, and say where missing ones come from."""
    from dataclasses import asdict

    from sda.errors import UserError
    from sda.files import write_json
    from sda.reproduction.data_files import check_file, known_files

    findings = [check_file(folder, file) for file in known_files()]
    if json_file is not None:
        rows = [
            {**asdict(found.file), "state": found.state, "found_bytes": found.bytes}
            for found in findings
        ]
        write_json(json_file, rows)
    _show_files(folder, findings)
    wrong = [str(found) for found in findings if found.is_wrong]
    if wrong:
        raise UserError(
            f"{folder}: {'; '.join(wrong)}; figures on other files are not those of docs/results.md"
        )


def _show_files(folder: Path, findings: Sequence[Finding]) -> None:
    from rich.console import Console

    from sda.reproduction.data_files import PAGE, State, by_origin
    from sda.show.rich_tables import show

    missing = [found.file for found in findings if found.state is State.MISSING]
    lines = [
        f"missing: {', '.join(file.path for file in group)}"
        f"\n  needed for: {group[0].purpose}"
        f"\n  from: {group[0].origin}"
        f"\n  made so: {group[0].made}"
        f"\n  licence: {group[0].licence}"
        for group in by_origin(missing)
    ]
    right = sum(found.state is State.PRESENT for found in findings)
    end = f"; {PAGE} says how to make the missing ones" if missing else ""
    lines.append(f"{right} of {len(findings)} files are there as they should be{end}.")
    console = Console()
    show(_file_table(folder, findings), console)
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _file_table(folder: Path, findings: Sequence[Finding]) -> Table:
    """A row a file, under a row with the name of its folder: a terminal is narrow."""
    from sda.show.table import Cell, Column, Table

    columns = [
        Column("file", "left", is_whole=True),
        Column("what", "left"),
        Column("lines", is_whole=True),
        Column("bytes", is_whole=True),
        Column("state", "left"),
    ]
    rows: list[list[Cell]] = []
    above = ""
    for found in findings:
        file = found.file
        place, _, name = file.path.rpartition("/")
        if place != above:
            rows.append([f"{place}/", *[""] * 4])
            above = place
        lines = None if file.lines is None else f"{file.lines:,}"
        rows.append([f" {name}", file.what, lines, f"{file.bytes:,}", found.state.value])
    return Table.of_rows(f"Files of the experiments in {folder}", columns, rows)
