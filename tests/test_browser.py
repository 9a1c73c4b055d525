"""Pages in a browser: nothing is fetched, nothing is cut off, and everybody can read them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from chromium import MARKS, browsing
from planes import MLE, SDA, result
from show.test_evaluation_page import FILES, evaluation
from tiny import drawn

from sda.runs.report import write_report
from sda.runs.run import Run
from sda.show.curve_page import curve_page
from sda.show.evaluation_page import as_html

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed")

pytestmark = MARKS

WIDE, NARROW = 1200, 390  # pixels; the second is a telephone
SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def pages(drawn_run: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of a run, of two runs, of curves and of an evaluation."""
    folder = tmp_path_factory.mktemp("pages")
    shutil.copytree(drawn_run.path, folder / "other-with-a-rather-long-name")
    with drawn():
        write_report(
            [drawn_run, Run(folder / "other-with-a-rather-long-name")], folder / "runs.html"
        )
    (folder / "curve.html").write_text(curve_page("Curves", result(MLE, SDA)), encoding="utf-8")
    text = as_html(FILES, [evaluation(), evaluation()])
    (folder / "evaluation.html").write_text(text, encoding="utf-8")
    others = {name: folder / f"{name}.html" for name in ("runs", "curve", "evaluation")}
    return {"run": drawn_run.folder.report, **others}


@pytest.mark.parametrize("name", ["run", "runs", "curve", "evaluation"])
def test_a_page_can_be_shown(browser: Any, pages: dict[str, Path], name: str) -> None:
    page = browser.new_page()
    said: list[str] = []
    fetched: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(pages[name].as_uri())
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme, is_open in product(SCHEMES, (False, True)):
            page.emulate_media(color_scheme=scheme)
            page.evaluate(
                "o => document.querySelectorAll('details').forEach(d => d.open = o)", is_open
            )
            across = page.evaluate("document.documentElement.scrollWidth")
            assert across <= width, f"{name} at {width}, {scheme}, open: {is_open}"

    assert said == []
    assert fetched == [pages[name].as_uri()]
    page.close()


@pytest.mark.parametrize("name", ["run", "evaluation"])
def test_everybody_can_read_a_page(browser: Any, pages: dict[str, Path], name: str) -> None:
    page = browser.new_page(viewport={"width": NARROW, "height": 900})
    page.goto(pages[name].as_uri())
    page.evaluate(axe.AXE_SCRIPT)

    assert _violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert _violations(page, runOnly=["color-contrast"]) == []
    page.close()


def test_a_page_is_dark_where_that_is_wished(browser: Any, pages: dict[str, Path]) -> None:
    shades = []
    for scheme in SCHEMES:
        page = browser.new_page(color_scheme=scheme)
        page.goto(pages["run"].as_uri())
        shades.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        # A drawing has the colour of the text.
        style = "getComputedStyle(document.querySelector('svg text')).fill"
        assert page.evaluate(style) == page.evaluate("getComputedStyle(document.body).color")
        page.close()

    assert shades == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]


def _violations(page: Any, **options: object) -> list[tuple[str, str]]:
    """What keeps somebody from reading the page: the rule, and the first place that breaks it."""
    # A drawing has one label for all that is in it.
    call = "options => axe.run({exclude: ['svg *']}, {resultTypes: ['violations'], ...options})"
    return [
        (rule["id"], rule["nodes"][0]["html"][:200])
        for rule in page.evaluate(call, options)["violations"]
        if rule["impact"] in ("serious", "critical")
    ]
