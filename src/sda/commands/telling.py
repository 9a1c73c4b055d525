"""How a command that trains tells what it does: on the terminal, as JSON, or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sda.commands.options import LogName

if TYPE_CHECKING:
    from sda.runs.run import Run
    from sda.settings.schema import Settings
    from sda.show.sinks import Sink
    from sda.show.terminal import Reporter

Quietly = Annotated[bool, "Print nothing but warnings and errors."]
JsonLines = Annotated[
    bool,
    typer.Option(
        "--json", help="For scripts: print the figures of each epoch as one JSON object a line."
    ),
]


def is_first() -> bool:
    """Whether this process speaks, of those that torchrun started together."""
    return os.environ.get("RANK", "0") == "0"


def make_sinks(log: list[LogName] | None, folder: Path, settings: Settings) -> list[Sink]:
    """What also writes the figures down; a folder that is not there yet is made with the first."""
    from sda.show.sinks import SINKS

    if not is_first():
        return []
    return [SINKS[name.value](folder, settings.model_dump(mode="json")) for name in log or ()]


@dataclass(frozen=True)
class Telling:
    """What the user wants to be told, and in which form."""

    quiet: Quietly = False
    json_lines: JsonLines = False

    def reporter(self) -> Reporter:
        """Who tells what a run does; one process of several."""
        from sda.show.terminal import JsonLines, Quiet, Terminal

        if not is_first():
            return Quiet()
        return JsonLines() if self.json_lines else Quiet() if self.quiet else Terminal()

    def show_end(self, run: Run, reporter: Reporter) -> None:
        """What a finished run has to tell."""
        if not is_first():
            return
        if not self.json_lines:
            _show_scores([run], self.quiet)
        elif run.verdict is not None:
            reporter.say(run.verdict)


ALOUD = Telling()


def _show_scores(runs: list[Any], quiet: bool = False) -> None:
    from rich.console import Console

    from sda.runs.report import run_views
    from sda.show.rich_tables import show
    from sda.show.run_page import score_table

    if quiet:
        return
    console = Console()
    show(score_table(run_views(runs)), console)
    for run in runs:
        for line in filter(None, (run.verdict, f"report: {run.folder.report}")):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
