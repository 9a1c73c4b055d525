"""What a method is called in tables and which colour it has, from `configs/looks/methods.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Look:
    """How rows of a method are drawn: colour, place in its family, and whether on top."""

    colour: str
    place: int
    is_main: bool


def title_of(method: str) -> str:
    """The title of a method's rows; its name unless the file says otherwise."""
    return str(_read()["titles"].get(method, method))


def look_of(method: str) -> Look:
    """The look of a method's rows; one that no family has is grey."""
    figures = _read()["figures"]
    is_main = method in figures["main"]
    for family in figures["families"]:
        if method in family["methods"]:
            return Look(family["colour"], family["methods"].index(method), is_main)
    return Look(figures["other"], 0, is_main)


@cache
def _read() -> dict[str, Any]:
    file = resources.files("sda.configs") / "looks" / "methods.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
