"""A run told on one page: scores, curves, samples, buffer; one file, nothing from outside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sda.errors import UserError
from sda.experiments.curve_page import curve_parts
from sda.experiments.curves import draw_curves
from sda.experiments.files import read_json, write_text
from sda.experiments.origin import refuse_mixed
from sda.experiments.page import note, page, table

if TYPE_CHECKING:
    from sda.experiments.run import Run

SCORES = (
    "nll-oracle",
    "nll-test",
    "grammatical-share",
    "bleu-2",
    "bleu-3",
    "bleu-4",
    "bleu-5",
    "lm-perplexity",
    "self-bleu-3",
    "self-bleu-5",
    "distinct-2",
    "duplicate-share",
    "seq-rep-3",
    "reverse-bleu-5",
    "reverse-lm-perplexity",
    "frechet",
    "mauve",
    "copy-share",
    "novelty-4",
    "rare-sentence-share",
    "length",
    "kl-model-oracle",
    "kl-oracle-model",
)
NOTE = (
    "Higher BLEU with higher self-BLEU may only be a sharper model: compare with the row at the"
    " lower temperature, which had no further training, and with real text."
)
SHOWN_SAMPLES = 20


def write_report(runs: Sequence[Run], path: Path) -> None:
    """The page of one run, or of several on one text beside one another."""
    refuse_mixed(runs)
    names = run_names(runs)
    title = ", ".join(names)
    curves = draw_curves({name: run.progress() for name, run in zip(names, runs, strict=True)})
    parts = [f"<h1>{escape(title)}</h1>", "<h2>Scores on test data</h2>", *_scores(runs)]
    parts += [note(NOTE), *_planes(names, runs), "<h2>Curves</h2>", curves]
    for name, run in zip(names, runs, strict=True):
        parts += _texts(name, run)
    write_text(path, page(title, parts))


def run_names(runs: Sequence[Run]) -> list[str]:
    """The names of the folders, or their paths where two names are the same."""
    paths = [run.path.resolve() for run in runs]
    names = [path.name for path in paths]
    return names if len(set(names)) == len(set(paths)) else [str(run.path) for run in runs]


def score_table(
    runs: Sequence[Run], names: Sequence[str] = SCORES
) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the scores on test data: one score a row, a dash where there is none."""
    columns = [
        (f"{name}: {_row_name(row)}" if len(runs) > 1 else _row_name(row), row)
        for name, run in zip(run_names(runs), runs, strict=True)
        if run.folder.scores.is_file()
        for row in run.scores()
    ]
    values = [{s["name"]: s["value"] for s in row["scores"]} for _, row in columns]
    body = [
        [name, *(f"{found[name]:.3f}" if name in found else "-" for found in values)]
        for name in names
        if any(name in found for found in values)
    ]
    return ["", *(name for name, _ in columns)], body


def _row_name(row: dict[str, Any]) -> str:
    temperature = row["temperature"]
    cold = temperature not in (None, 1.0)
    return f"{row['name']}, T = {temperature}" if cold else str(row["name"])


def run_alarms(runs: Sequence[Run]) -> list[str]:
    """One sentence for every sign that a row of a finished run is not what its best score says."""
    return [
        f"{name}, {_row_name(row)}: {alarm['message']}"
        for name, run in zip(run_names(runs), runs, strict=True)
        if run.folder.scores.is_file()
        for row in run.scores()
        for alarm in row.get("alarms", ())
    ]


def _scores(runs: Sequence[Run]) -> list[str]:
    """The main scores, alarms, and folded away all scores with signatures."""
    header, body = score_table(runs)
    if not body:
        return [note("No run is finished yet.")]
    alarms = "".join(f"<li>{escape(text)}.</li>" for text in run_alarms(runs))
    parts = [table(header, body)]
    if alarms:
        parts.append(f'<ul class="alarms">{alarms}</ul>')
    return [*parts, "<details><summary>All scores</summary>", _signatures(runs), "</details>"]


def _signatures(runs: Sequence[Run]) -> str:
    rows = [
        [
            f"{name}: {_row_name(row)}" if len(runs) > 1 else _row_name(row),
            score["name"],
            f"{score['value']:.6g}",
            "{:.6g} to {:.6g}".format(*score["interval"]) if score.get("interval") else "",
            score["signature"],
        ]
        for name, run in zip(run_names(runs), runs, strict=True)
        if run.folder.scores.is_file()
        for row in run.scores()
        for score in row["scores"]
    ]
    return table(["row", "score", "value", "95 % interval", "signature"], rows)


def _planes(names: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Quality against diversity, of each run that was swept over temperatures."""
    parts = []
    for name, run in zip(names, runs, strict=True):
        if run.folder.curve.is_file():
            parts.append(f"<h2>Quality and diversity of {escape(name)}</h2>")
            try:
                parts += curve_parts(read_json(run.folder.curve))
            except (KeyError, TypeError, IndexError, AttributeError):
                raise UserError(f"{run.folder.curve}: not the points of a curve") from None
    return parts


def _texts(name: str, run: Run) -> list[str]:
    """Samples, the top of the buffer, and the settings."""
    folder = run.folder
    parts = [f"<h2>{escape(name)}</h2>"] if folder.samples.is_file() else []
    if folder.samples.is_file():
        lines = folder.samples.read_text(encoding="utf-8").splitlines()[:SHOWN_SAMPLES]
        parts += ["<h3>Samples, the first in the file</h3>"]
        parts.append(table(["sentence"], ([line] for line in lines), "text"))
    if folder.buffer.is_file():
        try:
            with folder.buffer.open(encoding="utf-8") as file:
                records = [json.loads(line) for line in file]
            shown = records[:SHOWN_SAMPLES]
            top = [[r["text"], f"{r['score']:.4f}", str(r["epoch"])] for r in shown]
        except (ValueError, KeyError, TypeError):
            raise UserError(f"{folder.buffer}: not the sentences of a buffer") from None
        parts += [f"<h3>Best of the {len(records):,} sentences in the buffer</h3>"]
        parts.append(table(["sentence", "score", "epoch"], top, "text"))
    settings = escape(folder.config.read_text(encoding="utf-8"))
    parts.append(f"<details><summary>Settings</summary><pre>{settings}</pre></details>")
    return parts
