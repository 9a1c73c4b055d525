"""The lines of a prepared file: words, and the label of each where the file has labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from sda.errors import UserError
from sda.text.context import Context


class Line(NamedTuple):
    """Words joined by single spaces, what they are about and what they follow on; None for none."""

    words: str
    label: str | None
    prompt: str | None = None


def lengths_of(lines: Sequence[Line]) -> NDArray[np.int64]:
    """(L,) the words of each line."""
    return np.fromiter((line.words.count(" ") + 1 for line in lines), np.int64, len(lines))


def words_of(lines: Sequence[Line]) -> list[str]:
    return [line.words for line in lines]


def label_counts(lines: Sequence[Line]) -> dict[str, int]:
    """How many lines have each label, by alphabet; empty where lines have none."""
    counts = Counter(line.label for line in lines if line.label is not None)
    return {label: counts[label] for label in sorted(counts)}


class Remainder(NamedTuple):
    """What is left of the training lines after one step, and what to do about what it took."""

    lines: Sequence[Line]
    advice: str


def check_labels(lines: Sequence[Line], split: str, steps: Sequence[Remainder]) -> None:
    """Every label of the split is one of those that training lines have after the last step."""
    left = [label_counts(step.lines) for step in steps]
    for label, count in label_counts(lines).items():
        if label not in left[-1]:
            # The first step without it is to blame: those behind it never saw it.
            blamed = next(
                step for step, there in zip(steps, left, strict=True) if label not in there
            )
            have = "sentence has" if count == 1 else "sentences have"
            raise UserError(
                f"{count:,} {split} {have} the label {label!r}, which no training"
                f" sentence has: {blamed.advice}, or take sentences with it out."
            )


def context_of(lines: Sequence[Line], labels: Sequence[str]) -> Context | None:
    """The numbers of the lines' labels, by their place in `labels`; None without labels."""
    if not labels:
        return None
    numbers = {label: number for number, label in enumerate(labels)}
    return Context(torch.tensor([numbers[line.label or ""] for line in lines], dtype=torch.int64))
