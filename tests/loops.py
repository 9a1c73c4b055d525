"""Algorithm 1 as tests call it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sda.algorithm import self_data_augmentation
from sda.training.progress import Progress

NAMES = ("state", "corpus", "metric", "phases", "schedule", "settings")


def walk(*parts: Any, **more: Any) -> Iterator[Progress]:
    """What the loop yields; the parts are those that it cannot do without, in this order."""
    return self_data_augmentation(**dict(zip(NAMES, parts, strict=True)), **more)
