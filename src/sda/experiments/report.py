"""A run told on one page: scores, curves, samples, buffer; one file, nothing from outside."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sda.experiments.curves import draw_curves
from sda.experiments.files import write_text

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
    "self-bleu-3",
    "self-bleu-5",
    "distinct-2",
    "duplicate-share",
    "copy-share",
    "length",
    "kl-model-oracle",
    "kl-oracle-model",
)
NOTE = (
    "Higher BLEU with higher self-BLEU may only be a sharper model: compare with the row at the"
    " lower temperature, which had no further training, and with real text."
)
SHOWN_SAMPLES = 20

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ccc; padding: .2rem .6rem; text-align: right; }
th:first-child, td:first-child, .text td { text-align: left; }
svg { max-width: 100%; height: auto; }
code, pre { background: #f4f4f4; } pre { padding: 1rem; overflow-x: auto; }
.note { color: #555; }
"""


def write_report(runs: Sequence[Run], path: Path) -> None:
    """The page of one run, or of several beside one another."""
    names = run_names(runs)
    title = ", ".join(names)
    curves = draw_curves({name: run.progress() for name, run in zip(names, runs, strict=True)})
    parts = [f"<h1>{escape(title)}</h1>", "<h2>Scores on test data</h2>", _scores(runs)]
    parts += [f'<p class="note">{escape(NOTE)}</p>', "<h2>Curves</h2>", curves]
    for name, run in zip(names, runs, strict=True):
        parts += _texts(name, run)
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )
    write_text(path, page)


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


def _scores(runs: Sequence[Run]) -> str:
    header, body = score_table(runs)
    if not body:
        return '<p class="note">No run is finished yet.</p>'
    return _table(header, body)


def _texts(name: str, run: Run) -> list[str]:
    """Samples, the top of the buffer, and the settings."""
    folder = run.folder
    parts = [f"<h2>{escape(name)}</h2>"] if folder.samples.is_file() else []
    if folder.samples.is_file():
        lines = folder.samples.read_text(encoding="utf-8").splitlines()[:SHOWN_SAMPLES]
        parts += ["<h3>Samples, the first in the file</h3>"]
        parts.append(_table(["sentence"], ([line] for line in lines), "text"))
    if folder.buffer.is_file():
        with folder.buffer.open(encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        top = [[r["text"], f"{r['score']:.4f}", str(r["epoch"])] for r in records[:SHOWN_SAMPLES]]
        parts += [f"<h3>Best of the {len(records):,} sentences in the buffer</h3>"]
        parts.append(_table(["sentence", "score", "epoch"], top, "text"))
    settings = escape(folder.config.read_text(encoding="utf-8"))
    parts.append(f"<details><summary>Settings</summary><pre>{settings}</pre></details>")
    return parts


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<table class="{kind}"><tr>{head}</tr>{body}</table>'
