"""Commands that repeat the experiments of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sda.commands.options import out_option
from sda.commands.table_forms import Form, form_of

if TYPE_CHECKING:
    from rich.console import Console

    from sda.reproduction.tables import BaseTable


Experiment = Annotated[str, typer.Argument(help="coco, synthetic20, ...; see docs/results.")]
Profile = Annotated[str, "Scale: smoke, small or full."]
Models = Annotated[list[str] | None, "rnn, leakrnn; repeatable; by default all."]
Rows = Annotated[list[str] | None, "Only these rows; repeatable; by default all."]
Seeds = Annotated[
    int | None, typer.Option(min=1, help="How many seeds, from 0 on; by default the experiment's.")
]
Results = Annotated[
    Path | None,
    "Folder of the ledger; by default `results` here, over the records that come with the project.",
]


def reproduce(
    experiment: Experiment,
    profile: Profile = "small",
    seeds: Seeds = None,
    models: Models = None,
    rows: Rows = None,
    own: Annotated[
        list[str] | None,
        typer.Option(
            "--row",
            metavar="NAME=WHAT",
            help="A row of your own: a settings file (.toml), a method or a generator; repeatable."
            " Only such rows are then run, and those of --rows. Kept in --results, by default"
            " `my-results`: `sda table EXPERIMENT --results my-results` shows them.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time, one core each.")] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Let the workers of a Dask scheduler do it, as tcp://host:8786, in place of --jobs"
            " processes here; all folders must be the same for them.",
        ),
    ] = None,
    data: Annotated[Path, "Data folder; see sda data."] = Path("data"),
    out: Annotated[Path, "Folder for run folders."] = Path("runs/reproduce"),
    results: Results = None,
    dry_run: Annotated[
        bool, typer.Option("--plan", help="Say what is done and what is left, and run nothing.")
    ] = False,
) -> None:
    """Run the rows of an experiment's table that the ledger does not have, and print the table.

    `human` makes a study for `sda judge` of the paper's human evaluation instead. In `transfer`,
    style transfer, --models names sources of sentences: yelp, reviews, tense.
    """
    from rich.console import Console

    from sda.commands.experiments_apart import (
        ReproduceWishes,
        reproduce_human,
        reproduce_rewritings,
    )
    from sda.errors import UserError
    from sda.reproduction.asked import as_asked
    from sda.reproduction.data_files import require
    from sda.reproduction.definitions import Portion
    from sda.reproduction.hands import hands
    from sda.reproduction.jobs import needed_files, plan_jobs
    from sda.reproduction.ledger import Ledger
    from sda.reproduction.measure import lacks_checker
    from sda.reproduction.rewriting_rows import rewriting_names
    from sda.reproduction.runner import estimate, plan_work, run_jobs
    from sda.reproduction.shipped import shipped_folder
    from sda.reproduction.tables import base_tables
    from sda.reproduction.watch import Screen, span
    from sda.reproduction.work import do_job, epochs_done

    if experiment == "human" or experiment in rewriting_names():
        wishes = ReproduceWishes(profile, seeds, models, rows, own, data, out, results, dry_run)
        if experiment == "human":
            reproduce_human(wishes)
        else:
            reproduce_rewritings(experiment, wishes, jobs, cluster)
        return
    asked = as_asked(experiment, profile, own or [], rows, data, out, results)
    found, places = asked.experiment, asked.places
    wanted = plan_jobs(found, Portion(profile, models, seeds, asked.rows))
    if not wanted:
        raise UserError(
            f"{experiment}: {', '.join(models or [])} has no row {', '.join(asked.rows or [])}"
        )
    needed = needed_files(wanted)
    plan = plan_work(wanted, places)
    console = Console(stderr=True, highlight=False)
    for line in (*asked.remarks, *found.introduction()):
        console.print(line, markup=False)
    known = [*places.ledger.records(), *Ledger(shipped_folder()).records()]
    time = estimate(plan.left, known, jobs)
    console.print(
        f"{found.heading()}, profile {profile}; runs done: {len(plan.done)},"
        f" left: {len(plan.left)}"
        + ("" if not plan.left else f", about {span(time)}" if time else ", time not known yet")
    )
    if dry_run:
        for job in plan.left:
            console.print(f"left: {job.name}", markup=False)
        return
    asked.keep()
    if plan.left:
        require(data, needed)
        if lacks_checker(found.source):
            console.print(
                "These records will be without grammar-issues for good, unless you first"
                " pip install 'sda-text[grammar]'.",
                markup=False,
            )
        with Screen(len(plan.left), places, epochs_done) as screen, hands(cluster, jobs) as pool:
            run_jobs(plan, places, pool.size, screen, do_job, pool.executor)
    shown = Portion(profile, models, seeds, None if own else asked.rows)
    _show_tables(base_tables(found, places.ledger, shown), False)
    if not plan.left:
        console.print(asked.nothing_run(wanted, profile), markup=False, soft_wrap=True)


def table(
    experiment: Annotated[
        str | None, typer.Argument(help="coco, synthetic20, ...; none with --update.")
    ] = None,
    profile: Profile = "small",
    models: Models = None,
    results: Results = None,
    all_: Annotated[
        bool,
        "All columns, and the differences between rows; on the screen only the main ones"
        " stand otherwise.",
    ] = False,
    form: Annotated[
        Form | None,
        typer.Option("--format", help="By default that of the ending of -o, else the screen's."),
    ] = None,
    out: Annotated[Path | None, out_option(help="File to write.")] = None,
    update: Annotated[
        Path | None, "Page, or folder of pages, whose generated blocks are written anew."
    ] = None,
) -> None:
    """Print the table of an experiment from the ledger, beside the paper's figures."""
    from sda.commands.experiments_apart import show_rewritings
    from sda.errors import UserError
    from sda.files import write_text
    from sda.reproduction import definitions
    from sda.reproduction.blocks import pages_of, tables_of, update_page
    from sda.reproduction.own_rows import with_kept_rows
    from sda.reproduction.rewriting_rows import rewriting_names
    from sda.reproduction.shipped import open_ledger
    from sda.reproduction.tables import base_tables

    if (experiment is None) == (update is None):
        raise UserError("give either an experiment or --update PAGE")
    ledger = open_ledger(results)
    if update is not None:
        if form is not None or out is not None or models is not None or all_:
            raise UserError("--update takes no --format, -o, --models or --all")
        tables_by_name = tables_of(ledger, profile)
        for page in pages_of(update):
            print(f"{page}: {'changed' if update_page(page, tables_by_name) else 'up to date'}")
    elif experiment in rewriting_names():
        show_rewritings(experiment, ledger, profile, models, form, out, all_)
    elif experiment is not None:
        found, ledger = with_kept_rows(definitions.experiment(experiment), ledger)
        tables = base_tables(found, ledger, definitions.Portion(profile, models))
        if out is not None:
            write_text(out, _table_text(tables, form or form_of(out), all_))
        elif form in (None, Form.screen):
            _show_tables(tables, all_)
        else:
            print(_table_text(tables, form or Form.screen, all_), end="")


