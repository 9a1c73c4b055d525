"""The figure of an experiment, drawn from the ledger: a row of panels for each base.

Right is more varied and up is better where the paper does not draw it otherwise. The diversity
side is never missing: every figure has a panel with it.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure, SubFigure

from sda.errors import UserError
from sda.files import naming, write_bytes
from sda.reproduction.definitions import Experiment, Portion, chosen
from sda.reproduction.ledger import Ledger
from sda.reproduction.panels import REAL, Panel, panels_of
from sda.reproduction.row_style import row_styles
from sda.reproduction.rows import read_rows
from sda.reproduction.scene import Scene, row_name

COLUMNS = 3
WIDTH, HEIGHT, LEGEND = 3.1, 2.8, 2.2  # inches of a panel, and of the legend beside them
NOTE_SIZE = 7  # of text, in points
LETTERS_AN_INCH = 20  # of that size
LEGEND_LETTERS = 30  # on a line

# Nothing that differs from one drawing of the same figures to the next.
METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None},
}

READING = (
    "Lines and large markers are means over seeds, bands reach from the least to the greatest of"
    " the seeds; a single run has none. On planes a line goes over temperatures, its marker is"
    " temperature 1, and one model is better than another only where it is above at equal"
    " diversity."
)


def default_file(experiment: str, profile: str) -> Path:
    """Where a figure goes if nothing is said."""
    return Path("figures") / f"{experiment}-{profile}.svg"


def write_figure(
    experiment: Experiment,
    profile: str,
    ledger: Ledger,
    path: Path,
    bases: Sequence[str] | None = None,
) -> None:
    """The file holds the figure as SVG, PNG or PDF, by its ending; the same ledger, same bytes."""
    ending = path.suffix.lower()
    if ending not in METADATA:
        raise UserError(f"{path}: a figure is written as {', '.join(METADATA)}, not {ending!r}")
    content = draw_figure(experiment, profile, ledger, ending, bases)
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, content)


def draw_figure(
    experiment: Experiment,
    profile: str,
    ledger: Ledger,
    ending: str,
    bases: Sequence[str] | None = None,
) -> bytes:
    """The figure with what the ledger holds; what it does not hold is named below."""
    styles = row_styles(experiment.rows)
    scenes = [
        Scene(base, read_rows(experiment, ledger, Portion(profile), base), styles, ledger)
        for base in chosen(bases, experiment.bases, "model")
    ]
    if not any(scene.present for scene in scenes):
        raise UserError(
            f"{ledger.folder}: no run of {experiment.name} with profile {profile};"
            f" make them with sda reproduce {experiment.name} --profile {profile}"
        )
    style: Any = {"svg.hashsalt": "sda", "svg.fonttype": "none", "text.parse_math": False}
    with matplotlib.rc_context(style | {"font.size": 8, "axes.titlesize": 8, "pdf.fonttype": 42}):
        figure = _compose(experiment, profile, scenes)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=ending[1:], dpi=200, metadata=METADATA[ending])
    return buffer.getvalue()


def _compose(experiment: Experiment, profile: str, scenes: Sequence[Scene]) -> Figure:
    panels = panels_of(experiment)
    present = [scene for scene in scenes if scene.present]
    columns = min(len(panels), COLUMNS if len(panels) % 2 else 2)
    lines = -(-len(panels) // columns)
    width = columns * WIDTH + LEGEND
    note = textwrap.fill(" ".join((READING, *missing_notes(scenes))), int(width * LETTERS_AN_INCH))
    figure = Figure((width, len(present) * lines * HEIGHT + 1), layout="constrained")
    figure.suptitle(f"{experiment.heading()}, profile {profile}", fontsize=10)
    ratios = [columns * WIDTH, LEGEND]
    parts = figure.subfigures(len(present), 2, squeeze=False, width_ratios=ratios)
    for (left, right), scene in zip(parts, present, strict=True):
        _draw_legend(right, scene.title, _draw_base(left, panels, scene, columns))
    figure.supxlabel(note, fontsize=NOTE_SIZE, x=0.01, ha="left")
    return figure


def _draw_base(
    part: SubFigure, panels: Sequence[Panel], scene: Scene, columns: int
) -> dict[str, Any]:
    """The panels are drawn; returns what stands for each label."""
    grid = part.subplots(-(-len(panels) // columns), columns, squeeze=False)
    entries: dict[str, Any] = {}
    for axes, panel in zip(grid.flat, panels, strict=False):
        if not panel.draw(axes, scene):
            axes.text(0.5, 0.5, "no run has these figures", transform=axes.transAxes, ha="center")
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    real = {label: handle for label, handle in entries.items() if label == REAL}
    return {label: handle for label, handle in entries.items() if label != REAL} | real


def _draw_legend(part: SubFigure, title: str, entries: Mapping[str, Any]) -> None:
    part.legend(
        entries.values(),
        [textwrap.fill(label, LEGEND_LETTERS) for label in entries],
        loc="upper left",
        title=title,
        fontsize=NOTE_SIZE,
        frameon=False,
        alignment="left",
    )


def missing_notes(scenes: Sequence[Scene]) -> list[str]:
    """A sentence for each base that says which of its rows have no run."""
    notes = []
    for scene in scenes:
        missing = [row_name(row) for row in scene.rows if not row.records]
        if not scene.present:
            notes.append(f"{scene.title}: no runs.")
        elif missing:
            notes.append(f"{scene.title}, not run: {'; '.join(missing)}.")
    return notes
