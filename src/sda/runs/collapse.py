"""Signs of a generator that says the same thing again and again."""

from __future__ import annotations

from typing import Any

DUPLICATES = 0.1
ENTROPY_FALL = 0.5


class CollapseAlarm:
    """Warns once for each sign: many duplicates, or an entropy far below its first value."""

    def __init__(self) -> None:
        self._first_entropy: float | None = None
        self._said: set[str] = set()

    def look(self, line: dict[str, Any]) -> list[str]:
        """What is new in this epoch's figures."""
        found = {}
        duplicates = max(line.get("duplicates", 0.0), line.get("duplicate_share", 0.0))
        if duplicates > DUPLICATES:
            found["duplicates"] = (
                f"collapse? {duplicates:.0%} of the sentences written in {_place(line)} are"
                " duplicates"
            )
        entropy = line.get("entropy")
        if entropy is not None:
            if self._first_entropy is None:
                self._first_entropy = entropy
            if entropy < ENTROPY_FALL * self._first_entropy:
                found["entropy"] = (
                    f"collapse? the entropy fell from {self._first_entropy:.2f} to {entropy:.2f}"
                    f" nats a token in {_place(line)}"
                )
        fresh = [text for sign, text in found.items() if sign not in self._said]
        self._said |= set(found)
        return fresh


def _place(line: dict[str, Any]) -> str:
    return f"epoch {line['epoch']} of the {line['stage']} stage"
