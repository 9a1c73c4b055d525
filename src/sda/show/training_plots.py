"""How training went, one drawing for each kind of figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sda.evaluation.catalogue import KINDS, figure_name
from sda.show.drawing import as_part, page_style

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
WIDTH, HEIGHT = 4.2, 2.9  # inches of a panel; shown at the width of a phone, its text is legible


def draw_curves(runs: Mapping[str, Lines]) -> list[str]:
    """An SVG for each kind of figure that any of the runs has, for a page."""
    return [
        _drawn(title, names, runs) for title, names in (*PANELS, *_others()) if _has(runs, names)
    ]


def _drawn(title: str, names: Sequence[str], runs: Mapping[str, Lines]) -> str:
    with matplotlib.rc_context(page_style(f"training, {title}", size=10)):
        # Fixed margins: finding those that fit takes as long as all else.
        figure = Figure(figsize=(WIDTH, HEIGHT))
        figure.subplots_adjust(left=0.16, right=0.97, top=0.88, bottom=0.18)
        _panel(figure.subplots(), title, names, runs)
        return as_part(figure, f"{title} over the epochs of {', '.join(runs)}")


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
    axes.grid()
    # Names of folders may be longer than a panel is wide, and would leave it no room.
    axes.legend(fontsize=8).set_in_layout(False)
