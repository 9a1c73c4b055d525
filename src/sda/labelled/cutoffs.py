"""Cutoffs: what is added to the logarithm of each label's share before the largest one wins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sda.labelled.label_classifiers import Numbers, Shares

STEPS = np.linspace(-4.0, 4.0, 33)
ROUNDS = 3  # over all labels, where there are more than two
LEAST = 1e-9


def macro_f1(labels: Numbers, guesses: Numbers, count: int) -> float:
    """The mean over labels of the harmonic mean of precision and recall; absent labels count 0."""
    hits = np.bincount(labels[labels == guesses], minlength=count)
    both = np.bincount(labels, minlength=count) + np.bincount(guesses, minlength=count)
    return float(np.mean(2 * hits / np.maximum(both, 1)))


def tuned_cutoff(shares: Shares, labels: Numbers) -> NDArray[np.float64]:
    """(L,) what to add to the logarithms for the highest macro-F1 on these rows.

    One label after the other is moved while the others stay; the least move of equal ones is taken.
    """
    count = shares.shape[1]
    logs = np.log(np.maximum(shares, LEAST))
    found = np.zeros(count)
    moved: Sequence[int] = range(1, count) if count == 2 else range(count)
    for _ in range(1 if count == 2 else ROUNDS):
        for label in moved:
            best, best_step = -1.0, 0.0
            for step in sorted(STEPS, key=abs):
                trial = found.copy()
                trial[label] = step
                value = macro_f1(labels, (logs + trial).argmax(1), count)
                if value > best + 1e-12:
                    best, best_step = value, float(step)
            found[label] = best_step
    return found


def guesses_with(shares: Shares, cutoff: NDArray[np.float64]) -> Numbers:
    found: Numbers = (np.log(np.maximum(shares, LEAST)) + cutoff).argmax(1)
    return found
