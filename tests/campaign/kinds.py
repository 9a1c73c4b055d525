"""All kinds of attack, by name."""

from __future__ import annotations

from .damaged import SORTS
from .worker import Kind

KINDS: dict[str, Kind] = {kind.name: kind for kind in (*SORTS,)}
