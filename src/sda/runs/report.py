"""The page of one or several runs, from their folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sda.errors import UserError
from sda.files import read_json, read_text, write_text
from sda.runs.examples import Examples, examples_of
from sda.runs.hand_over import read_handed_over
from sda.runs.origin import refuse_mixed
from sda.runs.run import Run
from sda.show.run_page import run_page
from sda.show.run_title import run_facts, run_title
from sda.show.run_view import RunView


def write_report(runs: Sequence[Run], path: Path) -> None:
    """The file is the page of one run, or of several on one text beside one another."""
    refuse_mixed(runs)
    views = run_views(runs, examples=True)
    try:
        text = run_page(views)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError):
        curves = [run.folder.curve for run in runs if run.folder.curve.is_file()]
        if not curves:
            raise
        raise UserError(f"{curves[0]}: not the points of a curve") from None
    write_text(path, text)


def run_names(runs: Sequence[Run]) -> list[str]:
    """The names of the folders, or their paths where two names are the same."""
    paths = [run.path.resolve() for run in runs]
    names = [path.name for path in paths]
    return names if len(set(names)) == len(set(paths)) else [str(run.path) for run in runs]


def run_views(runs: Sequence[Run], examples: bool = False) -> list[RunView]:
    """What there is to show of each run; examples may have to be written anew, and take longer."""
    return [
        _view(run, name, examples_of(run) if examples else {})
        for name, run in zip(run_names(runs), runs, strict=True)
    ]


def _view(run: Run, name: str, examples: Examples) -> RunView:
    folder, handed = run.folder, read_handed_over(run.folder.handed_over)
    return RunView(
        name,
        run_title(run.settings),
        run_facts(run.settings),
        folder.read_scores() if folder.scores.is_file() else [],
        run.progress(),
        folder.read_samples() if folder.samples.is_file() else None,
        examples,
        folder.read_buffer() if folder.buffer.is_file() else None,
        read_json(folder.curve) if folder.curve.is_file() else None,
        read_text(folder.config),
        None if handed is None else handed.sentence,
        None if handed is None else handed.comparison,
        handed is not None and handed.is_start,
    )
