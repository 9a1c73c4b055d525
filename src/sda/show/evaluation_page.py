"""Evaluations on the screen and in files."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from rich.console import Console

from sda.evaluation.evaluator import Evaluation
from sda.evaluation.score import Score
from sda.files import write_json, write_text
from sda.show import page
from sda.show.comparison import (
    Comparison,
    as_latex,
    as_markdown,
    as_rich,
    compare,
    short_names,
)


def show(files: Sequence[Path], evaluations: Sequence[Evaluation], every: bool) -> None:
    """Print the table, the alarms and the notes; `every` shows all scores."""
    comparison = compare(short_names(files), evaluations, **({"only": None} if every else {}))
    console = Console()
    console.print(as_rich(comparison, _title(evaluations)))
    for name, message in comparison.alarms:
        console.print(f"ALARM {name}: {message}.", style="red", markup=False, highlight=False)
    for note in comparison.notes:
        console.print(f"note: {note}.", markup=False, highlight=False)


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
    comparison = compare(short_names(files), evaluations, only=None)
    for path, text in ((markdown, as_markdown), (latex, as_latex)):
        if path is not None:
            write_text(path, text(comparison))
    if html is not None:
        write_text(html, as_html(files, evaluations, comparison))


def as_json(files: Sequence[Path], evaluations: Sequence[Evaluation]) -> object:
    """One object for one file, else a list of them."""
    reports = [
        {"file": str(file), **evaluation.as_dict()}
        for file, evaluation in zip(files, evaluations, strict=True)
    ]
    return reports[0] if len(reports) == 1 else reports


def as_html(
    files: Sequence[Path], evaluations: Sequence[Evaluation], comparison: Comparison
) -> str:
    """A page with the table, alarms, the samples nearest to training sentences, and signatures."""
    title = _title(evaluations)
    parts = [f"<h1>{escape(title)}</h1>"]
    alarms = [
        f"<li><b>{escape(name)}</b>: {escape(text)}.</li>" for name, text in comparison.alarms
    ]
    parts.append(f'<ul class="alarms">{"".join(alarms)}</ul>' if alarms else "<p>No alarm.</p>")
    parts += [page.note(f"{note}.") for note in comparison.notes]
    for group in comparison.groups:
        parts.append(page.table([group.title, *comparison.header[1:]], group.rows))
    for name, evaluation in zip(short_names(files), evaluations, strict=True):
        if evaluation.nearest:
            rows = [
                [str(pair["sample"]), str(pair["train"]), f"{pair['similarity']:.2f}"]
                for pair in evaluation.nearest
            ]
            parts.append(f"<h2>{escape(name)}: samples and the nearest training sentences</h2>")
            parts.append(page.table(["sample", "training sentence", "similarity"], rows, "text"))
    parts += [
        f"<details><summary>Values, intervals and signatures of {escape(name)}</summary>"
        f"{_signatures(scores)}</details>"
        for name, scores in _all(short_names(files), evaluations)
    ]
    return page.page(title, parts)


def _all(
    names: Sequence[str], evaluations: Sequence[Evaluation]
) -> list[tuple[str, Sequence[Score]]]:
    ceiling = evaluations[0].ceiling
    own = [(name, some.scores) for name, some in zip(names, evaluations, strict=True)]
    return [*([("real text", ceiling)] if ceiling else []), *own]


def _signatures(scores: Sequence[Score]) -> str:
    rows = [
        [
            score.name,
            f"{score.value:.6g}",
            "" if score.interval is None else "{:.6g} to {:.6g}".format(*score.interval),
            score.signature,
        ]
        for score in scores
    ]
    return page.table(["score", "value", "95 % interval", "signature"], rows)


def _title(evaluations: Sequence[Evaluation]) -> str:
    files = f"{len(evaluations)} file{'s' if len(evaluations) > 1 else ''}"
    return f"{files}, {evaluations[0].scored:,} sentences of each"
