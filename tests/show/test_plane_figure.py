"""Up is better, right is more varied, and the same points draw the same bytes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from planes import MLE, REAL, SDA, kept_figures, result, scores, track

from sda.evaluation.dominance import Axis, Plane
from sda.scoring.planes import PLANES, PRIMARY, curve_on, planes_of, real_point
from sda.show import plane_figure as module
from sda.show.plane_figure import draw_figure, draw_panels


def test_the_plane_that_decides_is_the_first() -> None:
    assert PLANES[0] == PRIMARY
    assert (PRIMARY.diversity.name, PRIMARY.quality.name) == ("self-bleu-5", "bleu-5")
    assert len(set(PLANES)) == len(PLANES)


def test_a_track_becomes_a_curve() -> None:
    curve = curve_on(PRIMARY, MLE)

    assert curve is not None
    assert (curve.name, curve.decodings) == ("mle", (1.0, 0.5))
    assert curve.diversity.tolist() == [[0.2, 0.22], [0.6, 0.62]]
    assert curve.quality.tolist() == [[0.3, 0.32], [0.5, 0.52]]


def test_points_without_a_score_are_left_out() -> None:
    broken = track("a", None, {1.0: [(0.2, 0.3), (0.2, 0.3)], 0.5: [(0.6, 0.5), (0.6, 0.5)]})
    broken["points"][0]["samplings"][1] = []
    curve = curve_on(PRIMARY, broken)

    assert curve is not None
    assert curve.decodings == (0.5,)
    assert curve_on(Plane(Axis("nll-test", False), Axis("bleu-5", True)), broken) is None


def test_real_text_is_a_curve_of_one_point() -> None:
    point = real_point(PRIMARY, REAL)

    assert point is not None
    assert (point.diversity.tolist(), point.quality.tolist()) == ([[0.25]], [[0.4]])
    assert real_point(PRIMARY, scores(bleu_5=0.4)) is None


def test_only_planes_with_points_are_drawn() -> None:
    assert [plane.diversity.name for plane in planes_of(result(MLE))] == [
        "self-bleu-5",
        "distinct-2",
    ]
    assert len(draw_panels(result(MLE, SDA))) == 2


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    return kept_figures(monkeypatch, module)


def test_every_curve_and_real_text_are_drawn(drawn: list[Figure]) -> None:
    draw_figure(result(MLE, SDA))
    axes = drawn[0].axes[0]
    lines = {line.get_label(): line for line in axes.get_lines()}

    assert lines["mle"].get_xydata() == pytest.approx(np.array([[0.21, 0.31], [0.61, 0.51]]))
    assert lines["sda"].get_xydata() == pytest.approx(np.array([[0.31, 0.41], [0.71, 0.61]]))
    assert lines["real text"].get_xydata().tolist() == [[0.25, 0.4]]
    (legend,) = drawn[0].legends
    assert [text.get_text() for text in legend.get_texts()] == ["mle", "sda", "real text"]


def test_up_is_better_and_right_is_more_varied(drawn: list[Figure]) -> None:
    draw_figure(result(MLE))
    first, second = drawn[0].axes[:2]

    # Less self-BLEU and more distinct bigrams are more varied.
    assert first.xaxis_inverted()
    assert not second.xaxis_inverted()
    assert not first.yaxis_inverted()


def test_scores_that_are_better_lower_are_turned_over(drawn: list[Figure]) -> None:
    synthetic = track("mle", None, {1.0: [(0.2, 0.3)]})
    synthetic["points"][0]["samplings"] = [scores(nll_test=2.0, nll_oracle=5.0)]
    draw_figure(result(synthetic, real=[]))
    axes = drawn[0].axes[0]

    assert axes.xaxis_inverted()
    assert axes.yaxis_inverted()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("nll-test", "nll-oracle")


def test_drawings_are_whole_and_repeatable() -> None:
    points = result(MLE, SDA, track("sda with top-p", "mle", {0.9: [(0.3, 0.3)]}, "top-p"))
    svg, png = draw_figure(points)

    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert png.startswith(b"\x89PNG")
    assert draw_figure(points) == (svg, png)
    assert draw_panels(points) == draw_panels(points)


def test_drawings_on_one_page_do_not_share_names() -> None:
    found = [set(re.findall(r'href="#(\w+)"', svg)) for svg in draw_panels(result(MLE, SDA))]

    assert all(found)
    assert not set.intersection(*found)


def test_names_are_no_formulas_and_none_is_hidden() -> None:
    odd = track("mle (_$x^$<b>)", None, {1.0: [(0.2, 0.3)], 0.5: [(0.6, 0.5)]})
    (first, _) = draw_panels(result(odd))

    texts = [element.text for element in ElementTree.fromstring(first).iter()]
    assert "mle (_$x^$<b>)" in texts
