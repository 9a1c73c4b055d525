"""Sentence BLEU on ids, for one set of references or within one set of sentences.

Uniform weights up to each order; counts clipped at the largest count in any single reference;
0.1 in place of a zero count (smoothing method 1); the brevity penalty of the closest reference
length, the shorter of two equally close. No known word, or no word at all, scores 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sda.text.compiled import Ids, Numbers, compiled
from sda.text.ngrams import find_ngrams, number_ngrams
from sda.text.sentences import Flat

EPSILON = 0.1


class References:
    """Sentences that hypotheses are compared with, counted once for all comparisons."""

    def __init__(self, references: Flat, orders: int = 5) -> None:
        if not len(references):
            raise ValueError("BLEU needs at least one reference")
        self.orders = orders
        self._size = len(references)
        self._lengths = np.unique(references.lengths)
        self._tables, numbers = number_ngrams(references, orders)
        owners = _sentence_of_word(references)
        self._most = [
            _largest_counts(found, owners, table.size)[0]
            for table, found in zip(self._tables, numbers, strict=True)
        ]

    def __len__(self) -> int:
        return self._size

    def bleu(self, hypotheses: Flat) -> NDArray[np.float64]:
        """The score of each hypothesis (H, orders); column n - 1 is BLEU-n."""
        owners = _sentence_of_word(hypotheses)
        matches = np.zeros((self.orders, len(hypotheses)), np.int64)
        numbers = find_ngrams(self._tables, hypotheses)
        for found, most, row in zip(numbers, self._most, matches, strict=True):
            # No hypothesis is itself a reference, so none holds a count that must be left out.
            nobody = np.full(len(most), -1, np.int32)
            _count_matches(found, owners, most, nobody, most, row)
        closest = _closest(self._lengths, hypotheses.lengths)
        return combine(matches, hypotheses.lengths, closest)


def self_bleu(sentences: Flat, orders: int = 5) -> NDArray[np.float64]:
    """The score of each sentence against all the others (H, orders); column n - 1 is BLEU-n.

    Leaving one out needs no recount: the largest count of an n-gram among the others is the largest
    of all, or the second largest where the sentence itself has the largest.
    """
    if len(sentences) < 2:
        raise ValueError("self-BLEU needs at least two sentences")
    owners = _sentence_of_word(sentences)
    matches = np.zeros((orders, len(sentences)), np.int64)
    tables, numbers = number_ngrams(sentences, orders)
    for table, found, row in zip(tables, numbers, matches, strict=True):
        most, holder, second = _largest_counts(found, owners, table.size)
        _count_matches(found, owners, most, holder, second, row)
    closest = _closest_other(sentences.lengths)
    return combine(matches, sentences.lengths, closest)


def _sentence_of_word(sentences: Flat) -> NDArray[np.int32]:
    """(W,): the sentence that each word belongs to."""
    return np.repeat(np.arange(len(sentences), dtype=np.int32), sentences.lengths)


def _closest(known: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """(H,): for each length the closest of the sorted `known`, the shorter of two equally close."""
    above = np.searchsorted(known, lengths)
    longer = known[np.minimum(above, len(known) - 1)]
    shorter = known[np.maximum(above - 1, 0)]
    return np.where(np.abs(longer - lengths) < np.abs(shorter - lengths), longer, shorter)


def _closest_other(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """(H,): for each sentence the closest length among the other sentences."""
    known, place, shared = np.unique(lengths, return_inverse=True, return_counts=True)
    far = 2 * int(known[-1]) + 1
    shorter = np.concatenate(([-far], known[:-1]))
    longer = np.concatenate((known[1:], [known[-1] + far]))
    neighbour = np.where(longer - known < known - shorter, longer, shorter)
    return np.where(shared > 1, known, neighbour)[place]


def combine(
    matches: NDArray[np.int64], lengths: NDArray[np.int64], closest: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The scores (H, orders) from clipped matches (orders, H) and both lengths (H,)."""
    orders = np.arange(1, len(matches) + 1)[:, None]
    possible = np.maximum(lengths - orders + 1, 1)
    precisions = np.where(matches == 0, EPSILON, matches) / possible
    scores = np.exp(np.cumsum(np.log(precisions), axis=0) / orders)
    scores *= np.exp(np.minimum(0.0, 1.0 - closest / np.maximum(lengths, 1)))
    scores[:, matches[0] == 0] = 0.0
    return np.ascontiguousarray(scores.T)


@compiled
def _occurrences(numbers: Ids, owners: Ids, distinct: int) -> Ids:
    """(W,): 1 where an n-gram ends for the first time in its sentence, then 2, ...; 0 for none."""
    found = np.zeros(len(numbers), np.int32)
    last = np.full(distinct, -1, np.int32)
    count = np.zeros(distinct, np.int32)
    for place in range(len(numbers)):
        number = numbers[place]
        if number < 0:
            continue
        if last[number] != owners[place]:
            last[number] = owners[place]
            count[number] = 0
        count[number] += 1
        found[place] = count[number]
    return found


@compiled
def _largest_counts(numbers: Ids, owners: Ids, distinct: int) -> tuple[Ids, Ids, Ids]:
    """Per n-gram (distinct,): the largest count in one sentence, which sentence has it, and the
    largest count in any other."""
    most = np.zeros(distinct, np.int32)
    holder = np.full(distinct, -1, np.int32)
    second = np.zeros(distinct, np.int32)
    for place, count in enumerate(_occurrences(numbers, owners, distinct)):
        if count == 0:
            continue
        number = numbers[place]
        # Counts grow by one: whoever overtakes the holder has first drawn level with it, which made
        # the holder's count the second largest.
        if count > most[number]:
            most[number] = count
            holder[number] = owners[place]
        elif count > second[number]:
            second[number] = count
    return most, holder, second


@compiled
def _count_matches(
    numbers: Ids, owners: Ids, most: Ids, holder: Ids, second: Ids, matches: Numbers
) -> None:
    """Add to `matches` (H,) each sentence's n-grams, clipped at the largest count elsewhere."""
    for place, count in enumerate(_occurrences(numbers, owners, len(most))):
        number, owner = numbers[place], owners[place]
        if count > 0 and count <= (second[number] if holder[number] == owner else most[number]):
            matches[owner] += 1
