"""Which words of a sentence carry its style, by counts alone (Li et al., 2018).

The salience of an n-gram in a style is how often it occurs there, against how often it occurs in
all other styles, with one added to both. What is salient enough is a marker; a sentence without its
markers is its content.

Departure: an n-gram that holds a shorter marker is none itself. Else the words beside a marker,
which are as salient together with it, would be lost to the content.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sda.text.ngrams import find_ngrams, number_ngrams
from sda.text.sentences import Flat
from sda.transfer.style_counts import WordTable
from sda.transfer.styled import StyledTexts

ORDERS = 4
THRESHOLD = 15.0
"""The paper's for Yelp."""


class Markers:
    """The saliences of the n-grams of some texts."""

    def __init__(self, texts: StyledTexts, threshold: float = THRESHOLD) -> None:
        self.table = WordTable.of(texts)
        self.threshold = threshold
        parts = [self.table.flat(part) for part in texts.texts]
        self._ngrams, numbers = number_ngrams(reduce(Flat.join, parts), ORDERS)
        bounds = np.cumsum([0, *(len(part.ids) for part in parts)]).tolist()
        # For each order (n-grams + 1, styles); the last row is that of all strange ones.
        self._saliences: list[NDArray[np.float64]] = []
        for known, found in zip(self._ngrams, numbers, strict=True):
            spans = [found[low:high] for low, high in pairwise(bounds)]
            counts = np.stack([np.bincount(s[s >= 0], minlength=known.size) for s in spans], 1)
            others = counts.sum(1, keepdims=True) - counts
            ratios = (counts + 1) / (others + 1)
            self._saliences.append(np.concatenate((ratios, np.ones((1, len(parts))))))

    def find(self, sentences: Flat, style: int) -> NDArray[np.bool_]:
        """(W,) whether each word of sentences of the style is part of a marker.

        A sentence without any has as its marker the n-gram that is most salient, if only that one
        occurs more often in its style than elsewhere.
        """
        words = len(sentences.ids)
        owners = np.repeat(np.arange(len(sentences)), sentences.lengths)
        found = np.zeros(words, np.bool_)
        best = np.ones(len(sentences))
        ends, orders = np.full(len(sentences), -1), np.ones(len(sentences), np.int64)
        for order, (numbers, table) in enumerate(
            zip(find_ngrams(self._ngrams, sentences), self._saliences, strict=True), 1
        ):
            saliences = table[numbers, style]
            salient = np.flatnonzero(saliences >= self.threshold)
            taken = np.any([found[salient - back] for back in range(order)], 0)
            for back in range(order):
                found[salient[~taken] - back] = True
            highest = np.ones(len(sentences))
            np.maximum.at(highest, owners, saliences)
            better = highest > best
            best = np.where(better, highest, best)
            is_end = better[owners] & (saliences == highest[owners])
            places = np.flatnonzero(is_end)
            ends[owners[places]] = places
            orders[better] = order
        has_marker = np.bincount(owners[found], minlength=len(sentences)) > 0
        lonely = ~has_marker & (ends >= 0)
        for back in range(ORDERS):
            found[ends[lonely & (orders > back)] - back] = True
        return found
