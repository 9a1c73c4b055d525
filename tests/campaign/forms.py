"""Requests to the server of a study that no page of it sends."""

from __future__ import annotations

import shutil
import sqlite3
import traceback
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from studies.visitors import OWNER, SITE, Visitor, invited

from .damage import ODD_BYTES
from .drawing_values import drawn
from .ground import Ground
from .verdicts import SILENT, TRACEBACK, Told, Verdict, judged
from .worker import Kind

PATHS = (
    *("/", "/rate", "/rate/1", "/rate/2", "/rate/999", "/rate/-1", "/rate/99999999999999999999"),
    *("/guide", "/done", "/owner", "/owner/x", "/enter/x", "/join/x", "/keys.js", "/rating.css"),
    *(
        "/rate/",
        "//",
        "/../etc/passwd",
        "/%00",
        "/%ff",
        "/rate?page=1",
        "/é",
        "/rate/1/2",
        "/enter/",
    ),
    "/join/x?PROLIFIC_PID=" + "a" * 200,
)
METHODS = ("GET", "POST", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE")
HEADERS = (
    ("Content-Type", "application/json"),
    ("Content-Type", "application/x-www-form-urlencoded; charset=utf-16"),
    ("Content-Type", "multipart/form-data; boundary=x"),
    ("Content-Type", ""),
    ("Content-Length", "-1"),
    ("Content-Length", "999999999999"),
    ("Content-Length", "٣"),
    ("Origin", "http://evil.example"),
    ("Origin", "null"),
    ("Origin", "http://[bad"),
    ("Sec-Fetch-Site", "cross-site"),
    ("Host", "evil.example"),
    ("Host", ""),
    ("Cookie", "judge-00000000=x"),
    ("Cookie", "=;;;\x7f"),
    ("X-Forwarded-For", "1.2.3.4"),
    ("Range", "bytes=0-"),
)


class _Server:
    """The application of a study for one process, which ends with it; nobody is too fast."""

    def __init__(self, place: Path) -> None:
        from starlette.testclient import TestClient

        from sda.studies.credentials import hashed
        from sda.studies.limits import Limiter
        from sda.studies.site import Site
        from sda.studies.store import Store
        from sda.studies.study import StudyFolder

        mock.patch.object(Limiter, "allows", lambda *_: True).start()
        self.folder = StudyFolder(place)
        self.study = self.folder.study()
        self.app = Site(self.study, Store.of(self.folder), hashed(OWNER)).application()
        self.client = TestClient(self.app, base_url=SITE, follow_redirects=False)
        self.client.__enter__()
        self.tokens = [invited(self.folder) for _ in range(3)]
        self._connection = sqlite3.connect(self.folder.store)

    def wrong_ratings(self) -> list[Any]:
        """Ratings in the store that nobody may give."""
        found = self._connection.execute("SELECT DISTINCT value FROM ratings").fetchall()
        return [value for (value,) in found if value not in self.study.values]


class Forms(Kind):
    name = "forms"
    about = "requests to the pages of `sda judge serve`"
    share = 6.0
    _server: _Server | None = None

    def prepare(self, ground: Ground) -> None:
        assert ground.study.exists()

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        if self._server is None:
            # One server for all cases of a process: that is how it is used.
            place = Path(shutil.copytree(ground.study, ground.root / f"served-{number}"))
            self._server = _Server(place)
        server = self._server
        form = _honest(server, chance) if chance.random() < 0.7 else {}
        path, method = chance.choice(PATHS), chance.choice(METHODS)
        if chance.random() < 0.5:
            path, method = "/rate", "POST"
        for name, value in drawn("forms", number).items():
            if chance.random() < 0.4:
                form[name] = value
        if form and chance.random() < 0.3:
            del form[chance.choice(list(form))]
        headers = dict(chance.sample(HEADERS, chance.choice((0, 0, 1, 2))))
        body: dict[str, Any] = {"data": form}
        if chance.random() < 0.3:
            odd = chance.choice((drawn("bytes", number), *ODD_BYTES))
            body = {"content": odd[: chance.choice((50, 20_000))]}
        if method in ("GET", "HEAD", "OPTIONS", "TRACE"):
            body = {}
        tried = f"{method} {path} {headers} {str(body)[:300]}"
        return _answered(server, method, path, headers, body, tried)


def _honest(server: _Server, chance: Random) -> dict[str, Any]:
    """The form of the next page of a judge, filled in as it should be."""
    visitor = Visitor(server.client)
    server.client.cookies.clear()
    if chance.random() < 0.02:
        server.tokens.append(invited(server.folder))
    visitor.get(f"/enter/{chance.choice(server.tokens[-3:])}")
    page = visitor.get(chance.choice(("/rate", "/rate/1")))
    answers = {f"answer-{each.name}": "3" for each in server.study.criteria}
    return {**visitor.fields(page.text), **answers}


def _answered(
    server: _Server,
    method: str,
    path: str,
    headers: dict[str, str],
    body: dict[str, Any],
    tried: str,
) -> Verdict:
    sent = {name.encode(): value.encode() for name, value in headers.items()}
    try:
        answer = server.client.request(method, path, headers=sent, **body)
    except Exception as trouble:
        if "/sda/" not in "".join(traceback.format_exception(trouble)):
            return Verdict(tried=f"{tried}: no request that can be sent")
        return judged(Told(0, "", "", trouble), tried)
    if answer.status_code >= 500:
        return Verdict(TRACEBACK, f"status {answer.status_code}", answer.text[:500], tried)
    if b"<script>" in answer.content.lower():
        return Verdict(SILENT, "a page with what was sent", answer.text[:2000], tried)
    wrong = server.wrong_ratings()
    if wrong:
        return Verdict(SILENT, "a rating that nobody may give", str(wrong[:3]), tried)
    return Verdict(tried=tried)
