"""Drawings of the planes of quality and diversity."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sda.evaluation.dominance import Curve, Plane
from sda.scoring.planes import PRIMARY, REAL, curve_on, planes_of, real_point
from sda.show.drawing import INK, as_part, as_svg, drawing_style, page_style

Data = Mapping[str, Any]

COLUMNS = 2
RINGS = "rings: as trained (T or p is 1); colder is up"
WIDTH, HEIGHT = 4.6, 3.6  # inches of a panel; shown at the width of a phone, its text is legible


def draw_figure(result: Data) -> tuple[str, bytes]:
    """All planes in one drawing, as SVG and as PNG."""
    planes = planes_of(result)
    rows = max(1, -(-len(planes) // COLUMNS))
    with matplotlib.rc_context(drawing_style("figure")):
        figure = Figure(figsize=(COLUMNS * WIDTH, rows * HEIGHT + 0.5), layout="constrained")
        grid = figure.subplots(rows, COLUMNS, squeeze=False)
        for axes in grid.flat[len(planes) :]:
            axes.set_axis_off()
        for axes, plane in zip(grid.flat, planes, strict=False):
            _panel(axes, plane, result)
        _legend(figure, grid.flat[0], result)
        return as_svg(figure), _png(figure)


def draw_panels(result: Data) -> list[str]:
    """One SVG for each plane, so that a page can put them below one another on a small screen."""
    return [draw_plane(plane, result) for plane in planes_of(result)]


def draw_plane(plane: Plane, result: Data, title: str | None = None) -> str:
    """One plane for a page, with a title where it is not one of those that models are held to."""
    name = f"{plane.diversity.name}, {plane.quality.name}"
    # Ids in a drawing come from the salt, and one page shows all the drawings.
    with matplotlib.rc_context(page_style(name)):
        figure = Figure(figsize=(WIDTH, HEIGHT + 0.5), layout="constrained")
        axes = figure.subplots()
        _panel(axes, plane, result, INK)
        if title is not None:
            axes.set_title(title)
        _legend(figure, axes, result)
        curves = ", ".join(str(track["name"]) for track in result["curves"])
        label = f"{plane.quality.name} against {plane.diversity.name} of {curves}"
        return as_part(figure, label)


def _panel(axes: Axes, plane: Plane, result: Data, ink: str = "black") -> None:
    for number, track in enumerate(result["curves"]):
        curve = curve_on(plane, track)
        if curve is not None:
            _draw_curve(axes, curve, track, f"C{number}")
    real = real_point(plane, result["real"])
    if real is not None:
        axes.plot(real.diversity, real.quality, "*", color=ink, markersize=12, label=REAL)
    for axis, direction, turn in (
        (plane.diversity, axes.set_xlabel, axes.invert_xaxis),
        (plane.quality, axes.set_ylabel, axes.invert_yaxis),
    ):
        direction(axis.name)
        # Up is always better and right always more varied.
        if not axis.higher_is_better:
            turn()
    if plane == PRIMARY:
        axes.set_title("the plane that decides")
    axes.grid()


def _draw_curve(axes: Axes, curve: Curve, track: Data, colour: str) -> None:
    style = "--s" if track["start"] is None else "-o"
    x, y = curve.diversity.mean(1), curve.quality.mean(1)
    line = ":^" if track["by"] == "top-p" else style
    axes.plot(x, y, line, color=colour, label=curve.name, linewidth=1.5, markersize=5)
    if curve.diversity.shape[1] > 1:
        axes.plot(curve.diversity.flat, curve.quality.flat, ".", color=colour, alpha=0.4, ms=3)
    for i in np.flatnonzero(np.array(curve.decodings) == 1.0):
        axes.plot(x[i], y[i], "o", color=colour, fillstyle="none", markersize=12)


def _legend(figure: Figure, axes: Axes, result: Data) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=2,
            fontsize=11,
            title=RINGS if any(len(track["points"]) > 1 for track in result["curves"]) else None,
        )


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()
