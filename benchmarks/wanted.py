"""The metric of `side_by_side.py`: whether a caption is about an animal."""

from __future__ import annotations

from collections.abc import Sequence

ANIMALS = frozenset(("dog", "dogs", "cat", "cats", "bird", "birds", "horse", "horses"))


def wanted(texts: Sequence[str]) -> list[float]:
    """1 for each text with the name of an animal, else 0."""
    return [float(not ANIMALS.isdisjoint(text.split())) for text in texts]
