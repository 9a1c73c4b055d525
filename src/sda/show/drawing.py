"""What all drawings share: their style, and the form that a page holds them in."""

from __future__ import annotations

import html
import io
import re
from typing import Any

from matplotlib.figure import Figure

# Each is told from the others without seeing red or green, and from a white page and a dark one.
COLOURS = ("#2f7fd1", "#d9661f", "#2a9d5c", "#a05fd0", "#d6447f", "#8a7a1f", "#0f97a6", "#7d828a")
# Stands for whatever colour the text of the page has; no drawing has this colour by chance.
INK = "#010203"


def drawing_style(salt: str, size: int = 11) -> Any:
    """The style of a drawing in a file of its own.

    With a fixed salt and no date the same figures draw the same bytes. Ids come from the salt, so
    drawings on one page need different ones. Names of folders are no formulas.
    """
    return {
        "svg.hashsalt": f"sda, {salt}",
        "svg.fonttype": "none",
        "text.parse_math": False,
        "font.size": size,
        "axes.prop_cycle": f"cycler('color', {COLOURS})",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": "#808080",
        "grid.alpha": 0.25,
    }


def page_style(salt: str, size: int = 11) -> Any:
    """The style of a drawing on a page, light or dark."""
    inked = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    clear = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
    plain = {"legend.frameon": False}
    return (
        drawing_style(salt, size) | dict.fromkeys(inked, INK) | dict.fromkeys(clear, "none") | plain
    )


def as_svg(figure: Figure) -> str:
    """The drawing as a file of its own."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def as_part(figure: Figure, label: str) -> str:
    """The drawing as a part of a page; `label` says what it shows to those who cannot see it."""
    text = as_svg(figure).replace(INK, "currentColor")
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    # Nothing refers to groups, and drawings on one page would have the same names for them.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(label)}" ', 1)
