"""Judges in a real browser: by keys alone, by touch, without scripts, another day."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chromium import MARKS, browsing

from sda.studies.credentials import hashed
from sda.studies.outcome_page import outcome_page
from sda.studies.outcome_tables import outcome_tables
from sda.studies.reading_back import read_outcome
from sda.studies.store import Store
from sda.studies.study import Study, StudyFolder
from studies.people import by_model, rate_all, small_study, write_study

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")

pytestmark = MARKS
OWNER = "owner"
NARROW = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


@dataclass
class Served:
    """A study that is served in a thread of this process."""

    folder: StudyFolder
    url: str

    def link(self) -> str:
        store = Store.of(self.folder)
        _, token = store.invite(len(self.folder.study().blocks))
        store.close()
        return f"{self.url}/enter/{token}"

    def values(self, judge: int) -> list[int]:
        """The judge's ratings in the order of their pages."""
        store = Store.of(self.folder)
        given = {row[1:3]: row[4] for row in store.all_ratings() if row[0] == judge}
        block = next(each.block for each in store.judges() if each.number == judge)
        store.close()
        slots = self.folder.study().blocks[block]
        keys = [(slot.item, slot.is_repeat) for slot in slots]
        return [given[key] for key in keys if key in given]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from sda.studies import limits
    from sda.studies.site import Site

    # A browser that a program drives rates faster than anybody reads.
    monkeypatch.setattr(limits, "AT_ONCE", 1e6)
    running = []

    def start(study: Study) -> Served:
        folder = write_study(tmp_path / f"study-{len(running)}", study)
        app = Site(study, Store.of(folder), hashed(OWNER)).application()
        config = uvicorn.Config(app, port=0, access_log=False, log_level="warning")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        running.append((server, thread))
        while not server.started:
            time.sleep(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        return Served(folder, f"http://127.0.0.1:{port}")

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join()


def thirty() -> Study:
    """Thirty pages for each judge."""
    study = small_study(items=25, judges=6, checks=3, repeats=2)
    assert [len(block) for block in study.blocks] == [30] * 6
    return study


def test_a_judge_rates_thirty_items_by_keys_alone(browser: Any, serve: Any) -> None:
    served = serve(thirty())
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(served.link())
    for key in ("Tab", "Tab", "Enter"):  # to the sentences
        page.keyboard.press(key)
    page.wait_for_url("**/rate")

    def press(key: str) -> None:
        with page.expect_navigation():
            page.keyboard.press(key)

    wanted = []
    for number in range(30):
        assert page.locator("label[for=progress]").inner_text() == f"{number} of 30 done"
        value = number % 5 + 1
        if number == 7:
            # By arrows: to the first button, and on to the third.
            for _ in range(3):
                page.keyboard.press("ArrowRight")
            value = 3
            press("Enter")
        else:
            press(str(value))
        wanted.append(value)
        if number == 12:
            press("u")
            assert page.url.endswith("/rate/13")
            press("5")
            wanted[12] = 5
    page.wait_for_url("**/done")

    assert served.values(1) == wanted
    assert said == []
    context.close()


def test_another_rates_by_touch_on_a_telephone_and_goes_on_another_day(
    browser: Any, serve: Any
) -> None:
    served = serve(thirty())
    link = served.link()

    def telephone() -> Any:
        return browser.new_context(viewport=NARROW, has_touch=True, is_mobile=True)

    first = telephone()
    page = first.new_page()
    page.goto(link)
    page.tap("a.begin")
    page.wait_for_url("**/rate")
    for number in range(10):
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        boxes = [button.bounding_box() for button in page.locator(".values button").all()]
        assert len(boxes) == 5 and all(b["height"] >= 48 and b["width"] >= 44 for b in boxes)
        # All buttons can be seen without moving the page.
        assert max(box["y"] + box["height"] for box in boxes) <= NARROW["height"]
        with page.expect_navigation():
            page.locator(".values button").nth(number % 5).tap()
    first.close()

    second = telephone()
    page = second.new_page()
    page.goto(link)
    assert page.locator("label[for=progress]").inner_text() == "10 of 30 done"
    for _ in range(20):
        with page.expect_navigation():
            page.locator(".values button").nth(1).tap()
    page.wait_for_url("**/done")
    assert served.values(1) == [n % 5 + 1 for n in range(10)] + [2] * 20
    second.close()


@pytest.mark.parametrize("kind", ["scale", "transfer"])
def test_no_script_is_needed(browser: Any, serve: Any, kind: str) -> None:
    study = small_study(items=2, judges=3, source=kind == "transfer")
    served = serve(study)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(served.link())
    page.click("a.begin")
    page.click("summary")
    page.fill("textarea", "a <b>comment</b>")
    for _ in study.blocks[0]:
        # Without the wait the next answers may be given to the page that is about to go.
        with page.expect_navigation():
            if kind == "transfer":
                for group in page.locator(".values").all():
                    group.locator("label").nth(1).click()
                page.click("button.next")
            else:
                page.locator(".values button").nth(1).click()
    assert page.url.endswith("/done")
    page.goto(f"{served.url}/rate/1")
    assert page.input_value("textarea") == "a <b>comment</b>"
    context.close()


def test_keys_answer_several_questions(browser: Any, serve: Any) -> None:
    study = small_study(items=2, judges=3, source=True)
    served = serve(study)
    context = browser.new_context()
    page = context.new_page()
    page.goto(served.link())
    page.click("a.begin")
    page.wait_for_url("**/rate")
    for _ in study.blocks[0]:
        for key in ("4", "2", "5"):
            page.keyboard.press(key)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    page.wait_for_url("**/done")
    store = Store.of(served.folder)
    found = {row[3:] for row in store.all_ratings()}
    store.close()

    assert found == {("style", 4), ("content", 2), ("fluency", 5)}
    context.close()


@pytest.mark.parametrize("kind", ["scale", "pairs", "transfer"])
def test_everybody_can_use_the_pages(browser: Any, serve: Any, kind: str) -> None:
    study = small_study(items=4, judges=3, is_pairs=kind == "pairs", source=kind == "transfer")
    served = serve(study)
    # The pages allow no scripts but their own; axe is one that the test brings along.
    context = browser.new_context(viewport=NARROW, bypass_csp=True)
    page = context.new_page()
    page.goto(served.link())
    found = _violations(page)
    page.goto(f"{served.url}/rate")
    found += _violations(page)
    if kind == "scale":
        for _ in study.blocks[0]:
            with page.expect_navigation():
                page.locator(".values button").nth(2).click()
        page.wait_for_url("**/done")
        found += _violations(page)
        page.goto(f"{served.url}/rate/1")
        found += _violations(page)
        page.goto(f"{served.url}/owner/{OWNER}")
        found += _violations(page)
        page.goto(f"{served.url}/nowhere")
        found += _violations(page)

    assert found == []
    context.close()


def test_everybody_can_read_the_results(browser: Any, tmp_path: Path) -> None:
    study = small_study()
    folder = write_study(tmp_path / "study", study)
    rate_all(folder, by_model(study, {"secret-one": 2.0, "secret-two": 4.0}))
    found = read_outcome(folder)
    file = tmp_path / "results.html"
    file.write_text(outcome_page(found, outcome_tables(found)))
    page = browser.new_page(viewport=NARROW)
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(file.as_uri())

    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert fetched == [file.as_uri()]
    # A drawing has one label for all that is in it.
    assert _violations(page, "axe.run({exclude: ['svg *']})") == []
    page.close()


def _violations(page: Any, call: str = "axe.run()") -> list[tuple[str, str, str]]:
    """What keeps somebody from using the page, light and dark, of any impact."""
    found = []
    page.evaluate(axe.AXE_SCRIPT)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        result = page.evaluate(call)
        found += [(page.url, rule["id"], rule["nodes"][0]["html"]) for rule in result["violations"]]
    return found


def test_a_hostile_sentence_is_rated_as_it_stands(browser: Any, serve: Any) -> None:
    """Nothing of it runs, nothing is fetched for it, and the page has all its parts."""
    hostile = "</main><script>document.title='it ran'</script><img src='http://evil.example/x'>"
    study = small_study(items=2, checks=0, repeats=0, title=hostile)
    items = [item.model_copy(update={"text": hostile}) for item in study.items]
    served = serve(study.model_copy(update={"items": items}))
    page = browser.new_page()
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(served.link())
    for _ in range(3):
        assert page.title() != "it ran"
        assert page.evaluate("document.querySelectorAll('img, iframe').length") == 0
        button = page.locator("main button[type=submit], main a[role=button]").first
        if hostile in page.inner_text("main"):
            break
        button.click()
    assert hostile in page.inner_text("main")
    assert all(url.startswith(served.url) for url in fetched)
    page.close()
