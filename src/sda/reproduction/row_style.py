"""How each row is drawn: the same method has the same colour in every figure.

The colours are those of Okabe and Ito, which people with any colour vision tell apart; markers and
dashes differ too, for print without colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sda.reproduction.definitions import RowDefinition

FAMILIES = {
    "#000000": ("mle",),
    "#D55E00": ("sda", "sda-gail", "sda-two-policy"),
    "#0072B2": ("rl", "metric-reward", "constant"),
    "#009E73": ("eda", "mixup", "mixed"),
    "#CC79A7": ("raft", "random-buffer", "train-as-buffer"),
    "#56B4E9": ("best-of-n", "d-rejection", "mle-longer"),
    "#E69F00": ("un-rare", "un-repeat"),
}
OTHERS = "#7F7F7F"  # methods that have no family
MAIN = ("mle", "sda")
MARKERS = "os^DvPX<>phd"  # of the rows that share a colour
DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Style:
    """Colour, marker and dash of a row; `is_main` rows are drawn thicker and on top."""

    colour: str
    marker: str
    dash: str
    is_main: bool


def row_styles(rows: Sequence[RowDefinition]) -> dict[str, Style]:
    """The style of each row of an experiment by name."""
    known = {
        method: (colour, place)
        for colour, methods in FAMILIES.items()
        for place, method in enumerate(methods)
    }
    styles: dict[str, Style] = {}
    seen: dict[str, int] = {}
    # The head of a family has the plainest look wherever it stands in the table.
    for row in sorted(rows, key=lambda row: known.get(row.method, (OTHERS, 0))[1]):
        colour, _ = known.get(row.method, (OTHERS, 0))
        place = seen.get(colour, 0)
        seen[colour] = place + 1
        marker, dash = MARKERS[place % len(MARKERS)], DASHES[place % len(DASHES)]
        styles[row.name] = Style(colour, marker, dash, row.method in MAIN)
    return styles
