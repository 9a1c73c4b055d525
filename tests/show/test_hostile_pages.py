"""Pages with hostile sentences and names in a browser: nothing runs, nothing is fetched."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import MARKS, browsing
from planes import MLE, SDA, result
from studies.people import by_model, rate_all, small_study, write_study
from tiny import undrawn

from sda.labelled.arms import BASE
from sda.labelled.augment_settings import settle_augmentation
from sda.labelled.augmented import Task
from sda.labelled.check_page import check_page
from sda.labelled.helping import OURS, LabelGuesses
from sda.labelled.label_check import CheckResult
from sda.labelled.labelled_rows import of_lists
from sda.runs.report import write_report
from sda.runs.run import Run
from sda.show.curve_page import curve_page
from sda.show.evaluation_page import as_html
from sda.transfer.transfer_evaluation import evaluate_systems
from sda.transfer.transfer_page import transfer_page
from sda.transfer.transfer_scores import TransferScorer
from sda.transfer.transfer_settings import settle_transfer
from sda.transfer.transfer_table import page as scores_page
from sda.transfer.transfer_task import System, TransferTask
from show.pages import page_of
from show.test_evaluation_page import evaluation

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = MARKS

PAGES = ("runs", "curve", "evaluation", "study", "augment", "transfer", "rewritings")
MARK = "document.title='it ran'"
HOSTILE = (
    f"<script>{MARK}</script>"
    f"\"'><img src=x onerror=\"{MARK}\"><iframe src='http://evil.example/'></iframe>"
    f"</td></tr></table></svg></style></title><script>{MARK}</script>{{{{ 7*7 }}}}"
    f"<a href=\"javascript:{MARK}\">a</a><style>@import 'http://evil.example/x'</style>"
)
PARTS = {"main", "h1", "h2", "h3", "table", "tr", "th", "td", "details", "ul", "li", "p", "svg"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


def written(folder: Path, text: str, toy_run: Run) -> dict[str, Path]:
    """Each kind of page, with the text wherever a text of the user's may stand."""
    from sda.studies.outcome_page import outcome_page
    from sda.studies.outcome_tables import outcome_tables
    from sda.studies.reading_back import read_outcome

    folder.mkdir()
    # A name of a folder has no slash.
    run = folder / text.replace("/", "")[:200]
    shutil.copytree(toy_run.path, run)
    (run / "samples.txt").write_text(f"{text}\n" * 30, encoding="utf-8")
    examples = json.loads((run / "examples.json").read_text(encoding="utf-8"))
    (run / "examples.json").write_text(json.dumps(_with_texts(examples, text)), encoding="utf-8")
    pages = {name: folder / f"{name}.html" for name in PAGES}
    with undrawn():  # the drawing of the curves has names in it too
        write_report([Run(run), toy_run], pages["runs"])
    curves = [
        {**curve, "name": f"{text}{curve['name']}"} for curve in (MLE, {**SDA, "start": None})
    ]
    pages["curve"].write_text(curve_page(text, result(*curves)), encoding="utf-8")
    found = as_html([Path(text), Path("b")], [evaluation(text, text), evaluation(text)])
    pages["evaluation"].write_text(found, encoding="utf-8")
    study = small_study(items=6, title=text)
    place = write_study(folder / "study", study)
    rate_all(place, by_model(study, {"secret-one": 2.0, "secret-two": 4.0}))
    outcome = read_outcome(place)
    pages["study"].write_text(outcome_page(outcome, outcome_tables(outcome)), encoding="utf-8")
    for name, made in (
        ("augment", _augment_page),
        ("transfer", _transfer_page),
        ("rewritings", _rewritings_page),
    ):
        pages[name].write_text(made(text), encoding="utf-8")
    return pages


def _augment_page(text: str) -> str:
    """The check of rows with that text as a label, by a classifier of that name."""
    labels, guesses = np.array([0, 1] * 6), np.array([0, 0, 1] * 4)
    ways = {
        BASE: LabelGuesses((labels,), (guesses,), 2),
        OURS: LabelGuesses((labels,), (labels,), 2),
    }
    task = Task(of_lists([text, "b", "c", "d"], [text, text, "x", "x"]), settle_augmentation({}))
    return check_page(CheckResult({None: {text: ways}}, folds=1, rows=4, seed=0), task)


def _transfer_page(text: str) -> str:
    settings = settle_transfer([f"{text}1", f"{text}2"], {})
    scores = [{"name": "copies", "value": 1.0, "interval": [0.5, 1.5]}]
    examples = [{"style": text, "copy of the source": text, text: text} for _ in range(3)]
    found = {"scores": [{"name": text, "scores": scores}], "examples": examples}
    return transfer_page(settings, found, [{"stage": "denoising", "epoch": 1, "nll": 2.0}])


def _rewritings_page(text: str) -> str:
    task = TransferTask((text, f"{text}2"), (text, "b"), (0, 1), (1, 0), ((text, "c"),))
    system = System(text, (text, text))
    return scores_page(evaluate_systems(TransferScorer(task), [system]), [system])


def _with_texts(value: Any, text: str) -> Any:
    """The value with every sentence in it replaced."""
    if isinstance(value, dict):
        return {
            key: text if key in ("text", "nearest") else _with_texts(each, text)
            for key, each in value.items()
        }
    return [_with_texts(each, text) for each in value] if isinstance(value, list) else value


def _parts(page: Path) -> list[str]:
    """The tags of a page in their order, but for those of drawings: texts change their ticks."""
    return [tag for tag in page_of(page).tags if tag in PARTS]


@pytest.fixture(scope="module")
def both(toy_run: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """The pages with a hostile text, and the same with a harmless one."""
    folder = tmp_path_factory.mktemp("hostile")
    return written(folder / "a", HOSTILE, toy_run), written(folder / "b", "a dog", toy_run)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_runs_and_nothing_is_fetched(browser: Any, both: Any, name: str) -> None:
    hostile, harmless = (pages[name] for pages in both)
    page = browser.new_page()
    heard: list[str] = []
    fetched: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("dialog", lambda dialog: (heard.append("dialog"), dialog.dismiss()))
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(hostile.as_uri())

    assert fetched == [hostile.as_uri()]
    assert heard == []
    assert page.title() != "it ran"
    assert page.evaluate("document.querySelectorAll('script, iframe, img, object').length") == 0
    # Tables are as many and as long as on a page without such texts.
    assert _parts(hostile) == _parts(harmless)
    page.close()


def test_a_page_that_let_a_script_through_would_not_run_it(
    browser: Any, both: Any, tmp_path: Path
) -> None:
    """The policy in the page is the second line of defence."""
    content = both[0]["evaluation"].read_text(encoding="utf-8")
    assert POLICY in content
    holed = content.replace("</main>", f"<script>{MARK}</script><img src=x onerror={MARK}></main>")
    for name, text, title in (("with", holed, False), ("without", holed.replace(POLICY, ""), True)):
        path = tmp_path / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        page = browser.new_page()
        page.goto(path.as_uri())
        assert (page.title() == "it ran") == title
        page.close()
