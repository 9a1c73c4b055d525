"""BLEU of sentences that have references of their own, as translations and rewritings have.

Counts are clipped at the largest in any of the sentence's own references, and the length to reach
is the closest among these, the shorter of two equally close. Everything is counted by sentence, so
that the score of any selection of them is a sum away.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sda.text.ngrams import number_ngrams
from sda.text.sentence_bleu import combine
from sda.text.sentences import Flat

ORDERS = 4


class PairCounts(NamedTuple):
    """What BLEU needs to know of each of H sentences."""

    matches: NDArray[np.int64]
    """(H, orders) n-grams that one of its references has as well."""
    possible: NDArray[np.int64]
    """(H, orders) all its n-grams."""
    lengths: NDArray[np.int64]
    """(H,) its words."""
    closest: NDArray[np.int64]
    """(H,) the words of its reference that is closest in length."""

    @property
    def stacked(self) -> NDArray[np.float64]:
        """(H, 2 orders + 2) all of that in columns; `stacked_bleu` takes sums of such rows."""
        parts = (self.matches, self.possible, self.lengths[:, None], self.closest[:, None])
        return np.concatenate(parts, 1).astype(np.float64)

    def corpus_bleu(self) -> float:
        """BLEU of all sentences together, from 0 to 1, without smoothing."""
        return float(stacked_bleu(self.stacked.sum(0)[None])[0])

    def sentence_bleu(self) -> NDArray[np.float64]:
        """(H, orders) the smoothed BLEU of each sentence; column n - 1 is BLEU-n."""
        return combine(np.ascontiguousarray(self.matches.T), self.lengths, self.closest)


def count_pairs(hypotheses: Flat, references: Sequence[Flat], orders: int = ORDERS) -> PairCounts:
    """The counts of each sentence against the sentences in the same place of all references."""
    size = len(hypotheses)
    if not references or any(len(each) != size for each in references):
        raise ValueError("every sentence needs a place in each of one or more references")
    sets = [hypotheses, *references]
    _, numbers = number_ngrams(reduce(Flat.join, sets), orders)
    bounds = np.cumsum([0, *(len(each.ids) for each in sets)])
    rows = [np.repeat(np.arange(size), each.lengths) for each in sets]
    matches = np.zeros((size, orders), np.int64)
    for order, found in enumerate(numbers):
        distinct = int(found.max(initial=-1)) + 1
        parts = [found[low:high] for low, high in pairwise(bounds.tolist())]
        own, own_counts = _counted(parts[0], rows[0], distinct)
        others = [_counted(*part, distinct) for part in zip(parts[1:], rows[1:], strict=True)]
        most = np.zeros(len(own), np.int64)
        for keys, counts in others:
            place = np.searchsorted(keys, own)
            is_there = place < len(keys)
            is_there[is_there] = keys[place[is_there]] == own[is_there]
            most[is_there] = np.maximum(most[is_there], counts[place[is_there]])
        clipped = np.minimum(own_counts, most)
        if distinct:
            matches[:, order] = np.bincount(own // distinct, clipped, size)
    possible = np.maximum(hypotheses.lengths[:, None] - np.arange(orders), 0)
    lengths = np.sort(np.stack([each.lengths for each in references], 1), 1)
    # The first of equally close ones is the shorter.
    best = np.abs(lengths - hypotheses.lengths[:, None]).argmin(1)
    return PairCounts(matches, possible, hypotheses.lengths, lengths[np.arange(size), best])


def stacked_bleu(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """(R,) BLEU from sums (R, 2 orders + 2) of stacked counts; 0 where some order has no match."""
    orders = (sums.shape[1] - 2) // 2
    matches, possible = sums[:, :orders], sums[:, orders : 2 * orders]
    words, wanted = sums[:, -2], sums[:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(matches / possible).mean(1) + np.minimum(0.0, 1 - wanted / words)
    scores: NDArray[np.float64] = np.where(matches.all(1), np.exp(logs), 0.0)
    return scores


def _counted(
    numbers: NDArray[np.int32], rows: NDArray[np.int64], distinct: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sentence and n-gram as one sorted key each, and how often the one has the other."""
    ends = numbers >= 0
    keys, counts = np.unique(rows[ends] * distinct + numbers[ends], return_counts=True)
    return keys, counts.astype(np.int64)
