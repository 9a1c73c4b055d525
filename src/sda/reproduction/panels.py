"""The kinds of panels that figures are made of; each shows the rows of one base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from matplotlib.axes import Axes

from sda.reproduction.ledger import Ledger, Record
from sda.reproduction.row_style import Style
from sda.reproduction.rows import Row, base_title
from sda.reproduction.series import (
    Curves,
    Quantity,
    Spread,
    epoch_spread,
    final_points,
    final_values,
    gain_spread,
    near_one,
    paper_gains,
    real_point,
    temperature_curves,
)

REAL = "real text"
MARKERS_ON_A_LINE = 8
TICKS = 6  # at most, on the x axis: their labels are wide
BAND: Any = {"alpha": 0.18, "linewidth": 0}
STAR: Any = {"color": "black", "marker": "*", "markersize": 11, "linestyle": "none", "zorder": 5}


@dataclass(frozen=True)
class Scene:
    """What a panel draws from: all rows of a base, their styles by name, and the whole ledger."""

    base: str
    rows: Sequence[Row]
    styles: Mapping[str, Style]
    ledger: Ledger

    @property
    def title(self) -> str:
        return base_title(self.base)

    @property
    def present(self) -> list[Row]:
        """The rows that have a run."""
        return [row for row in self.rows if row.records]

    def style(self, row: Row) -> Style:
        return self.styles[row.name]

    def line(self, row: Row) -> dict[str, Any]:
        """How a line of the row is drawn."""
        style = self.style(row)
        return {
            "color": style.colour,
            "linestyle": style.dash,
            "linewidth": 1.8 if style.is_main else 1.0,
            "marker": style.marker,
            "markersize": 4.5,
            "zorder": 3 if style.is_main else 2,
            "label": row_label(row),
        }


def row_name(row: Row) -> str:
    """What the row is called beside others of its base."""
    title = row.definition.title
    return ", ".join(part for part in ("MLE", title) if part) if row.is_start else title


def row_label(row: Row) -> str:
    """The name, and how many runs there are if that is one, or fewer than planned."""
    runs = len(row.records)
    if runs == 1:
        return f"{row_name(row)}, single run"
    return f"{row_name(row)}, {runs} runs" if row.missing else row_name(row)


class Panel(Protocol):
    """Draws itself on axes, and says whether there was anything to draw."""

    def draw(self, axes: Axes, scene: Scene) -> bool: ...


@dataclass(frozen=True)
class TemperaturePanel:
    """Each row as a line over temperatures with a marker at 1, and the seeds of starts as a band.

    With a `percent` only the rows that train on so much of the text are drawn. A panel that
    `is_close` shows the part around the starts at temperature 1: others may be far off, and would
    hide it.
    """

    x: Quantity
    y: Quantity
    title: str = ""
    percent: float | None = None
    is_close: bool = False

    def draw(self, axes: Axes, scene: Scene) -> bool:
        rows = [row for row in scene.present if self.percent in (None, row.definition.percent)]
        drawn = 0
        starts: list[Curves] = []
        for row in rows:
            curves = temperature_curves(_records([row]), self.x, self.y)
            if curves is not None:
                self._draw_row(axes, scene, row, curves)
                drawn += 1
                starts += [curves] if row.is_start else []
        _draw_real(axes, real_point(_records(rows), self.x, self.y, is_on_curve=True))
        ranges = near_one(starts) if self.is_close else None
        if ranges is not None:
            axes.set_xlim(*ranges[0])
            axes.set_ylim(*ranges[1])
        _name_axes(axes, self.x, self.y)
        axes.set_title(self.title)
        return drawn > 0

    def _draw_row(self, axes: Axes, scene: Scene, row: Row, curves: Curves) -> None:
        at_one = [place for place, value in enumerate(curves.temperatures) if value == 1]
        x, y = curves.x.mean(axis=0), curves.y.mean(axis=0)
        axes.plot(x, y, markevery=at_one, **scene.line(row))
        if not row.is_start or len(curves.x) < 2:
            return
        band, colour = curves.band(), scene.style(row).colour
        if band is None:
            axes.plot(curves.x.T, curves.y.T, color=colour, linewidth=0.5, alpha=0.5)
        else:
            axes.fill_between(band.places, band.low, band.high, color=colour, **BAND)


@dataclass(frozen=True)
class PointPanel:
    """A small marker for each run at temperature 1, and a large one for the mean of several."""

    x: Quantity
    y: Quantity
    title: str = ""

    def draw(self, axes: Axes, scene: Scene) -> bool:
        drawn = 0
        for row in scene.present:
            points = final_points(_records([row]), self.x, self.y)
            if len(points):
                look = scene.line(row) | {"linestyle": "none"}
                axes.plot(*points.mean(axis=0)[:, None], **(look | {"markersize": 8}))
                if len(points) > 1:
                    seeds = {"markersize": 4, "alpha": 0.6, "label": None}
                    axes.plot(*points.T, **(look | seeds))
                drawn += 1
        records = _records(scene.present)
        _draw_real(axes, real_point(records, self.x, self.y, is_on_curve=False))
        _name_axes(axes, self.x, self.y)
        axes.set_title(self.title)
        return drawn > 0


@dataclass(frozen=True)
class EpochPanel:
    """A figure of the training over epochs, Stage I left of 0 and Stage II right of it.

    `truth` is drawn as a line: what the oracle itself has.
    """

    name: str
    label: str
    truth: Quantity

    def draw(self, axes: Axes, scene: Scene) -> bool:
        rows = scene.present
        keys = {record.key for record in _records(rows)}
        drawn = 0
        for row in rows:
            spread = epoch_spread(_records([row]), scene.ledger, self.name)
            if all(record.data["start"] in keys for record in row.records.values()):
                # The row of the start shows the same Stage I.
                spread = spread.after(0)
            if len(spread.places):
                _draw_spread(axes, spread, scene.line(row))
                drawn += 1
        records = _records(rows)
        truth = real_point(records, self.truth, self.truth, is_on_curve=True)
        if truth is not None:
            axes.axhline(truth[1], color="grey", linestyle=":", label="the oracle itself")
        axes.axvline(0, color="grey", linewidth=0.8)
        axes.set_xlabel("epochs from the end of Stage I (line)")
        axes.set_ylabel(self.label)
        axes.grid(alpha=0.3)
        return drawn > 0


@dataclass(frozen=True)
class GainPanel:
    """What methods add to the score of their start over shares of the data, and what the paper has.

    `base` is the one of the paper's figures.
    """

    score: str
    label: str
    methods: tuple[str, ...]
    base: str
    paper_label: str

    def draw(self, axes: Axes, scene: Scene) -> bool:
        rows = scene.rows
        drawn = 0
        for method in self.methods:
            spread = gain_spread(rows, method, self.score)
            if len(spread.places):
                row = next(row for row in rows if row.definition.method == method)
                look = scene.line(row) | {"label": f"gain of {method}"}
                _draw_spread(axes, spread, look)
                drawn += 1
        paper = paper_gains(rows, self.methods[0], self.score, self.base)
        if len(paper.places):
            _draw_spread(
                axes, paper, {"color": "grey", "linestyle": ":", "label": self.paper_label}
            )
        axes.axhline(0, color="grey", linewidth=0.8)
        axes.set_xscale("log")
        percents = sorted({row.definition.percent for row in rows})
        axes.set_xticks(percents, [f"{percent:g}" for percent in percents])
        axes.set_xticks([], minor=True)
        axes.set_xlabel("share of the training text, %")
        axes.set_ylabel(self.label)
        axes.grid(alpha=0.3)
        return drawn > 0


@dataclass(frozen=True)
class BarPanel:
    """A bar for each row at temperature 1, a dot for each run, and a line for real text."""

    quantity: Quantity

    def draw(self, axes: Axes, scene: Scene) -> bool:
        names: list[str] = []
        for row in scene.present:
            values = final_values(_records([row]), self.quantity)
            if len(values):
                place = len(names)
                axes.bar(place, values.mean(), 0.6, color=scene.style(row).colour, alpha=0.6)
                axes.plot([place] * len(values), values, "k.", markersize=5)
                names.append(row_label(row))
        records = _records(scene.present)
        real = real_point(records, self.quantity, self.quantity, is_on_curve=False)
        if real is not None:
            axes.axhline(real[1], color="black", linestyle="--", label=f"{REAL} (line)")
        axes.set_xticks(range(len(names)), [name.replace(", ", ",\n") for name in names])
        axes.set_ylabel(self.quantity.label)
        axes.grid(alpha=0.3, axis="y")
        return bool(names)


def _records(rows: Sequence[Row]) -> list[Record]:
    return [record for row in rows for record in row.records.values()]


def _draw_spread(axes: Axes, spread: Spread, look: Mapping[str, Any]) -> None:
    """A line, and a band where runs differ."""
    every = max(1, len(spread.places) // MARKERS_ON_A_LINE)
    axes.plot(spread.places, spread.mean, markevery=every, **look)
    if (spread.low < spread.high).any():
        axes.fill_between(spread.places, spread.low, spread.high, color=look["color"], **BAND)


def _draw_real(axes: Axes, point: tuple[float, float] | None) -> None:
    if point is not None:
        axes.plot(*point, label=REAL, **STAR)


def _name_axes(axes: Axes, x: Quantity, y: Quantity) -> None:
    axes.set_xlabel(x.label)
    axes.set_ylabel(y.label)
    axes.locator_params(axis="x", nbins=TICKS)
    if x.is_turned:
        axes.invert_xaxis()
    if y.is_turned:
        axes.invert_yaxis()
    axes.grid(alpha=0.3)
