"""Every text on a page is escaped, and a template that asks for what is not there is an error."""

import re
from pathlib import Path

import jinja2
import pytest

import sda.show
from sda.show.page import render
from sda.show.table import Column, Table
from show.pages import EVIL, Page

TEMPLATES = sorted((Path(sda.show.__file__).parent / "templates").iterdir())
EMPTY = Table.of_rows("none", [Column("")], [])


def evaluation(**changes: object) -> str:
    contents = {"scores": EMPTY, "nearest": [], "signatures": []}
    return render("evaluation.html", "a title", **(contents | changes))


def test_a_page_is_whole() -> None:
    page = evaluation()

    assert page.startswith("<!doctype html>\n")
    assert page.endswith("</html>\n")
    assert "border-collapse" in page
    assert Page(page).tags[:3] == ["html", "head", "meta"]
    assert Page(page).loads == []


def test_every_part_of_a_table_is_escaped() -> None:
    evil = Table.of_rows(
        EVIL, [Column(EVIL, about=f'">{EVIL}'), Column("b")], [[EVIL, 1.0]], [EVIL], [(EVIL, EVIL)]
    )
    told = {"text": EVIL, "label": EVIL, "by": EVIL, "nearest": f"near {EVIL}"}
    sentence = {**told, "score": 1.0, "similarity": 0.5}
    nearest = [{"title": EVIL, "sentences": [sentence]}]
    page = Page(evaluation(scores=evil, nearest=nearest, signatures=[evil]))

    assert "script" not in page.tags
    assert page.text.count(EVIL) == 13


def test_what_is_missing_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="scores"):
        render("evaluation.html", "a title", nearest=[], signatures=[])


def test_drawings_alone_are_trusted() -> None:
    assert [path.name for path in TEMPLATES] == [
        "augment.html",
        "curve.html",
        "evaluation.html",
        "page.html",
        "parts.html",
        "run.html",
        "study.html",
        "style.css",
        "transfer.html",
        "transfer_scores.html",
    ]
    others = (Path(sda.show.__file__).parents[1] / "studies" / "templates").iterdir()
    every = [*TEMPLATES, *others]
    trusted = [
        name
        for path in every
        for name in re.findall(r"(\w+)\s*\|\s*safe", path.read_text(encoding="utf-8"))
    ]
    # It is SVG that matplotlib has written, with its texts escaped.
    assert trusted == ["drawing"]
    assert not any("autoescape" in path.read_text(encoding="utf-8") for path in every)
