"""Curves of quality and diversity told on a page: sentences first, then figures and all points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from sda.files import write_bytes, write_json, write_text
from sda.scoring.planes import PRIMARY, REAL
from sda.show.page import note, page, table
from sda.show.plane_figure import draw_figure, draw_panels

SHORT = ("bleu-5", "self-bleu-5", "distinct-2", "nll-test", "reverse-bleu-5")
COLUMNS = (
    *SHORT,
    "lm-perplexity",
    "reverse-lm-perplexity",
    "nll-oracle",
    "grammatical-share",
    "duplicate-share",
    "length",
)
HOW = (
    "Up is better and right is more varied. A model is better than another only where its curve is"
    " above at equal diversity; a point alone may be the same model, colder. The plane that decides"
    " was fixed before any run; the others stand beside it because the answer depends on the axis."
    " Between two temperatures a curve is a straight line here. Intervals say how far another"
    " sampling of the same models may fall elsewhere, not another training."
)

Table = Mapping[str, Any]


def write_curve(result: Table, title: str, out: Path) -> None:
    """The folder holds the points as curve.json, the figure as SVG and PNG, and the page."""
    svg, png = draw_figure(result)
    write_json(out / "curve.json", result)
    write_text(out / "curve.svg", svg)
    write_bytes(out / "curve.png", png)
    write_text(out / "curve.html", curve_page(title, result))


def curve_page(title: str, result: Table) -> str:
    """A page of its own."""
    parts = [f"<h1>{escape(title)}</h1>", *curve_parts(result), f"<h2>{table_title(result)}</h2>"]
    parts.append(table(*point_table(result)))
    rows = signatures(result)
    parts += ["<details><summary>Signatures</summary>", table(("score", "signature"), rows, "text")]
    return page(title, [*parts, "</details>"])


def curve_parts(result: Table) -> list[str]:
    """Sentences and figures as HTML, for any page."""
    primary, others = statements(result)
    parts = [_list(primary), note(HOW), f'<div class="panels">{"".join(draw_panels(result))}</div>']
    if others:
        parts += ["<h3>At equal diversity by other measures</h3>", _list(others)]
    return parts


def statements(result: Table) -> tuple[list[str], list[str]]:
    """The sentences on the plane that decides, and those on the others."""
    names = PRIMARY.diversity.name, PRIMARY.quality.name
    primary: list[str] = []
    others: list[str] = []
    for comparison in result["comparisons"]:
        plane = comparison["plane"]
        decides = (plane["diversity"]["name"], plane["quality"]["name"]) == names
        (primary if decides else others).append(str(comparison["statement"]))
    return primary, others


def table_title(result: Table) -> str:
    """What the figures of the table are about; the number of sentences may be less than wanted."""
    repeats, samples = result["settings"]["repeats"], result["settings"]["samples"]
    if repeats == 1:
        return f"One sampling of {samples:,} sentences"
    return f"Means over {repeats} samplings of {samples:,} sentences"


def point_table(result: Table, names: Sequence[str] = COLUMNS) -> tuple[list[str], list[list[str]]]:
    """Header and rows: each point once, its scores averaged over samplings."""
    rows: list[tuple[str, str, Sequence[Sequence[Table]]]] = [(REAL, "", [result["real"]])]
    for track in result["curves"]:
        letter = "p" if track["by"] == "top-p" else "T"
        for point in track["points"]:
            label = f"{letter} {point['decoding']:.3g}"
            rows.append((track["name"], label, point["samplings"]))
    means = [_means(samplings) for _, _, samplings in rows]
    columns = [name for name in names if any(name in found for found in means)]
    body = [
        [name, label, *(f"{found[key]:.3f}" if key in found else "-" for key in columns)]
        for (name, label, _), found in zip(rows, means, strict=True)
    ]
    return ["", "decoding", *columns], body


def signatures(result: Table) -> list[list[str]]:
    """Each score with each signature that it has anywhere."""
    samplings = [result["real"]]
    samplings += [s for track in result["curves"] for p in track["points"] for s in p["samplings"]]
    pairs = dict.fromkeys(
        (score["name"], score["signature"]) for scores in samplings for score in scores
    )
    return [list(pair) for pair in sorted(pairs)]


def _means(samplings: Sequence[Sequence[Table]]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for scores in samplings:
        for score in scores:
            found.setdefault(score["name"], []).append(score["value"])
    return {name: float(np.mean(values)) for name, values in found.items()}


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"
