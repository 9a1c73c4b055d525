"""A check told on one page: what is recommended, and all that speaks for and against it."""

from __future__ import annotations

import json

from matplotlib import rc_context
from matplotlib.figure import Figure as Drawing

from sda.labelled.arms import BASE
from sda.labelled.augmented import Task
from sda.labelled.helping import CONTROLS, OURS, SCALE
from sda.labelled.label_check import CheckResult
from sda.show.drawing import as_part, page_style
from sda.show.page import render
from sda.show.table import NAMES, Cell, Column, Figure, Table

NOTES = (
    "In per cent, on rows that were held out in turn. The gain over the rows as they are is in"
    f" points of {SCALE}, with a 95 % interval over folds and rows; it is sure where the interval"
    " is above zero.",
    "The two controls must not gain: SDA's rows with their labels shuffled, and as many rows from a"
    " generator whose buffer holds texts by lot.",
)
DRAWN = (BASE, "tuned cutoff", "EDA", "self-training", OURS)


def check_page(found: CheckResult, task: Task) -> str:
    """The page of a check."""
    counts = ", ".join(f"{count:,} {name}" for name, count in task.rows.counts().items())
    return render(
        "augment.html",
        "Does augmentation help?",
        facts=f"{found.rows:,} rows ({counts}), {len(task.pool):,} unlabelled texts,"
        f" {found.folds} folds, seed {found.seed}.",
        recommended=[
            (kind, found.recommendation(kind).sentence, kind == found.best_kind)
            for kind in found.kinds
        ],
        gains=[_draw_gains(found, kind) for kind in found.kinds],
        tables=[way_table(found, kind) for kind in found.kinds],
        curves=[_draw_curve(found, kind) for kind in found.kinds]
        if len(found.outcomes) > 1
        else [],
        settings=json.dumps(task.settings.model_dump(), indent=1),
    )


def way_table(found: CheckResult, kind: str) -> Table:
    """What came of every way with one kind of classifier; the cheapest way first."""
    body: list[list[Cell]] = []
    for way, one in found.outcomes[None][kind].items():
        gain = None if way == BASE else found.gain(kind, way)
        interval = None if gain is None else (gain.low, gain.high)
        told = None if gain is None else Figure(gain.mean, 1, interval=interval, is_signed=True)
        body.append([way, one.accuracy, one.macro_f1, told])
    columns = [NAMES, Column("accuracy", digits=1), Column(SCALE, digits=1), Column("gain")]
    # Once is enough: below the last table.
    notes = NOTES if kind == found.kinds[-1] else ()
    return Table.of_rows(f"Classifier: {kind}", columns, body, notes)


def _draw_gains(found: CheckResult, kind: str) -> str:
    """Gains of all ways with their intervals, from the cheapest down."""
    ways = [way for way in found.outcomes[None][kind] if way != BASE]
    with rc_context(page_style(f"augment gains {kind}", 9)):
        drawing = Drawing(figsize=(4.6, 0.6 + 0.27 * len(ways)), layout="constrained")
        axes = drawing.add_subplot()
        for place, way in enumerate(ways):
            gain = found.gain(kind, way)
            colour = "C0" if way == OURS else "C7" if way in CONTROLS else "C1"
            axes.plot((gain.low, gain.high), (place, place), color=colour)
            axes.plot(gain.mean, place, "o", color=colour, markersize=4)
        axes.axvline(0, color="C7", linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(ways)), ways)
        axes.invert_yaxis()
        axes.set_xlabel(f"gain in points of {SCALE}")
        axes.set_title(kind)
        return as_part(drawing, f"Gains of all ways over the rows as they are, classifier {kind}")


def _draw_curve(found: CheckResult, kind: str) -> str:
    """How some ways do with fewer rows."""
    sizes = sorted(size for size in found.outcomes if size is not None)
    with rc_context(page_style(f"augment curve {kind}", 9)):
        drawing = Drawing(figsize=(4.6, 3.0), layout="constrained")
        axes = drawing.add_subplot()
        for way in DRAWN:
            known = [size for size in (*sizes, None) if way in found.outcomes[size][kind]]
            values = [found.outcomes[size][kind][way].macro_f1 for size in known]
            if values:
                places = [len(sizes) if size is None else sizes.index(size) for size in known]
                axes.plot(places, values, "o-", markersize=3, label=way)
        axes.set_xticks(range(len(sizes) + 1), [*map(str, sizes), "all"])
        axes.set_xlabel("rows of each label")
        axes.set_ylabel(SCALE)
        axes.set_title(kind)
        axes.legend()
        return as_part(drawing, f"Learning curves, classifier {kind}")
