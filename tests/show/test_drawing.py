"""Drawings are on a page what its text is: light or dark, and told to those who cannot see."""

from xml.etree import ElementTree

import matplotlib
from matplotlib.figure import Figure

from sda.show.drawing import INK, as_part, as_svg, page_style


def drawn(salt: str = "salt") -> Figure:
    with matplotlib.rc_context(page_style(salt)):
        figure = Figure()
        axes = figure.subplots()
        axes.plot([0, 1], [1, 2], label="<b>")
        axes.legend()
        return figure


def test_a_part_has_the_colour_of_the_page() -> None:
    with matplotlib.rc_context(page_style("salt")):
        alone, part = as_svg(drawn()), as_part(drawn(), "a line")

    assert INK in alone
    assert INK not in part and "currentColor" in part
    # No paper of its own.
    assert "fill: #ffffff" not in part


def test_a_part_says_what_it_shows() -> None:
    root = ElementTree.fromstring(as_part(drawn(), 'a "line" & <more>'))

    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == 'a "line" & <more>'


def test_groups_have_no_names_that_another_drawing_has() -> None:
    with matplotlib.rc_context(page_style("salt")):
        part = as_part(drawn(), "a line")

    assert '<g id="' not in part and "<metadata>" not in part
    assert ElementTree.fromstring(part).tag.endswith("svg")
