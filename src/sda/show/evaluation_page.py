"""Evaluations on the screen and in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from sda.evaluation.evaluator import Evaluation
from sda.files import write_json, write_text
from sda.show import rich_tables
from sda.show.evaluation_table import REAL, evaluation_table, signature_table
from sda.show.markup import write_markup
from sda.show.page import render
from sda.show.short_names import file_names


def show(files: Sequence[Path], evaluations: Sequence[Evaluation], every: bool) -> None:
    """Print the table, the alarms and the notes; `every` shows all scores."""
    table = evaluation_table(file_names(files), evaluations, every)
    rich_tables.show(table, Console())


def write(
    files: Sequence[Path],
    evaluations: Sequence[Evaluation],
    json_file: Path | None = None,
    markdown: Path | None = None,
    latex: Path | None = None,
    html: Path | None = None,
) -> None:
    """Write the forms that have a file; all of them hold every score, JSON and HTML signatures."""
    if json_file is not None:
        write_json(json_file, as_json(files, evaluations))
    table = evaluation_table(file_names(files), evaluations, every=True)
    write_markup([table], markdown, latex)
    if html is not None:
        write_text(html, as_html(files, evaluations))


def as_json(files: Sequence[Path], evaluations: Sequence[Evaluation]) -> object:
    """One object for one file, else a list of them."""
    reports = [
        {"file": str(file), **evaluation.as_dict()}
        for file, evaluation in zip(files, evaluations, strict=True)
    ]
    return reports[0] if len(reports) == 1 else reports


def as_html(files: Sequence[Path], evaluations: Sequence[Evaluation]) -> str:
    """A page with the table, alarms, the samples nearest to training sentences, and signatures."""
    names = file_names(files)
    scores = evaluation_table(names, evaluations, every=True)
    found = list(zip(names, evaluations, strict=True))
    ceiling = evaluations[0].ceiling
    sets = [*([(REAL, ceiling)] if ceiling else []), *((name, each.scores) for name, each in found)]
    return render(
        "evaluation.html",
        f"Scores of {', '.join(names)}{' beside real text' if ceiling else ''}",
        scores=scores,
        nearest=[_nearest(name, each) for name, each in found if each.nearest],
        signatures=[signature_table(name, each) for name, each in sets],
    )


def _nearest(name: str, evaluation: Evaluation) -> dict[str, object]:
    sentences = [
        {"text": pair["sample"], "nearest": pair["train"], "similarity": pair["similarity"]}
        for pair in evaluation.nearest
    ]
    return {"title": name, "sentences": sentences}
