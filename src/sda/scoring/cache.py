"""Scores that were measured before, found again by what determines them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sda.doors import Finite, Shape, check
from sda.errors import UserError
from sda.evaluation.score import Score
from sda.files import naming, parse_json, read_whole

Measured = list[dict[str, Any]]
"""Scores as JSON has them."""


class PointScore(Shape):
    name: str
    value: Finite


class MeasuredShape(Shape):
    """One line of the file."""

    facts: dict[str, Any]
    scores: list[PointScore]


class Cache:
    """A file with one JSON object a line: facts, and the scores that they determine.

    `others` are further files of this kind, read and never written. A line is on the disk before
    the next score is begun, so an interruption costs at most one; a line that was cut off counts as
    absent.
    """

    def __init__(self, path: Path, others: Iterable[Path] = ()) -> None:
        self._path = path
        self._known: dict[str, Measured] = {}
        for file in (*others, path):
            self._known |= _read(file)

    def scores(self, facts: Mapping[str, object], measure: Callable[[], list[Score]]) -> Measured:
        """What belongs to these facts, measured only if it was not yet."""
        key = _key(facts)
        if key not in self._known:
            scores = [score.as_dict() for score in measure()]
            line = json.dumps({"facts": facts, "scores": scores}, ensure_ascii=False)
            # As it will be read back: tuples are lists there.
            self._known[key] = json.loads(line)["scores"]
            self._append(line)
        return self._known[key]

    def _append(self, line: str) -> None:
        with naming(self._path), self._path.open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())


def _key(facts: Mapping[str, object]) -> str:
    return json.dumps(facts, sort_keys=True)


def _read(path: Path) -> dict[str, Measured]:
    if not path.is_file():
        return {}
    known = {}
    lines = read_whole(path).splitlines()
    for line in lines:
        try:
            entry = check(MeasuredShape, parse_json(line, str(path)), str(path))
            known[_key(entry["facts"])] = list(entry["scores"])
        except UserError:
            continue
    return known
