"""Commands that repeat the experiments of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sda.reproduction.data_files import Finding
    from sda.reproduction.tables import BaseTable
    from sda.show.table import Table


class Form(StrEnum):
    screen = "screen"
    markdown = "markdown"
    latex = "latex"
    json = "json"


Experiment = Annotated[str, typer.Argument(help="coco, synthetic20, ...; see docs/results.")]
Profile = Annotated[str, typer.Option(help="Scale: smoke, small or full.")]
Models = Annotated[
    list[str] | None, typer.Option("--models", help="rnn, leakrnn; repeatable; by default all.")
]
Rows = Annotated[
    list[str] | None, typer.Option("--rows", help="Only these rows; repeatable; by default all.")
]
Seeds = Annotated[
    int | None, typer.Option(min=1, help="How many seeds, from 0 on; by default the experiment's.")
]
Results = Annotated[Path, typer.Option(help="Folder of the ledger.")]
SHIPPED = Path("results")


def reproduce(
    experiment: Experiment,
    profile: Profile = "small",
    seeds: Seeds = None,
    models: Models = None,
    rows: Rows = None,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time, one core each.")] = 1,
    data: Annotated[Path, typer.Option(help="Data folder; see sda data.")] = Path("data"),
    out: Annotated[Path, typer.Option(help="Folder for run folders.")] = Path("runs/reproduce"),
    results: Results = SHIPPED,
    dry_run: Annotated[
        bool, typer.Option("--plan", help="Say what is done and what is left, and run nothing.")
    ] = False,
) -> None:
    """Run the rows of an experiment's table that the ledger does not have, and print the table."""
    from rich.console import Console

    from sda.errors import UserError
    from sda.reproduction import definitions
    from sda.reproduction.data_files import not_public, require
    from sda.reproduction.jobs import needed_files, plan_jobs
    from sda.reproduction.ledger import Ledger
    from sda.reproduction.measure import lacks_checker
    from sda.reproduction.runner import estimate, plan_work, run_jobs
    from sda.reproduction.tables import base_tables
    from sda.reproduction.watch import Screen, span
    from sda.reproduction.work import Places

    found = definitions.experiment(experiment)
    wanted = plan_jobs(found, profile, models, seeds, rows)
    if not wanted:
        raise UserError(
            f"{experiment}: {', '.join(models or [])} has no row {', '.join(rows or [])}"
        )
    needed = needed_files(wanted)
    others = not_public(data, needed)
    if others and results == SHIPPED:
        raise UserError(
            f"{data}: {'; '.join(others)}; the ledger in {results} is about the public files, so"
            " give --results another folder for runs on your own"
        )
    places = Places(data, out, results)
    plan = plan_work(wanted, places)
    console = Console(stderr=True, highlight=False)
    for other in others:
        console.print(f"Not the public file: {other}.", markup=False)
    for part in found.introduction():
        console.print(part, markup=False)
    time = estimate(plan.left, Ledger(results).records(), jobs)
    console.print(
        f"{found.heading()}, profile {profile}; runs done: {len(plan.done)},"
        f" left: {len(plan.left)}"
        + ("" if not plan.left else f", about {span(time)}" if time else ", time not known yet")
    )
    if dry_run:
        for job in plan.left:
            console.print(f"left: {job.name}", markup=False)
        return
    if plan.left:
        require(data, needed)
        if lacks_checker(found.source):
            console.print(
                "These records will be without grammar-issues for good, unless you first"
                " pip install 'sda[grammar]'.",
                markup=False,
            )
        with Screen(len(plan.left), places) as screen:
            run_jobs(plan, places, jobs, screen)
    _show_tables(base_tables(found, Ledger(results), profile, models, seeds, rows))


def table(
    experiment: Annotated[
        str | None, typer.Argument(help="coco, synthetic20, ...; none with --update.")
    ] = None,
    profile: Profile = "small",
    models: Models = None,
    results: Results = SHIPPED,
    form: Annotated[
        Form | None,
        typer.Option("--format", help="By default that of the ending of -o, else the screen's."),
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write.")] = None,
    update: Annotated[
        Path | None,
        typer.Option(help="Page, or folder of pages, whose generated blocks are written anew."),
    ] = None,
) -> None:
    """Print the table of an experiment from the ledger, beside the paper's figures."""
    from sda.errors import UserError
    from sda.files import write_text
    from sda.reproduction import definitions
    from sda.reproduction.blocks import pages_of, tables_of, update_page
    from sda.reproduction.ledger import Ledger
    from sda.reproduction.tables import base_tables

    if (experiment is None) == (update is None):
        raise UserError("give either an experiment or --update PAGE")
    ledger = Ledger.existing(results)
    if update is not None:
        if form is not None or out is not None or models is not None:
            raise UserError("--update takes no --format, -o or --models")
        tables_by_name = tables_of(ledger, profile)
        for page in pages_of(update):
            print(f"{page}: {'changed' if update_page(page, tables_by_name) else 'up to date'}")
    if experiment is not None:
        tables = base_tables(definitions.experiment(experiment), ledger, profile, models)
        if out is not None:
            write_text(out, _table_text(tables, form or _form_of(out)))
        elif form in (None, Form.screen):
            _show_tables(tables)
        else:
            print(_table_text(tables, form or Form.screen), end="")


def figure(
    experiment: Experiment,
    profile: Profile = "small",
    models: Models = None,
    results: Results = SHIPPED,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="File to write, .svg, .png or .pdf; by default figures/EXPERIMENT-PROFILE.svg.",
        ),
    ] = None,
) -> None:
    """Draw the figure of an experiment from the ledger."""
    from sda.reproduction import definitions
    from sda.reproduction.figures import default_file, write_figure
    from sda.reproduction.ledger import Ledger

    path = default_file(experiment, profile) if out is None else out
    ledger = Ledger.existing(results)
    write_figure(definitions.experiment(experiment), profile, ledger, path, models)
    print(path)


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
            f"{folder}: {'; '.join(wrong)}; figures on other files are not those of docs/results"
        )


def _show_tables(tables: Sequence[BaseTable]) -> None:
    from rich.console import Console

    from sda.reproduction.contrasts import main_sheets
    from sda.show.rich_tables import show_wide

    show_wide(main_sheets(tables), Console())


def _table_text(tables: Sequence[BaseTable], form: Form) -> str:
    import json

    from sda.reproduction.contrasts import as_dict, main_sheets
    from sda.show.markup import as_latex, as_markdown
    from sda.show.rich_tables import wide_text

    if form is Form.json:
        return json.dumps([as_dict(table) for table in tables], indent=1, ensure_ascii=False) + "\n"
    sheets = main_sheets(tables)
    if form is Form.screen:
        return wide_text(sheets)
    return "\n".join(map(as_latex if form is Form.latex else as_markdown, sheets))


def _form_of(path: Path) -> Form:
    """The form that the ending of a file asks for."""
    from sda.errors import UserError

    forms = {".md": Form.markdown, ".tex": Form.latex, ".json": Form.json, ".txt": Form.screen}
    if path.suffix not in forms:
        raise UserError(f"{path}: give --format, or an ending of {', '.join(forms)}")
    return forms[path.suffix]


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
