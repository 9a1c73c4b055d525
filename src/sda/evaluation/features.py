"""Sentences as vectors, so that sets of sentences can be compared as clouds of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_CONSTANT = 1e-9  # a spread that is rounding only


@dataclass(frozen=True, eq=False)
class Vectors:
    """One vector per sentence, `values` (B, F), and in `source` all that determines them."""

    values: NDArray[np.float64]
    source: str

    def __len__(self) -> int:
        return len(self.values)


def standardised(
    samples: Vectors, references: Vectors
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both sets, (N, F) and (M, F), in units of the spread of the references around their mean.

    Without it the directions in which real sentences differ most, which are topics, hide all the
    others. Refuses sets of different sources.
    """
    if samples.source != references.source:
        raise ValueError(f"cannot compare {samples.source} with {references.source}")
    if not len(samples) or not len(references):
        raise ValueError("comparing vectors needs at least one sample and one reference")
    mean, spread = references.values.mean(axis=0), references.values.std(axis=0)
    spread[spread < _CONSTANT] = 1.0
    return (samples.values - mean) / spread, (references.values - mean) / spread
