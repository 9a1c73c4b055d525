"""A run told on one page: scores, curves, samples, buffer; one file, nothing from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from sda.show.curve_page import curve_parts
from sda.show.page import note, page, table
from sda.show.training_plots import draw_curves

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


@dataclass(frozen=True)
class RunView:
    """What a page tells of a run; what is None is not there yet."""

    name: str
    rows: Sequence[Mapping[str, Any]]
    """Of the table on test data."""
    progress: Sequence[Mapping[str, Any]]
    samples: Sequence[str] | None
    buffer: Sequence[Mapping[str, Any]] | None
    curve: Mapping[str, Any] | None
    settings: str


def run_page(runs: Sequence[RunView]) -> str:
    """The page of one run, or of several on one text beside one another."""
    title = ", ".join(run.name for run in runs)
    curves = draw_curves({run.name: run.progress for run in runs})
    parts = [f"<h1>{escape(title)}</h1>", "<h2>Scores on test data</h2>", *_scores(runs)]
    parts += [note(NOTE), *_planes(runs), "<h2>Curves</h2>", curves]
    for run in runs:
        parts += _texts(run)
    return page(title, parts)


def score_table(
    runs: Sequence[RunView], names: Sequence[str] = SCORES
) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the scores on test data: one score a row, a dash where there is none."""
    columns = [
        (f"{run.name}: {_row_name(row)}" if len(runs) > 1 else _row_name(row), row)
        for run in runs
        for row in run.rows
    ]
    values = [{s["name"]: s["value"] for s in row["scores"]} for _, row in columns]
    body = [
        [name, *(f"{found[name]:.3f}" if name in found else "-" for found in values)]
        for name in names
        if any(name in found for found in values)
    ]
    return ["", *(name for name, _ in columns)], body


def _row_name(row: Mapping[str, Any]) -> str:
    temperature = row["temperature"]
    cold = temperature not in (None, 1.0)
    return f"{row['name']}, T = {temperature}" if cold else str(row["name"])


def run_alarms(runs: Sequence[RunView]) -> list[str]:
    """One sentence for every sign that a row of a finished run is not what its best score says."""
    return [
        f"{run.name}, {_row_name(row)}: {alarm['message']}"
        for run in runs
        for row in run.rows
        for alarm in row.get("alarms", ())
    ]


def _scores(runs: Sequence[RunView]) -> list[str]:
    """The main scores, alarms, and folded away all scores with signatures."""
    header, body = score_table(runs)
    if not body:
        return [note("No run is finished yet.")]
    alarms = "".join(f"<li>{escape(text)}.</li>" for text in run_alarms(runs))
    parts = [table(header, body)]
    if alarms:
        parts.append(f'<ul class="alarms">{alarms}</ul>')
    return [*parts, "<details><summary>All scores</summary>", _signatures(runs), "</details>"]


def _signatures(runs: Sequence[RunView]) -> str:
    rows = [
        [
            f"{run.name}: {_row_name(row)}" if len(runs) > 1 else _row_name(row),
            score["name"],
            f"{score['value']:.6g}",
            "{:.6g} to {:.6g}".format(*score["interval"]) if score.get("interval") else "",
            score["signature"],
        ]
        for run in runs
        for row in run.rows
        for score in row["scores"]
    ]
    return table(["row", "score", "value", "95 % interval", "signature"], rows)


def _planes(runs: Sequence[RunView]) -> list[str]:
    """Quality against diversity, of each run that was swept over temperatures."""
    parts = []
    for run in runs:
        if run.curve is not None:
            parts.append(f"<h2>Quality and diversity of {escape(run.name)}</h2>")
            parts += curve_parts(run.curve)
    return parts


def _texts(run: RunView) -> list[str]:
    """Samples, the top of the buffer, and the settings."""
    parts = [] if run.samples is None else [f"<h2>{escape(run.name)}</h2>"]
    if run.samples is not None:
        parts += ["<h3>Samples, the first in the file</h3>"]
        parts.append(table(["sentence"], ([line] for line in run.samples[:SHOWN_SAMPLES]), "text"))
    if run.buffer is not None:
        shown = run.buffer[:SHOWN_SAMPLES]
        top = [[r["text"], f"{r['score']:.4f}", str(r["epoch"])] for r in shown]
        parts += [f"<h3>Best of the {len(run.buffer):,} sentences in the buffer</h3>"]
        parts.append(table(["sentence", "score", "epoch"], top, "text"))
    settings = escape(run.settings)
    parts.append(f"<details><summary>Settings</summary><pre>{settings}</pre></details>")
    return parts
