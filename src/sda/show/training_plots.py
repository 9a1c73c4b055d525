"""The curves of one or several runs as one drawing."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sda.evaluation.catalogue import KINDS, figure_name

Lines = Sequence[Mapping[str, Any]]

PANELS = (
    ("losses", ("g_loss", "d_loss")),
    ("accuracy of D", ("d_accuracy_real", "d_accuracy_fake", "d_accuracy_buffer")),
    ("reward", ("reward",)),
    ("entropy, nats a token", ("entropy",)),
    ("NLL a token", ("nll_valid", "nll_oracle")),
    ("BLEU-3 on validation data", ("bleu_3", "self_bleu_3")),
    ("buffer score", ("buffer_min", "buffer_median", "buffer_max")),
    ("share", ("grammatical_share", "duplicate_share", "distinct_2")),
    ("length", ("length",)),
)
COLUMNS = 3


def draw_curves(runs: Mapping[str, Lines]) -> str:
    """An SVG with one panel for each kind of figure that any of the runs has."""
    panels = [(title, names) for title, names in (*PANELS, *_others()) if _has(runs, names)]
    rows = -(-len(panels) // COLUMNS)
    # Fixed salt and no date: the same run draws the same bytes. Names of folders are no formulas.
    style: Any = {"svg.hashsalt": "sda", "svg.fonttype": "none", "text.parse_math": False}
    with matplotlib.rc_context(style | {"font.size": 9}):
        figure = Figure(figsize=(4 * COLUMNS, 2.7 * max(rows, 1)), layout="constrained")
        grid = figure.subplots(max(rows, 1), COLUMNS, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        for axes, (title, names) in zip(grid.flat, panels, strict=False):
            _panel(axes, title, names, runs)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _others() -> Iterator[tuple[str, tuple[str, ...]]]:
    """A panel for each score that is measured while training runs and has no place above."""
    known = {name for _, names in PANELS for name in names}
    for kind in KINDS:
        if kind.monitored and figure_name(kind.name) not in known:
            yield kind.title, (figure_name(kind.name),)


def _has(runs: Mapping[str, Lines], names: Sequence[str]) -> bool:
    return any(name in line for lines in runs.values() for line in lines for name in names)


def _panel(axes: Axes, title: str, names: Sequence[str], runs: Mapping[str, Lines]) -> None:
    for number, (run, lines) in enumerate(runs.items()):
        ends = [i for i, line in enumerate(lines, 1) if line["stage"] != "imitation"]
        if ends and ends[-1] < len(lines):
            axes.axvline(ends[-1] + 0.5, color="grey", linewidth=0.8, linestyle=":")
        for name, style in zip(names, ("-", "--", ":"), strict=False):
            points = [(i, line[name]) for i, line in enumerate(lines, 1) if name in line]
            if points:
                label = name.replace("_", " ") if len(runs) == 1 else f"{name}, {run}"
                marker = "o" if len(points) < 3 else None
                x, y = zip(*points, strict=True)
                colour = f"C{number}" if len(runs) > 1 else None
                axes.plot(x, y, style, label=label, color=colour, marker=marker, linewidth=1.2)
    axes.set_title(title)
    axes.set_xlabel("epoch")
    axes.grid(alpha=0.3)
    # Names of folders may be longer than a panel is wide, and would leave it no room.
    axes.legend(fontsize=7).set_in_layout(False)
