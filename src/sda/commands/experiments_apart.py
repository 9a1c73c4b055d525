"""Experiments that do not train generators of sentences: human evaluation and style transfer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sda.commands.table_forms import Form, form_of

if TYPE_CHECKING:
    from rich.console import Console

    from sda.reproduction.ledger import Ledger
    from sda.reproduction.rewriting_tables import RewritingTable
    from sda.reproduction.work import Places
    from sda.show.table import Table


@dataclass(frozen=True)
class ReproduceWishes:
    """What `sda reproduce` was told that every experiment understands."""

    profile: str
    seeds: int | None
    models: list[str] | None
    rows: list[str] | None
    own: list[str] | None
    data: Path
    out: Path
    results: Path | None
    dry_run: bool

    def places(self) -> Places:
        """Where all is; without a ledger of one's own over that of the project."""
        from sda.reproduction.shipped import HERE, is_shipped, shipped_folder
        from sda.reproduction.work import Places

        folder = self.results or HERE
        is_over = self.results is None and not is_shipped(folder)
        return Places(self.data, self.out, folder, shipped_folder() if is_over else None)


def reproduce_human(wishes: ReproduceWishes) -> None:
    """The study of the paper's human evaluation; options that it does not know are refused."""
    from rich.console import Console

    from sda.reproduction.human_study import INTRODUCTION, human_study
    from sda.reproduction.ledger import Ledger
    from sda.reproduction.runner import estimate
    from sda.reproduction.shipped import shipped_folder
    from sda.reproduction.watch import span
    from sda.show.rich_tables import show
    from sda.studies.plan_table import plan_table, usual_designs
    from sda.studies.power import PAPER

    given = {"--seeds": wishes.seeds, "--rows": wishes.rows, "--row": wishes.own}
    _refuse("human", given, "its rows are the paper's")
    places = wishes.places()
    asked = human_study(wishes.profile, wishes.models, places, None)
    console, told = Console(), Console(stderr=True, highlight=False)
    for line in INTRODUCTION:
        told.print(line, markup=False)
    show(plan_table(usual_designs(PAPER), None, 0), console)
    show(asked.proxies(), console)
    left = [] if asked.folder.exists else asked.missing()
    if left:
        time = estimate(left, Ledger(shipped_folder()).records(), 1)
        told.print(
            f"runs whose sentences are not in {wishes.out}: {len(left)}"
            + (f", about {span(time)}" if time else "")
        )
    if wishes.dry_run:
        for job in left:
            told.print(f"left: {job.name}", markup=False)
        return
    for job in left:
        told.print(f"training {job.name}", markup=False)
        asked.train(job)
    if not asked.folder.exists:
        asked.build()
    print(f"{asked.folder.path}: the study is made; next: sda judge serve {asked.folder.path}")


def reproduce_rewritings(
    name: str, wishes: ReproduceWishes, workers: int, cluster: str | None
) -> None:
    """The rows of an experiment of style transfer that the ledger does not have, and its tables."""
    from rich.console import Console

    from sda.reproduction.data_files import require
    from sda.reproduction.definitions import Portion
    from sda.reproduction.hands import hands
    from sda.reproduction.ledger import Ledger
    from sda.reproduction.rewriting_jobs import estimate_rewritings, plan_rewritings
    from sda.reproduction.rewriting_rows import rewriting_experiment
    from sda.reproduction.rewriting_tables import rewriting_tables
    from sda.reproduction.rewriting_work import do_rewriting, rewriting_epochs
    from sda.reproduction.runner import plan_work, run_jobs
    from sda.reproduction.shipped import shipped_folder
    from sda.reproduction.watch import Screen, span

    _refuse(name, {"--row": wishes.own}, "score outputs of your own by sda transfer evaluate")
    found, places = rewriting_experiment(name), wishes.places()
    asked = Portion(wishes.profile, wishes.models, wishes.seeds, wishes.rows)
    plan = plan_work(plan_rewritings(found, asked), places)
    told = Console(stderr=True, highlight=False)
    for line in found.introduction():
        told.print(line, markup=False)
    time = estimate_rewritings(plan.left, Ledger(shipped_folder()).records(), workers)
    told.print(
        f"{found.heading()}, profile {wishes.profile}; done: {len(plan.done)},"
        f" left: {len(plan.left)}"
        + ("" if not plan.left else f", about {span(time)}" if time else ", time not known yet")
    )
    if wishes.dry_run:
        for job in plan.left:
            told.print(f"left: {job.name}", markup=False)
        return
    if plan.left:
        require(wishes.data, list(dict.fromkeys(path for job in plan.left for path in job.needed)))
        with (
            Screen(len(plan.left), places, rewriting_epochs) as screen,
            hands(cluster, workers) as pool,
        ):
            run_jobs(plan, places, pool.size, screen, do_rewriting, pool.executor)
    tables = rewriting_tables(found, places.ledger, asked)
    _print(_sheets(tables, is_whole=False), Console())


def show_rewritings(
    name: str,
    ledger: Ledger,
    profile: str,
    bases: Sequence[str] | None,
    form: Form | None,
    out: Path | None,
    is_whole: bool,
) -> None:
    """The tables of an experiment of style transfer, printed or written to a file.

    The screen shows the first of each source unless the whole is wanted; a file has all.
    """
    import io
    import json

    from rich.console import Console

    from sda.files import write_text
    from sda.reproduction.definitions import Portion
    from sda.reproduction.rewriting_rows import rewriting_experiment
    from sda.reproduction.rewriting_tables import rewriting_tables
    from sda.show.markup import as_latex, as_markdown
    from sda.show.rich_tables import USUAL_WIDTH

    wanted = form or (Form.screen if out is None else form_of(out))
    tables = rewriting_tables(rewriting_experiment(name), ledger, Portion(profile, bases))
    sheets = _sheets(tables, is_whole or wanted is not Form.screen)
    if wanted is Form.screen and out is None:
        _print(sheets, Console())
        return
    if wanted is Form.json:
        text = json.dumps([sheet.as_dict() for sheet in sheets], indent=1, ensure_ascii=False)
        text += "\n"
    elif wanted is Form.screen:
        screen = io.StringIO()
        _print(sheets, Console(file=screen, width=USUAL_WIDTH))
        text = screen.getvalue()
    else:
        text = "\n".join(map(as_latex if wanted is Form.latex else as_markdown, sheets))
    if out is None:
        print(text, end="")
    else:
        write_text(out, text)


def _sheets(tables: Sequence[RewritingTable], is_whole: bool) -> list[Table]:
    """The tables of the sources that have any records; of the whole, E12's are the last."""
    found: list[Table] = []
    for table in tables:
        if table.has_runs:
            found += table.sheets() if is_whole else table.sheets()[:1]
    return found


def _print(sheets: Sequence[Table], console: Console) -> None:
    from sda.show.rich_tables import show_all

    if not sheets:
        console.print("No runs yet.")
    show_all(sheets, console)


def _refuse(name: str, given: Mapping[str, object], reason: str) -> None:
    from sda.errors import UserError

    if any(value is not None for value in given.values()):
        verb = "have" if len(given) > 1 else "has"
        raise UserError(f"{name}: {', '.join(given)} {verb} no use there; {reason}")
