"""Pages that are one file, load nothing from outside and trust no text in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ccc; padding: .2rem .6rem; text-align: right; }
th:first-child, td:first-child, .text td { text-align: left; }
svg { max-width: 100%; height: auto; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
code, pre { background: #f4f4f4; } pre { padding: 1rem; overflow-x: auto; }
.note { color: #555; }
.alarms { color: #a00; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole HTML page around parts that are HTML already; the title is plain text."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """Rows of plain text under a header; the kind `text` is for sentences."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<table class="{kind}"><tr>{head}</tr>{body}</table>'


def note(text: str) -> str:
    """A paragraph that stands back."""
    return f'<p class="note">{escape(text)}</p>'
