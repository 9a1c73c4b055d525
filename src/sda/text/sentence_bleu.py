"""Sentence BLEU on ids, for one set of references or within one set of sentences.

Uniform weights up to each order; counts clipped at the largest count in any single reference;
0.1 in place of a zero count (smoothing method 1); the brevity penalty of the closest reference
length, the shorter of two equally close. No known word, or no word at all, scores 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sda.text.compiled import Ids, Numbers, compiled
from sda.text.ngrams import Pairs, number_ngrams, occurrences, prefixes_of
from sda.text.parted_ngrams import PartedPairs, number_in_parts
from sda.text.sentences import Flat

EPSILON = 0.1


class References:
    """Sentences that hypotheses are compared with, counted once for all comparisons.

    Where they are to be compared `both_ways`, the numbers of their n-grams are kept, and those of
    hypotheses are found in parts, which is faster for many at once and slower for few.
    """

    def __init__(self, references: Flat, orders: int = 5, both_ways: bool = False) -> None:
        if not len(references):
            raise ValueError("BLEU needs at least one reference")
        self.orders = orders
        self._size = len(references)
        self._lengths = np.unique(references.lengths)
        self._tables: list[Pairs] | list[PartedPairs]
        if both_ways:
            self._tables, numbers = number_in_parts(references, orders)
        else:
            self._tables, numbers = number_ngrams(references, orders)
        self._most = []
        for n, found in enumerate(numbers):
            # Every n-gram that has a number is in some sentence once.
            most = np.ones(self._tables[n].size, np.int32)
            _raise_to(found, occurrences(found, references), 2, most)
            self._most.append(most)
        self._kept = (references, numbers) if both_ways else None

    def __len__(self) -> int:
        return self._size

    def bleu(self, hypotheses: Flat) -> NDArray[np.float64]:
        """The score of each hypothesis (H, orders); column n - 1 is BLEU-n."""
        matches = np.zeros((self.orders, len(hypotheses)), np.int64)
        for n, (found, counts) in enumerate(self._found(hypotheses)):
            _count_known(found, counts, hypotheses.starts, self._most[n], matches[n])
        closest = _closest(self._lengths, hypotheses.lengths)
        return combine(matches, hypotheses.lengths, closest)

    def bleu_both_ways(self, sentences: Flat) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`bleu` of the sentences, and the scores of the references against them (R, orders).

        Sentences that a reference is compared with need no numbers but those of the references:
        what no reference has can match none.
        """
        if self._kept is None or not len(sentences):
            raise ValueError("references of both ways, and a sentence, are needed")
        references, numbers = self._kept
        matches = np.zeros((self.orders, len(sentences)), np.int64)
        reverse = np.zeros((self.orders, len(references)), np.int64)
        for n, (found, counts) in enumerate(self._found(sentences)):
            _count_known(found, counts, sentences.starts, self._most[n], matches[n])
            most = np.zeros(self._tables[n].size, np.int32)
            _raise_to(found, counts, 1, most)
            own = occurrences(numbers[n], references)
            _count_known(numbers[n], own, references.starts, most, reverse[n])
        lengths = sentences.lengths
        return (
            combine(matches, lengths, _closest(self._lengths, lengths)),
            combine(reverse, references.lengths, _closest(np.unique(lengths), references.lengths)),
        )

    def _found(self, sentences: Flat) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """For each order the numbers of the n-grams, and which occurrence in its sentence each
        is (W,)."""
        shorter: list[NDArray[np.int32]] = []
        for table in self._tables:
            found = table.find(prefixes_of(sentences, shorter), sentences.ids)
            shorter = [found]
            yield found, occurrences(found, sentences)


def self_bleu(sentences: Flat, orders: int = 5) -> NDArray[np.float64]:
    """The score of each sentence against all the others (H, orders); column n - 1 is BLEU-n.

    Leaving one out needs no recount: the largest count of an n-gram among the others is the largest
    of all, or the second largest where the sentence itself has the largest.
    """
    if len(sentences) < 2:
        raise ValueError("self-BLEU needs at least two sentences")
    matches = np.zeros((orders, len(sentences)), np.int64)
    tables, found = number_ngrams(sentences, orders)
    for table, numbers, row in zip(tables, found, matches, strict=True):
        counts = occurrences(numbers, sentences)
        most, holder, second = _largest_counts(numbers, counts, sentences.starts, table.size)
        _count_others(numbers, counts, sentences.starts, most, holder, second, row)
    closest = _closest_other(sentences.lengths)
    return combine(matches, sentences.lengths, closest)


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
def _raise_to(numbers: Ids, counts: Ids, least: int, most: Ids) -> None:
    """Raise `most` (distinct,) to the largest count of each n-gram in one sentence; counts below
    `least` do not matter."""
    for place in range(len(numbers)):
        if counts[place] >= least:
            most[numbers[place]] = max(most[numbers[place]], counts[place])


@compiled
def _count_known(numbers: Ids, counts: Ids, starts: Numbers, most: Ids, matches: Numbers) -> None:
    """Add to `matches` (H,) each sentence's n-grams, clipped at the largest count elsewhere."""
    for sentence in range(len(matches)):
        for place in range(starts[sentence], starts[sentence + 1]):
            if 0 < counts[place] <= most[numbers[place]]:
                matches[sentence] += 1


@compiled
def _largest_counts(
    numbers: Ids, counts: Ids, starts: Numbers, distinct: int
) -> tuple[Ids, Ids, Ids]:
    """Per n-gram (distinct,): the largest count in one sentence, which sentence has it, and the
    largest count in any other."""
    most = np.zeros(distinct, np.int32)
    holder = np.full(distinct, -1, np.int32)
    second = np.zeros(distinct, np.int32)
    for sentence in range(len(starts) - 1):
        for place in range(starts[sentence], starts[sentence + 1]):
            count, number = counts[place], numbers[place]
            if count == 0:
                continue
            # Counts grow by one: whoever overtakes the holder has first drawn level with it, which
            # made the holder's count the second largest.
            if count > most[number]:
                most[number] = count
                holder[number] = sentence
            elif count > second[number]:
                second[number] = count
    return most, holder, second


@compiled
def _count_others(
    numbers: Ids,
    counts: Ids,
    starts: Numbers,
    most: Ids,
    holder: Ids,
    second: Ids,
    matches: Numbers,
) -> None:
    """The same with the largest counts in other sentences."""
    for sentence in range(len(matches)):
        for place in range(starts[sentence], starts[sentence + 1]):
            count, number = counts[place], numbers[place]
            if count > 0:
                is_own = holder[number] == sentence
                if count <= (second[number] if is_own else most[number]):
                    matches[sentence] += 1
