"""The rows of a table of contracts, each of which a test is run with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import pytest

Row = TypeVar("Row")


def each_of(rows: Mapping[str, Row]) -> Any:
    """A fixture that is each of the rows in turn, under its name."""

    @pytest.fixture(params=list(rows))
    def row(request: pytest.FixtureRequest) -> Row:
        return rows[request.param]

    return row
