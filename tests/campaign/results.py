"""What two runs that ought to be the same differ in."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

TIMES = ("seconds", "cpu_seconds")
# A page of a run that was resumed tells another time than that of one that was not.
UNCOMPARED = ("report.html", ".lock")


def differences(whole: Path, other: Path, but: Collection[str] = ()) -> list[str]:
    """The files in which two folders differ, times left out; `but` are not looked at.

    What was left of a state that is no longer needed is no difference, nor is the place of the
    folder where a file names it.
    """
    files = {
        str(path.relative_to(folder))
        for folder in (whole, other)
        for path in folder.rglob("*")
        if path.is_file() and path.name not in UNCOMPARED
    }
    return sorted(
        name
        for name in files - set(but)
        if _content(whole / name, whole) != _content(other / name, other)
    )


def _content(path: Path, folder: Path) -> Any:
    if not path.is_file():
        return None
    content = path.read_bytes()
    if path.name in ("progress.jsonl", "finished.json", "scores.json", "state.json"):
        try:
            lines = [_timeless(json.loads(line)) for line in _values(path.name, content)]
        except ValueError:
            return content
        return lines
    return re.sub(re.escape(str(folder)).encode(), b"", content)


def _values(name: str, content: bytes) -> list[bytes]:
    return content.splitlines() if name.endswith("l") else [content]


def _timeless(value: Any) -> Any:
    """The value without times, and without sizes of files and hashes that tell of times."""
    if isinstance(value, dict):
        gone = (*TIMES, "progress_bytes", "state_sha256")
        return {key: _timeless(each) for key, each in value.items() if key not in gone}
    if isinstance(value, list):
        return [_timeless(each) for each in value]
    return value
