"""The picture of an outcome: means with intervals, and how often each value was given."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sda.show.drawing import COLOURS, as_part, page_style
from sda.studies.outcome import CriterionOutcome, Outcome

_ROW, _REST = 0.42, 1.3  # inches


def outcome_drawings(outcome: Outcome) -> list[str]:
    """For each question a drawing of the means and one of the distribution, as parts of a page."""
    return [
        drawing
        for number, each in enumerate(outcome.criteria)
        for drawing in (_points(each, outcome, number), _shares(each, outcome, number))
    ]


def _points(each: CriterionOutcome, outcome: Outcome, number: int) -> str:
    study = outcome.study
    with matplotlib.rc_context(page_style(f"study points {number}", 10)):
        figure, axes = _axes(len(each.models))
        for place, model in enumerate(each.models):
            low, high = model.interval
            axes.plot([low, high], [place, place], color=COLOURS[0], linewidth=2)
            axes.plot([model.value], [place], "o", color=COLOURS[0], markersize=7)
        if study.task == "pairs":
            axes.axvline(0.5, color="#808080", linewidth=1, linestyle=":")
            axes.set_xlim(0, 1)
            axes.set_xlabel(f"{each.criterion.name}: share of choices won, 95 % interval")
        else:
            axes.set_xlim(study.low, study.high)
            axes.set_xlabel(f"{each.criterion.name}: mean rating, 95 % interval")
        _name_rows(axes, [model.model for model in each.models])
        axes.grid(axis="x")
        means = ", ".join(f"{model.model} {model.value:.2f}" for model in each.models)
        return as_part(figure, f"{each.criterion.name}, means: {means}")


def _shares(each: CriterionOutcome, outcome: Outcome, number: int) -> str:
    is_pairs = outcome.study.task == "pairs"
    names = ["lost", "tied", "won"] if is_pairs else [str(value) for value in outcome.study.values]
    shades = np.linspace(0.15, 0.95, len(names))
    with matplotlib.rc_context(page_style(f"study shares {number}", 10)):
        figure, axes = _axes(len(each.models))
        for place, model in enumerate(each.models):
            total = max(1, sum(model.counts))
            left = 0.0
            for shade, count in zip(shades, model.counts, strict=True):
                share = 100 * count / total
                label = names[len(axes.patches)] if place == 0 else None
                axes.barh(
                    place,
                    share,
                    left=left,
                    height=0.6,
                    color=(*_rgb(COLOURS[0]), shade),
                    label=label,
                )
                left += share
        axes.set_xlim(0, 100)
        axes.set_xlabel(f"{each.criterion.name}: how often each value was given, %")
        _name_rows(axes, [model.model for model in each.models])
        axes.legend(
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=len(names),
            fontsize=9,
            handlelength=1,
            columnspacing=1,
        )
        shares = "; ".join(f"{m.model} {', '.join(map(str, m.counts))}" for m in each.models)
        return as_part(figure, f"{each.criterion.name}, counts of {', '.join(names)}: {shares}")


def _axes(rows: int) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(5.2, _REST + _ROW * rows), layout="constrained")
    return figure, figure.add_subplot()


def _name_rows(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
