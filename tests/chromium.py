"""The browser of the system, as Debian's package `chromium`; none is ever downloaded."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium (apt-get install chromium)"),
]


@contextmanager
def browsing() -> Iterator[Any]:
    """A browser, until the block ends."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        # No sandbox: tests may run as root, and the pages are our own.
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
