"""Runs are trained here for their records, and no test looks at a report."""

from collections.abc import Iterator
from unittest import mock

import pytest
from tiny import no_curves

from sda.show import run_page


@pytest.fixture(scope="package", autouse=True)
def reports_without_drawings() -> Iterator[None]:
    """To draw a report takes longer than to train what it is about."""
    with mock.patch.object(run_page, "draw_curves", no_curves):
        yield
