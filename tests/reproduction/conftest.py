"""Runs are trained here for their records, and no test looks at a report."""

from collections.abc import Iterator

import pytest
from tiny import undrawn


@pytest.fixture(scope="package", autouse=True)
def reports_without_drawings() -> Iterator[None]:
    """To draw a report takes longer than to train what it is about."""
    with undrawn():
        yield
