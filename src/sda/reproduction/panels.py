"""The kinds of panels that figures are made of; each shows the rows of one base.

The file of an experiment has an entry for each panel of its figure: `kind`, and the fields of the
class of that kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from matplotlib.axes import Axes
from pydantic import Field, TypeAdapter, ValidationError

from sda.errors import UserError
from sda.evaluation.catalogue import kind_of
from sda.evaluation.dominance import Axis, Plane
from sda.reproduction.definitions import Experiment
from sda.reproduction.ledger import RunRecord
from sda.reproduction.quantity import Quantity
from sda.reproduction.rows import Row
from sda.reproduction.scene import Scene, row_label
from sda.reproduction.series import (
    Curves,
    Spread,
    above_spread,
    epoch_spread,
    final_points,
    final_values,
    gain_spread,
    near_one,
    paper_gains,
    real_point,
    temperature_curves,
)
from sda.training.stages import Section

REAL = "real text"
MARKERS_ON_A_LINE = 8
TICKS = 6  # at most, on the x axis: their labels are wide
BAND: Any = {"alpha": 0.18, "linewidth": 0}
CLOSER = "the same around MLE at temperature 1"
STAR: Any = {"color": "black", "marker": "*", "markersize": 11, "linestyle": "none", "zorder": 5}


class TemperaturePanel(Section):
    """Each row as a line over temperatures with a marker at 1, and the seeds of starts as a band.

    With a `percent` only the rows that train on so much of the text are drawn. A panel that
    `is_close` shows the part around the starts at temperature 1: others may be far off, and would
    hide it.
    """

    kind: Literal["temperatures"]
    x: Quantity
    y: Quantity
    percent: float | None = None
    is_close: bool = False

    @property
    def title(self) -> str:
        if self.is_close:
            return CLOSER
        return "" if self.percent is None else f"{self.percent:g} % of the training text"

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


class PointPanel(Section):
    """A small marker for each run at temperature 1, and a large one for the mean of several."""

    kind: Literal["points"]
    x: Quantity
    y: Quantity

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
        return drawn > 0


class EpochPanel(Section):
    """A figure of the training over epochs, Stage I left of 0 and Stage II right of it.

    `truth` is drawn as a line: what the oracle itself has. Without a label the axis is called after
    it.
    """

    kind: Literal["epochs"]
    figure: str
    truth: Quantity
    label: str | None = None

    def draw(self, axes: Axes, scene: Scene) -> bool:
        rows = scene.present
        keys = {record.key for record in _records(rows)}
        drawn = 0
        for row in rows:
            spread = epoch_spread(_records([row]), scene.ledger, self.figure)
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
        axes.set_ylabel(self.label or self.truth.label)
        axes.grid(alpha=0.3)
        return drawn > 0


class GainPanel(Section):
    """What methods add to the score of their start over shares of the data, and what the paper has.

    The paper's figures are those of the first method, with `paper_base`.
    """

    kind: Literal["gains"]
    score: str
    methods: list[str] = Field(min_length=1)
    paper_base: str
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
        paper = paper_gains(rows, self.methods[0], self.score, self.paper_base)
        if len(paper.places):
            _draw_spread(
                axes, paper, {"color": "grey", "linestyle": ":", "label": self.paper_label}
            )
        percents = sorted({row.definition.percent for row in rows})
        _mark_steps(axes, percents, "share of the training text, %")
        kind = kind_of(self.score)
        good = {True: "\n(higher is better)", False: "\n(lower is better)", None: ""}
        axes.set_ylabel(f"gain in {kind.title} over MLE{good[kind.higher_is_better]}")
        return drawn > 0


class CallPanel(Section):
    """What so many calls of the metric buy over the start's own curve, for each family of rows."""

    kind: Literal["calls"]
    x: str
    """The score of diversity that is held equal."""
    y: str
    """The score of quality."""
    families: dict[str, str] = Field(min_length=1)
    """Names of rows without their number of calls, and what they are called."""

    def draw(self, axes: Axes, scene: Scene) -> bool:
        quality, diversity = kind_of(self.y), kind_of(self.x)
        plane = Plane(
            Axis(self.x, bool(diversity.higher_is_better)),
            Axis(self.y, bool(quality.higher_is_better)),
        )
        drawn = 0
        for family, label in self.families.items():
            spread = above_spread(scene.present, family, plane, scene.ledger)
            if len(spread.places):
                row = next(row for row in scene.present if row.definition.family == family)
                # Rows of one method have one style; here each family is a line of its own.
                look = {"color": f"C{drawn}", "marker": "o", "markersize": 4.5, "label": label}
                _draw_spread(axes, spread, scene.line(row) | look)
                drawn += 1
        calls = sorted({row.definition.calls for row in scene.rows if row.definition.calls})
        _mark_steps(axes, calls, "calls of the metric")
        axes.set_ylabel(f"{quality.title} above the start's curve\nat equal {diversity.title}")
        return drawn > 0


class BarPanel(Section):
    """A bar for each row at temperature 1, a dot for each run, and a line for real text."""

    kind: Literal["bars"]
    y: Quantity

    def draw(self, axes: Axes, scene: Scene) -> bool:
        names: list[str] = []
        for row in scene.present:
            values = final_values(_records([row]), self.y)
            if len(values):
                place = len(names)
                axes.bar(place, values.mean(), 0.6, color=scene.style(row).colour, alpha=0.6)
                axes.plot([place] * len(values), values, "k.", markersize=5)
                names.append(row_label(row))
        records = _records(scene.present)
        real = real_point(records, self.y, self.y, is_on_curve=False)
        if real is not None:
            axes.axhline(real[1], color="black", linestyle="--", label=f"{REAL} (line)")
        axes.set_xticks(range(len(names)), [name.replace(", ", ",\n") for name in names])
        axes.set_ylabel(self.y.label)
        axes.grid(alpha=0.3, axis="y")
        return bool(names)


Panel = TemperaturePanel | PointPanel | EpochPanel | GainPanel | CallPanel | BarPanel
_PANELS: TypeAdapter[list[Panel]] = TypeAdapter(list[Annotated[Panel, Field(discriminator="kind")]])


def panels_of(experiment: Experiment) -> list[Panel]:
    """The panels of the experiment's figure; a mistake in its file is one sentence."""
    try:
        return _PANELS.validate_python(experiment.panels)
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(str(part) for part in ("panels", *problem["loc"]))
        raise UserError(f"experiments/{experiment.name}.toml: '{key}': {problem['msg']}") from None


def _records(rows: Sequence[Row]) -> list[RunRecord]:
    return [record for row in rows for record in row.records.values()]


def _mark_steps(axes: Axes, steps: Sequence[float], label: str) -> None:
    """Gains over nothing at few steps of very different size."""
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks(steps, [f"{step:,g}" for step in steps])
    axes.set_xticks([], minor=True)
    axes.set_xlabel(label)
    axes.grid(alpha=0.3)


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
