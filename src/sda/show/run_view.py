"""What pages and tables are told of a run, and which of its rows is which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sda.scoring.comparison import Comparison

Row = Mapping[str, Any]
"""Of the table on test data, as `scores.json` has it."""


@dataclass(frozen=True)
class RunView:
    """What a page tells of a run; what is None is not there yet."""

    name: str
    title: str
    """What was done."""
    facts: str
    """What tells the run from others of that title."""
    rows: Sequence[Row]
    """Of the table on test data."""
    progress: Sequence[Mapping[str, Any]]
    samples: Sequence[str] | None
    examples: Mapping[str, Sequence[Mapping[str, Any]]]
    """Some sentences of real text, start and result, as `examples.json` has them."""
    buffer: Sequence[Mapping[str, Any]] | None
    curve: Mapping[str, Any] | None
    settings: str
    verdict: str | None
    """What was bought, in one sentence."""
    comparison: Comparison | None
    """What the verdict was found by."""
    hands_start: bool
    """Whether the start is used, because nothing that came of it was better."""

    @property
    def real(self) -> Row | None:
        return next((row for row in self.rows if row["temperature"] is None), None)

    @property
    def start(self) -> Row | None:
        """The end of Stage I as it is."""
        return next((row for row in self.rows if row["temperature"] == 1.0), None)

    @property
    def last(self) -> Row | None:
        """What became of the start, or the start if nothing did."""
        return next((row for row in reversed(self.rows) if row["temperature"] == 1.0), None)

    @property
    def result(self) -> Row | None:
        """What is handed over."""
        return self.start if self.hands_start else self.last


def row_name(row: Row) -> str:
    """The name of a row, with its temperature where it is not 1."""
    temperature = row["temperature"]
    cold = temperature not in (None, 1.0)
    return f"{row['name']}, T = {temperature}" if cold else str(row["name"])


def value_of(row: Row | None, name: str) -> float | None:
    """The score of that name, if the row has it."""
    scores = [] if row is None else row["scores"]
    return next((float(score["value"]) for score in scores if score["name"] == name), None)
