"""People who visit the pages of a study."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sda.studies.credentials import hashed
from sda.studies.store import Store
from sda.studies.study import StudyFolder

OWNER = "the-owner's-token"
SITE = "http://testserver"


class Visitor:
    """A browser without scripts, for one person."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers=headers)

    def post(self, path: str, data: Any, **headers: str) -> Any:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(path, data=data, headers=sent)

    def fields(self, page: str) -> dict[str, str]:
        """The hidden fields of the form on a page."""
        found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
        return {name: html.unescape(value) for name, value in found}

    def rate(self, **answers: int) -> Any:
        """The next page is rated; what the server says."""
        page = self.get("/rate").text
        values = {f"answer-{name}": value for name, value in answers.items()}
        return self.post("/rate", {**self.fields(page), **values})


@contextmanager
def visiting(folder: StudyFolder) -> Iterator[Visitor]:
    """A judge who has been invited and has entered, while the study is served."""
    from starlette.testclient import TestClient

    from sda.studies.site import Site

    token = invited(folder)
    app = Site(folder.study(), Store.of(folder), hashed(OWNER)).application()
    with TestClient(app, base_url=SITE, follow_redirects=False) as client:
        visitor = Visitor(client)
        visitor.get(f"/enter/{token}")
        yield visitor


def invited(folder: StudyFolder) -> str:
    store = Store.of(folder)
    _, token = store.invite(len(folder.study().blocks))
    store.close()
    return token


def ratings(folder: StudyFolder) -> list[Any]:
    store = Store.of(folder)
    found = store.all_ratings()
    store.close()
    return found
