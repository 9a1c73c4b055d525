"""A run of style transfer told on one page: figures, sentences side by side, and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sda.show.page import render
from sda.show.table import NAMES, Cell, Column, Figure, Table
from sda.show.training_plots import draw_curves
from sda.transfer.transfer_settings import TransferSettings, transfer_toml

TITLES = {
    "style-cnn": "CNN",
    "style-language-model-ratio": "n-grams",
    "style-naive-bayes": "Bayes",
    "source-bleu": "BLEU",
    "perplexity": "PPL",
    "copies": "copies",
}
NOTE = (
    "Of sentences set aside, in per cent: the share that has the new style by each judge, BLEU with"
    " the source, perplexity, and copies. The judges have learned other sentences than the metric"
    " that chose among candidates. A copy of the source keeps all of it and has no style: style and"
    " BLEU say something only together."
)


def transfer_page(
    settings: TransferSettings, found: Mapping[str, Any], progress: Sequence[Mapping[str, Any]]
) -> str:
    """The page of a finished run."""
    styles = " and ".join(dict.fromkeys(example["style"] for example in found["examples"]))
    return render(
        "transfer.html",
        f"Style transfer: {styles}",
        facts=f"Trained on {', '.join(settings.sources)}, seed {settings.seed}: a single run.",
        scores=rewriting_table(found, has_intervals=True),
        examples=_examples(found["examples"]),
        curves=draw_curves({"run": progress}),
        settings=transfer_toml(settings),
    )


def rewriting_table(found: Mapping[str, Any], has_intervals: bool = False) -> Table:
    """The scores of each way of rewriting; without intervals it fits a terminal."""
    rows = found["scores"]
    has_right = any("right" in row for row in rows)
    known = [score["name"] for score in rows[0]["scores"] if score["name"] in TITLES]
    columns = [NAMES, *([Column("right", digits=1)] if has_right else [])]
    columns += [Column(TITLES[name], digits=1) for name in known]
    body: list[list[Cell]] = []
    for row in rows:
        values = {score["name"]: score for score in row["scores"]}
        right: list[Cell] = [100 * row["right"]] if has_right else []
        body.append(
            [row["name"], *right, *(_figure(values[name], has_intervals) for name in known)]
        )
    return Table.of_rows("Rewriting of sentences set aside", columns, body, [NOTE])


def _figure(score: Mapping[str, Any], has_interval: bool) -> Figure:
    interval = score.get("interval") if has_interval else None
    return Figure(score["value"], interval=None if interval is None else tuple(interval))


def _examples(examples: Sequence[Mapping[str, str]]) -> list[Table]:
    """A table for each style that sentences were rewritten in."""
    tables = []
    for style in dict.fromkeys(example["style"] for example in examples):
        some = [example for example in examples if example["style"] == style]
        names = [name for name in some[0] if name != "style"]
        titles = ["source" if name.startswith("copy") else name for name in names]
        rows: list[list[Cell]] = [[example[name] for name in names] for example in some]
        columns = [Column(title, "left") for title in titles]
        tables.append(Table.of_rows(f"To {style}", columns, rows))
    return tables
