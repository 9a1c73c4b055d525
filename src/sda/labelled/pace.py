"""How long augmentation will take, told before it begins."""

from __future__ import annotations

import time
from collections.abc import Iterable

import torch

from sda.labelled.augmented import MOST_LEARNED, Task
from sda.labelled.rows_trial import FOLDS, is_tried

# CPU seconds on the machine that `PROBE` was measured on: what all work takes, and each text more.
ALONE, A_TEXT, A_ROW = 40.0, 0.025, 0.02
# To teach a kind of classifier everything that is compared, from a few thousand rows at most; words
# counted are much the quickest.
A_KIND, A_QUICK_KIND = 60.0, 15.0
QUICK_KIND = "TF-IDF"
PROBE = 0.125
"""Seconds that the probe takes there."""


def rows_seconds(task: Task) -> float:
    """What making the rows of the task once takes, by how fast the machine is right now."""
    texts = min(len(task.rows), MOST_LEARNED) + min(len(task.pool), MOST_LEARNED)
    usual = ALONE + A_TEXT * texts + A_ROW * sum(task.wanted.values())
    return usual * _probe() / PROBE


def check_seconds(task: Task, parts: int, kinds: Iterable[str]) -> tuple[float, float]:
    """What a check takes that makes rows so many times: the rows, and these kinds of
    classifiers."""
    taught = sum(A_QUICK_KIND if kind == QUICK_KIND else A_KIND for kind in kinds)
    return parts * 2 * rows_seconds(task), parts * taught * _probe() / PROBE


def rows_estimate(task: Task) -> str:
    """What making the rows takes, with the trial where there is one."""
    return duration(rows_seconds(task) * (1 + FOLDS * is_tried(task)))


def duration(seconds: float) -> str:
    """As people say it: to the minute, and no more than is known."""
    minutes = seconds / 60
    if minutes < 1:
        return "less than a minute"
    if minutes < 90:
        return f"about {round(minutes)} minute{'s' * (round(minutes) != 1)}"
    return f"about {minutes / 60:.1f} hours"


def _probe() -> float:
    """Seconds of a small piece of work like that of the generator; waiting for others counts."""
    torch.set_num_threads(1)  # as runs have it
    one = torch.ones(256, 256)
    began = time.perf_counter()
    for _ in range(200):
        one = (one @ one).tanh()
    return time.perf_counter() - began
