"""A small study, and visitors of its pages."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sda.studies.credentials import hashed
from sda.studies.store import Store
from sda.studies.study import StudyFolder
from studies.people import small_study, write_study
from studies.visitors import OWNER, SITE, Visitor, invited


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return write_study(tmp_path / "study", small_study(items=6))


@pytest.fixture
def visit(folder: StudyFolder) -> Iterator[Callable[[], Visitor]]:
    """Makes visitors of the study, who have no cookie yet."""
    pytest.importorskip("starlette", reason="starlette is not installed")
    from starlette.testclient import TestClient

    from sda.studies.site import Site

    store = Store.of(folder)
    app = Site(folder.study(), store, hashed(OWNER)).application()
    with TestClient(app, base_url=SITE, follow_redirects=False):
        yield lambda: Visitor(
            TestClient(app, base_url=SITE, follow_redirects=False, raise_server_exceptions=False)
        )


@pytest.fixture
def judge(folder: StudyFolder, visit: Callable[[], Visitor]) -> Visitor:
    visitor = visit()
    assert visitor.get(f"/enter/{invited(folder)}").headers["location"] == "/guide"
    return visitor
