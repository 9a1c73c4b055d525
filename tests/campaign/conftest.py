"""The small runs that are attacked, made once for all tests of the campaign."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .ground import Ground, quick


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with quick():
        yield Ground(tmp_path_factory.mktemp("campaign"))
