"""The pages of a study: what nobody can do there, and what they never tell."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sda.studies.from_files import study_from_texts
from sda.studies.limits import A_SECOND, AT_ONCE, Limiter
from sda.studies.make_study import Wishes
from sda.studies.store import Store
from sda.studies.study import StudyFolder
from studies.people import MODELS, lines_of, write_study
from studies.visitors import OWNER, SITE, Visitor, invited, ratings, visiting

pytest.importorskip("starlette", reason="starlette is not installed")


def test_no_response_names_a_model(
    folder: StudyFolder, visit: Callable[[], Visitor], judge: Visitor
) -> None:
    seen = b""
    owner = visit()
    owner.get(f"/owner/{OWNER}")
    block = folder.study().blocks[0]
    for path in ("/guide", "/rate", "/done", "/keys.js", "/rating.css", "/nowhere", "/rate/99"):
        answer = judge.get(path)
        seen += answer.content + str(dict(answer.headers)).encode()
    for _ in block:
        answer = judge.rate(quality=2)
        seen += answer.content + judge.get("/rate").content
    seen += judge.rate(quality=9).content + judge.get("/done").content
    seen += owner.get("/owner").content

    assert len(seen) > 20_000
    for name in (*MODELS, *(item.id for item in folder.study().items)):
        assert name.encode() not in seen
    assert b"is_repeat" not in seen and b"check" not in judge.get("/rate/1").content


def test_markup_in_texts_is_inert(tmp_path: Path) -> None:
    bad = '<script>alert(1)</script> & "quotes" <img src=x onerror=alert(2)>'
    files = {"a": [f"{bad} {k} ." for k in range(8)], "b": lines_of(1)}
    wishes = Wishes(judges=3, checks=0, repeats=0, title=bad, guide=bad)
    folder = write_study(tmp_path / "study", study_from_texts(files, None, None, 6, wishes).study)
    with visiting(folder) as visitor:
        seen = visitor.get("/guide").text
        for _ in folder.study().blocks[0]:
            page = visitor.get("/rate").text
            seen += page
            visitor.post(
                "/rate",
                {**visitor.fields(page), "answer-quality": 1, "comment": f"</textarea>{bad}"},
            )
        seen += visitor.get("/rate/1").text

    assert "&lt;script&gt;alert(1)" in seen and "&lt;/textarea&gt;" in seen
    assert "<script>" not in seen and "<img" not in seen


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://[no-address"},
        {"origin": "http://testserver.evil.example"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_forms_of_other_sites_are_refused(
    folder: StudyFolder, judge: Visitor, headers: dict[str, str]
) -> None:
    data = {**judge.fields(judge.get("/rate").text), "answer-quality": 3}

    assert judge.post("/rate", data, **headers).status_code == 403
    assert ratings(folder) == []
    assert judge.post("/rate", data, origin=SITE, sec_fetch_site="same-origin").status_code == 303


def test_no_token_a_foreign_one_and_a_revoked_one(
    folder: StudyFolder, visit: Callable[[], Visitor]
) -> None:
    stranger = visit()
    assert stranger.get("/rate").status_code == stranger.post("/rate", {}).status_code == 401
    assert stranger.get("/enter/AAAAAAAAAAAAAAAAAAAAAA").status_code == 404
    assert stranger.get("/join/AAAAAAAAAAAAAAAAAAAAAA").status_code == 404
    stranger.client.cookies.set(f"judge-{folder.study().fingerprint[:8]}", "AAAAAAAAAAAAAAAAAAAAAA")
    assert stranger.get("/rate").status_code == 401

    token, gone = invited(folder), visit()
    gone.get(f"/enter/{token}")
    data = {**gone.fields(gone.get("/rate").text), "answer-quality": 3}
    store = Store.of(folder)
    store.revoke(1)
    store.close()
    assert gone.post("/rate", data).status_code == gone.get("/rate").status_code == 403
    assert visit().get(f"/enter/{token}").status_code == 403
    assert ratings(folder) == []


def test_the_item_of_another_judge_is_refused(
    folder: StudyFolder, visit: Callable[[], Visitor], judge: Visitor
) -> None:
    other = visit()
    other.get(f"/enter/{invited(folder)}")
    foreign = {**other.fields(other.get("/rate").text), "answer-quality": 3}
    own = judge.fields(judge.get("/rate").text)

    assert judge.post("/rate", foreign).status_code == 403
    for change in (
        {"page": "2"},
        {"page": "999"},
        {"version": "1"},
        {"key": "0" * 64},
        {"key": ""},
    ):
        answer = judge.post("/rate", {**own, "answer-quality": 3, **change})
        assert answer.status_code == 403, change
    for broken in ({"page": "x"}, {"page": "-1"}, {"page": "\u0661"}, {"version": "9" * 20}):
        assert judge.post("/rate", {**own, "answer-quality": 3, **broken}).status_code == 400
    assert ratings(folder) == []


def test_a_form_that_is_sent_twice_is_kept_once(folder: StudyFolder, judge: Visitor) -> None:
    data = judge.fields(judge.get("/rate").text)
    first = judge.post("/rate", {**data, "answer-quality": 2})
    second = judge.post("/rate", {**data, "answer-quality": 5})

    assert (first.status_code, second.status_code) == (303, 409)
    assert "rated before" in second.text and 'href="/rate"' in second.text
    assert [row[4] for row in ratings(folder)] == [2]


@pytest.mark.parametrize(
    ("answer", "status"), [("0", 400), ("6", 400), ("3.5", 400), ("", 400), ("'; DROP", 400)]
)
def test_only_values_of_the_scale_are_kept(
    folder: StudyFolder, judge: Visitor, answer: str, status: int
) -> None:
    data = judge.fields(judge.get("/rate").text)

    assert judge.post("/rate", {**data, "answer-quality": answer}).status_code == status
    assert ratings(folder) == []


def test_long_bodies_and_other_kinds_are_refused(folder: StudyFolder, judge: Visitor) -> None:
    data = {**judge.fields(judge.get("/rate").text), "answer-quality": 3}

    assert judge.post("/rate", {**data, "comment": "x" * 10_000_000}).status_code == 413
    assert judge.post("/rate", {**data, "comment": "x" * 2001}).status_code == 400
    pieces = (b"x" * 1024 for _ in range(64))
    streamed = judge.client.post("/rate", content=pieces)
    assert streamed.status_code == 413
    assert judge.client.post("/rate", json=data).status_code == 415
    assert judge.client.post("/rate", files={"a": b"b"}).status_code == 415
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert judge.client.post("/rate", content=b"a=%ff", headers=form).status_code == 400
    assert judge.client.post("/rate", content=b"a&" * 99, headers=form).status_code == 400
    assert judge.post("/rate", {**data, "comment": "nul\0"}).status_code == 400
    assert ratings(folder) == []


def test_a_thousand_requests_at_once_are_too_many(
    folder: StudyFolder, judge: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    # At once, however slow this machine is.
    monkeypatch.setattr("sda.studies.limits.A_SECOND", 0.0)
    answers = [judge.get("/rate") for _ in range(int(AT_ONCE) + 20)]
    refused = [answer for answer in answers if answer.status_code == 429]

    assert refused and refused[-1].headers["retry-after"] == "2"
    data = {"page": "1", "version": "0", "answer-quality": "3"}
    assert judge.post("/rate", data).status_code == 429
    assert ratings(folder) == []


def test_the_limit_fills_again() -> None:
    limiter = Limiter()
    assert sum(limiter.allows("one", 0.0) for _ in range(1000)) == AT_ONCE
    assert limiter.allows("other", 0.0)
    assert sum(limiter.allows("one", 1.0) for _ in range(1000)) == A_SECOND


@pytest.mark.parametrize(
    "path", ["/../study.json", "/..%2fstudy.json", "/static/%2e%2e/x", "/rate/..", "/enter/../../x"]
)
def test_no_file_is_reached_by_dots(judge: Visitor, path: str) -> None:
    assert judge.get(path).status_code in (303, 404)
    assert "sha256" not in judge.get(path).text


def test_every_response_tells_browsers_what_not_to_do(judge: Visitor) -> None:
    for path in ("/rate", "/guide", "/nowhere", "/keys.js"):
        headers = judge.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
    assert judge.client.request("DELETE", "/rate").status_code == 405


def test_cookies_are_out_of_reach_of_scripts(
    folder: StudyFolder, visit: Callable[[], Visitor]
) -> None:
    cookie = visit().get(f"/enter/{invited(folder)}").headers["set-cookie"].lower()

    assert "httponly" in cookie and "samesite=lax" in cookie


def test_nothing_about_the_visitor_is_stored(
    folder: StudyFolder, visit: Callable[[], Visitor]
) -> None:
    visitor = visit()
    agent = "a-browser-that-nobody-else-has"
    visitor.client.headers["user-agent"] = agent
    visitor.get(f"/enter/{invited(folder)}")
    visitor.rate(quality=3)

    stored = b"".join(file.read_bytes() for file in folder.path.iterdir())
    assert agent.encode() not in stored and b"testclient" not in stored


def test_a_failure_is_told_and_not_explained(
    visit: Callable[[], Visitor], judge: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(Store, "versions", fail)
    answer = judge.get("/rate")

    assert answer.status_code == 500
    assert "went wrong" in answer.text and "secret" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
