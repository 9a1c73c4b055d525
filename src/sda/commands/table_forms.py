"""The forms in which a table is printed or written."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path


class Form(StrEnum):
    screen = "screen"
    markdown = "markdown"
    latex = "latex"
    json = "json"


def form_of(path: Path) -> Form:
    """The form that the ending of a file asks for."""
    from sda.errors import UserError

    forms = {".md": Form.markdown, ".tex": Form.latex, ".json": Form.json, ".txt": Form.screen}
    if path.suffix not in forms:
        raise UserError(f"{path}: give --format, or an ending of {', '.join(forms)}")
    return forms[path.suffix]
