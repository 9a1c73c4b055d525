"""Curves of quality and diversity told on a page: sentences first, then figures and all points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sda.evaluation.catalogue import KINDS
from sda.files import write_bytes, write_json, write_text
from sda.scoring.planes import PLANES, PRIMARY, REAL
from sda.show.page import render
from sda.show.plane_figure import draw_figure, draw_panels
from sda.show.shown_scores import score_column, score_figure
from sda.show.table import NAMES, Cell, Column, Table

HOW = (
    "Up is better and right is more varied. A model is better than another only where its curve is"
    " above at equal diversity; a point alone may be the same model, colder. The plane that decides"
    " was fixed before any run; the others stand beside it because the answer depends on the axis."
    " Between two temperatures a curve is a straight line here. Intervals say how far another"
    " sampling of the same models may fall elsewhere, not another training."
)

AXES = tuple(
    dict.fromkeys(
        name
        for plane in PLANES
        if plane.quality == PRIMARY.quality
        for name in (plane.quality.name, plane.diversity.name)
    )
)
"""The scores that models are first held against one another by."""

Data = Mapping[str, Any]
"""What a sweep found, or a part of it, as `curve.json` has it."""


@dataclass(frozen=True)
class PlanesView:
    """What pages show of curves: who is better where, in sentences and drawings."""

    primary: Sequence[str]
    others: Sequence[str]
    drawings: Sequence[str]
    how: str = HOW


def write_curve(result: Data, title: str, out: Path) -> None:
    """The folder holds the points as curve.json, the figure as SVG and PNG, and the page."""
    svg, png = draw_figure(result)
    write_json(out / "curve.json", result)
    write_text(out / "curve.svg", svg)
    write_bytes(out / "curve.png", png)
    write_text(out / "curve.html", curve_page(title, result))


def curve_page(title: str, result: Data) -> str:
    """A page of its own."""
    return render(
        "curve.html",
        title,
        curve=planes_view(result),
        points=point_table(result),
        signatures=signature_table(result),
    )


def planes_view(result: Data) -> PlanesView:
    """Sentences and drawings, for any page."""
    return PlanesView(*statements(result), draw_panels(result))


def statements(result: Data) -> tuple[list[str], list[str]]:
    """The sentences on the plane that decides, and those on the others."""
    names = PRIMARY.diversity.name, PRIMARY.quality.name
    primary: list[str] = []
    others: list[str] = []
    for comparison in result["comparisons"]:
        plane = comparison["plane"]
        decides = (plane["diversity"]["name"], plane["quality"]["name"]) == names
        (primary if decides else others).append(str(comparison["statement"]))
    return primary, others


def point_table(result: Data, is_short: bool = False) -> Table:
    """Each point once, its scores averaged over samplings; a short table has the axes alone."""
    others = () if is_short else (kind.name for kind in KINDS if kind.on_curve)
    points: list[tuple[str, str, Sequence[Sequence[Data]]]] = [(REAL, "", [result["real"]])]
    for track in result["curves"]:
        letter = "p" if track["by"] == "top-p" else "T"
        for point in track["points"]:
            label = f"{letter} {point['decoding']:.3g}"
            points.append((track["name"], label, point["samplings"]))
    means = [_means(samplings) for _, _, samplings in points]
    shown = [
        name for name in dict.fromkeys((*AXES, *others)) if any(name in found for found in means)
    ]
    rows: list[list[Cell]] = [
        [name, label, *(score_figure(key, found[key]) if key in found else None for key in shown)]
        for (name, label, _), found in zip(points, means, strict=True)
    ]
    columns = [NAMES, Column("decoding"), *map(score_column, shown)]
    return Table.of_rows(_point_title(result), columns, rows, fixed=2)


def _point_title(result: Data) -> str:
    """What the figures are about; the number of sentences may be less than wanted."""
    repeats, samples = result["settings"]["repeats"], result["settings"]["samples"]
    if repeats == 1:
        return f"One sampling of {samples:,} sentences"
    return f"Means over {repeats} samplings of {samples:,} sentences"


def signature_table(result: Data) -> Table:
    """Each score with each signature that it has anywhere."""
    samplings = [result["real"]]
    samplings += [s for track in result["curves"] for p in track["points"] for s in p["samplings"]]
    pairs = {(score["name"], score["signature"]) for scores in samplings for score in scores}
    columns = [Column("score", align="left"), Column("signature", align="left")]
    return Table.of_rows("Signatures", columns, sorted(pairs))


def _means(samplings: Sequence[Sequence[Data]]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for scores in samplings:
        for score in scores:
            found.setdefault(score["name"], []).append(score["value"])
    return {name: float(np.mean(values)) for name, values in found.items()}
