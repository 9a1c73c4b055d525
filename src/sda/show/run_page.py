"""A run told on one page: scores, curves, samples, buffer; one file, nothing from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sda.evaluation.catalogue import current_name
from sda.show.curve_page import planes_view
from sda.show.page import render
from sda.show.shown_scores import main_scores, score_figure
from sda.show.table import NAMES, Cell, Column, Table
from sda.show.training_plots import draw_curves

TITLE = "Scores on test data"
NOTE = (
    "Higher BLEU with higher self-BLEU may only be a sharper model: compare with the row at the"
    " lower temperature, which had no further training, and with real text."
)
SHOWN_SAMPLES = 20
_SENTENCE = Column("sentence", align="left")


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
    verdict: str | None
    """What was bought, in one sentence."""


def run_page(runs: Sequence[RunView]) -> str:
    """The page of one run, or of several on one text beside one another."""
    return render(
        "run.html",
        ", ".join(run.name for run in runs),
        scores=score_table(runs),
        signatures=_signature_table(runs),
        curves=draw_curves({run.name: run.progress for run in runs}),
        runs=[
            {
                "name": run.name,
                "verdict": run.verdict,
                "planes": None if run.curve is None else planes_view(run.curve),
                "samples": None if run.samples is None else _sample_table(run.samples),
                "buffer": None if run.buffer is None else _buffer_table(run.buffer),
                "settings": run.settings,
            }
            for run in runs
        ],
    )


def score_table(
    runs: Sequence[RunView], names: Sequence[str] | None = None, title: str = TITLE
) -> Table:
    """The scores on test data, one a row, and every sign that a row is not what its best says.

    By default the main scores; scores that nobody has are left out.
    """
    rows = _named_rows(runs)
    values = [
        {current_name(score["name"]): score["value"] for score in row["scores"]} for _, row in rows
    ]
    if names is None:
        names = main_scores(name for found in values for name in found)
    body: list[list[Cell]] = [
        [name, *(score_figure(name, found[name]) if name in found else None for found in values)]
        for name in names
        if any(name in found for found in values)
    ]
    alarms = [
        (f"{run.name}, {_row_name(row)}", f"{alarm['message']}.")
        for run in runs
        for row in run.rows
        for alarm in row.get("alarms", ())
    ]
    columns = [NAMES, *(Column(name) for name, _ in rows)]
    return Table.of_rows(title, columns, body, [NOTE], alarms)


def _named_rows(runs: Sequence[RunView]) -> list[tuple[str, Mapping[str, Any]]]:
    """The rows of all tables, each with a name that tells it from the others."""
    return [
        (f"{run.name}: {_row_name(row)}" if len(runs) > 1 else _row_name(row), row)
        for run in runs
        for row in run.rows
    ]


def _row_name(row: Mapping[str, Any]) -> str:
    temperature = row["temperature"]
    cold = temperature not in (None, 1.0)
    return f"{row['name']}, T = {temperature}" if cold else str(row["name"])


def _signature_table(runs: Sequence[RunView]) -> Table:
    """All scores of all rows."""
    titles = ("score", "value", "95 % interval", "signature")
    body = [
        [
            name,
            score["name"],
            f"{score['value']:.6g}",
            "{:.6g} to {:.6g}".format(*score["interval"]) if score.get("interval") else "",
            score["signature"],
        ]
        for name, row in _named_rows(runs)
        for score in row["scores"]
    ]
    return Table.of_rows("All scores", [Column("row", align="left"), *map(Column, titles)], body)


def _sample_table(samples: Sequence[str]) -> Table:
    rows = [[line] for line in samples[:SHOWN_SAMPLES]]
    return Table.of_rows("Samples, the first in the file", [_SENTENCE], rows)


def _buffer_table(records: Sequence[Mapping[str, Any]]) -> Table:
    title = f"Best of the {len(records):,} sentences in the buffer"
    # What sentences are about, where they are about anything.
    abouts = [name for name in ("label", "source") if records and name in records[0]]
    columns = [
        _SENTENCE,
        *(Column(name, "left") for name in abouts),
        Column("score", "left", digits=4),
        Column("epoch", "left", digits=0),
    ]
    names = ("text", *abouts, "score", "epoch")
    rows = [[record.get(name) for name in names] for record in records[:SHOWN_SAMPLES]]
    return Table.of_rows(title, columns, rows)
