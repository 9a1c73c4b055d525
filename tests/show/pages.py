"""Pages as a browser would read them."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

LOADING = {"src", "href", "xlink:href", "action", "data", "srcset", "poster", "background"}
EVIL = "<script>alert('&')</script>"
"""A text that would run on a page that trusts it."""


class Page(HTMLParser):
    """The tags of a page, what it would load, and its text."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.styles: list[str] = []
        self.text = ""
        self.feed(content)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attributes if name in LOADING]
        self.styles += [value or "" for name, value in attributes if name == "style"]

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))
