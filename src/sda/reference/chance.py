"""Scores by lot: the control that asks whether the metric's choice matters at all."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sda.reference.metric import ReferenceMetric
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary

# The constants of splitmix64.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


class Chance(ReferenceMetric):
    """A number in [0, 1) for each sentence, by the lot that the sentence itself is.

    The same sentence always has the same score, so a buffer filled by it is a random set of all
    different sentences that were written.
    """

    name = "chance"

    def __init__(self, vocabulary: Vocabulary, rng: torch.Generator) -> None:
        # By ids and not by words: what number a word has may depend on the words met before, and a
        # run that is taken up again must draw the same lots.
        self._eos = vocabulary.eos
        self._seed = np.uint64(int(torch.randint(2**62, (), generator=rng)))

    def __call__(self, sentences: Sentences) -> Tensor:
        flat = sentences.flat(self._eos)
        places = np.arange(len(flat.ids)) - np.repeat(flat.starts[:-1], flat.lengths)
        words = _mixed(flat.ids.astype(np.uint64) + _mixed(places.astype(np.uint64) + self._seed))
        # A sum of words and places that were mixed already depends on their order.
        totals = np.concatenate((np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)))
        sums = totals[flat.starts[1:]] - totals[flat.starts[:-1]]
        lots = _mixed(sums + self._seed) >> np.uint64(11)
        return torch.from_numpy(lots.astype(np.float64) / 2.0**53)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Values of which every bit depends on every bit of the one given (splitmix64)."""
    values = values + GOLDEN
    values = (values ^ (values >> np.uint64(30))) * FIRST
    values = (values ^ (values >> np.uint64(27))) * SECOND
    return values ^ (values >> np.uint64(31))