def figure(
    experiment: Experiment,
    profile: Profile = "small",
    models: Models = None,
    results: Results = None,
    out: Annotated[
        Path | None,
        out_option(
            help="File to write, .svg, .png or .pdf; by default figures/EXPERIMENT-PROFILE.svg."
        ),
    ] = None,
) -> None:
    """Draw the figure of an experiment from the ledger."""
    from sda.errors import UserError
    from sda.reproduction import definitions
    from sda.reproduction.figures import default_file, write_figure
    from sda.reproduction.own_rows import with_kept_rows
    from sda.reproduction.rewriting_rows import rewriting_names
    from sda.reproduction.shipped import open_ledger

    if experiment in rewriting_names():
        raise UserError(f"{experiment} has no figure; sda table {experiment} prints its tables")
    path = default_file(experiment, profile) if out is None else out
    found, ledger = with_kept_rows(definitions.experiment(experiment), open_ledger(results))
    write_figure(found, profile, ledger, path, models)
    print(path)


def _show_tables(tables: Sequence[BaseTable], is_whole: bool) -> None:
    from rich.console import Console

    _print_tables(tables, is_whole, Console())


def _print_tables(tables: Sequence[BaseTable], is_whole: bool, console: Console) -> None:
    from sda.reproduction.contrasts import main_sheets
    from sda.reproduction.narrow import narrow_sheet
    from sda.show.rich_tables import show, show_wide

    if is_whole:
        show_wide(main_sheets(tables), console)
        return
    for table in tables:
        show(narrow_sheet(table), console)


def _table_text(tables: Sequence[BaseTable], form: Form, is_whole: bool) -> str:
    import io
    import json

    from rich.console import Console

    from sda.reproduction.contrasts import as_dict, main_sheets
    from sda.show.markup import as_latex, as_markdown
    from sda.show.rich_tables import USUAL_WIDTH

    if form is Form.json:
        return json.dumps([as_dict(table) for table in tables], indent=1, ensure_ascii=False) + "\n"
    if form is Form.screen:
        text = io.StringIO()
        _print_tables(tables, is_whole, Console(file=text, width=USUAL_WIDTH))
        return text.getvalue()
    return "\n".join(map(as_latex if form is Form.latex else as_markdown, main_sheets(tables)))
