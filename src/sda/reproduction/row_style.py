"""How each row is drawn: the same method has the same colour in every figure.

Markers and dashes differ too, for print without colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sda.reproduction.definitions import RowDefinition
from sda.reproduction.looks import look_of

MARKERS = "os^DvPX<>phdH8*1234x+|_."  # of the rows that share a colour
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
    styles: dict[str, Style] = {}
    seen: dict[str, int] = {}
    # The head of a family has the plainest look wherever it stands in the table.
    for row in sorted(rows, key=lambda row: look_of(row.method).place):
        look = look_of(row.method)
        place = seen.get(look.colour, 0)
        seen[look.colour] = place + 1
        marker, dash = MARKERS[place % len(MARKERS)], DASHES[place % len(DASHES)]
        styles[row.name] = Style(look.colour, marker, dash, look.is_main)
    return styles
