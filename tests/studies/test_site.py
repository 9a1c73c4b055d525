"""The pages of a study: what a judge and the owner can do."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sda.studies.store import Store
from sda.studies.study import StudyFolder
from studies.people import MODELS, small_study, write_study
from studies.visitors import OWNER, SITE, Visitor, invited, ratings, visiting

pytest.importorskip("starlette", reason="starlette is not installed")


def test_a_judge_rates_all_pages(folder: StudyFolder, judge: Visitor) -> None:
    study = folder.study()
    block = study.blocks[0]
    assert "Begin" not in judge.get("/guide").text
    for number, slot in enumerate(block):
        page = judge.get("/rate").text
        assert f"{number} of {len(block)} done" in page
        assert html.escape(study.by_id[slot.item].texts[0], quote=True) in page
        answer = judge.rate(quality=number % 5 + 1)
        assert (answer.status_code, answer.headers["location"]) == (303, "/rate")

    assert judge.get("/rate").headers["location"] == "/done"
    done = judge.get("/done").text
    assert re.search(r'<code class="code">[A-Z2-7]{8}</code>', done)
    assert len(ratings(folder)) == len(block)
    assert judge.get("/").headers["location"] == "/rate"


def test_a_judge_goes_on_with_the_same_link(
    folder: StudyFolder, visit: Callable[[], Visitor]
) -> None:
    token = invited(folder)
    first, second = visit(), visit()
    first.get(f"/enter/{token}")
    first.rate(quality=3)
    own = re.search(r'href="(http[^"]*/enter/[^"]*)"', first.get("/guide").text)

    assert second.get(f"/enter/{token}").headers["location"] == "/rate"
    assert "1 of" in second.get("/rate").text
    assert own is not None and own[1] == f"{SITE}/enter/{token}"


def test_an_answer_can_be_taken_back(folder: StudyFolder, judge: Visitor) -> None:
    judge.rate(quality=2)
    page = judge.get("/rate/1").text
    assert "your answer so far" in page
    changed = judge.post("/rate", {**judge.fields(page), "answer-quality": 5, "comment": " odd "})

    assert changed.status_code == 303
    assert [row[4] for row in ratings(folder)] == [5]
    assert ">odd</textarea>" in judge.get("/rate/1").text
    # Nobody reads ahead, and there is no page before the first.
    assert judge.get("/rate/2").status_code == 200
    assert judge.get("/rate/3").status_code == judge.get("/rate/0").status_code == 404
    assert judge.get("/done").headers["location"] == "/rate"


def test_three_questions_of_one_item(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", small_study(items=6, source=True))
    with visiting(folder) as visitor:
        page = visitor.get("/rate").text
        assert "<h2>Source</h2>" in page and page.count("<fieldset>") == 3
        missing = visitor.rate(style=1, content=2)
        assert missing.status_code == 400 and "answer every question" in missing.text
        assert visitor.rate(style=1, content=2, fluency=6).status_code == 400
        assert ratings(folder) == []
        assert visitor.rate(style=1, content=2, fluency=3).status_code == 303

    assert [row[3:] for row in ratings(folder)] == [("content", 2), ("fluency", 3), ("style", 1)]


def test_joining_by_one_link(folder: StudyFolder, visit: Callable[[], Visitor]) -> None:
    store = Store.of(folder)
    address = "https://app.prolific.com/submissions/complete?cc=C123"
    token = store.add_link(1, "C123", address)
    store.close()
    path = f"/join/{token}?PROLIFIC_PID=p%26%22%3E1&STUDY_ID=s"
    visitor = visit()
    page = visitor.get(path).text
    action = re.search(r'<form method="post" action="([^"]*)"', page)
    assert action is not None
    # Looking at the page makes no judge: programs that test links do that.
    assert visitor.post(html.unescape(action[1]), {}).status_code == 303
    while visitor.get("/rate").status_code == 200:
        visitor.rate(quality=1)
    done = visitor.get("/done").text

    assert "C123" in done and html.escape(address) in done
    assert visit().post(f"/join/{token}?PROLIFIC_PID=other", {}).status_code == 403
    assert visitor.get(f"/join/{token}").headers["location"] == "/rate"
    assert visit().post(path, {}).status_code == 303  # the same person again
    assert visit().post(f"/join/{token}?PROLIFIC_PID={'x' * 101}", {}).status_code == 400


def test_the_owner_sees_progress_and_no_model(
    folder: StudyFolder, visit: Callable[[], Visitor], judge: Visitor
) -> None:
    judge.rate(quality=1)
    owner = visit()
    assert owner.get("/owner").status_code == 401
    assert owner.get("/owner/wrong").status_code == 404
    assert owner.get(f"/owner/{OWNER}").headers["location"] == "/owner"
    page = owner.get("/owner").text

    block = folder.study().blocks[0]
    assert f"<td>1 of {len(block)}</td>" in page and "<td>open</td>" in page
    assert not any(name in page for name in MODELS)
    assert not any(item.texts[0] in page for item in folder.study().items)


def test_pairs_are_shown_side_by_side(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", small_study(items=6, is_pairs=True))
    with visiting(folder) as visitor:
        page = visitor.get("/rate").text
        for words in ("A is better", "About the same", "B is better"):
            assert words in page
        assert visitor.rate(quality=3).status_code == 303
        assert visitor.rate(quality=4).status_code == 400

    assert [row[4] for row in ratings(folder)] == [3]
