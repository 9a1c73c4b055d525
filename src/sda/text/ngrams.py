"""Exact numbers for n-grams and sentences, so that counting them needs arrays only.

An n-gram is the pair of its first n - 1 words, which already have a number, and its last word. The
pair fits one 64-bit key, so two n-grams share a number only if they are equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sda.text.compiled import Ids, Numbers, compiled
from sda.text.sentences import Flat

# 2**64 divided by the golden ratio: multiplying spreads neighbouring keys over the high bits.
SPREAD = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
_SMALLEST = 1024


class Pairs(NamedTuple):
    """The distinct (prefix, word) pairs of one order: pair `i` has the key `keys[i]`.

    `slots` is a hash table of pair numbers by open addressing, -1 where empty; its size is a power
    of two, at least twice the number of pairs.
    """

    keys: NDArray[np.int64]
    slots: NDArray[np.int32]

    @property
    def size(self) -> int:
        """How many distinct pairs there are."""
        return len(self.keys)

    def find(self, prefixes: NDArray[np.int32], words: NDArray[np.int32]) -> NDArray[np.int32]:
        """The number of each pair (P,), -1 where the prefix is negative or the pair unknown."""
        return _find(prefixes, words, self.keys, self.slots)

    @staticmethod
    def of(
        prefixes: NDArray[np.int32], words: NDArray[np.int32]
    ) -> tuple[Pairs, NDArray[np.int32]]:
        """All distinct pairs, and the number of each one given (P,), -1 for negative prefixes."""
        keys, slots, numbers = _collect(prefixes, words)
        return Pairs(keys, slots), numbers


def number_ngrams(sentences: Flat, orders: int) -> tuple[list[Pairs], list[NDArray[np.int32]]]:
    """Every n-gram of orders 1 to `orders` has a number among those of its order.

    The second list holds one array (W,) per order: entry w is the number of the n-gram that ends
    at word w, or -1 if the sentence has not yet n words there. Holds for up to 2**31 words.
    """
    tables: list[Pairs] = []
    numbers: list[NDArray[np.int32]] = []
    for _ in range(orders):
        prefixes = prefixes_of(sentences, numbers)
        table, found = Pairs.of(prefixes, sentences.ids)
        tables.append(table)
        numbers.append(found)
    return tables, numbers


def find_ngrams(tables: list[Pairs], sentences: Flat) -> list[NDArray[np.int32]]:
    """The numbers that `tables` give to the n-grams of other sentences, -1 for unknown ones.

    One array (W,) per table, laid out as in `number_ngrams`.
    """
    numbers: list[NDArray[np.int32]] = []
    for table in tables:
        numbers.append(table.find(prefixes_of(sentences, numbers), sentences.ids))
    return numbers


def number_sentences(sentences: Flat) -> NDArray[np.int32]:
    """One number per sentence (B,), the same for equal sentences and no others."""
    return _number_sentences(sentences.ids, sentences.starts)


def occurrences(numbers: NDArray[np.int32], sentences: Flat) -> NDArray[np.int32]:
    """(W,): 1 where an n-gram ends for the first time in its sentence, then 2, ...; 0 for none."""
    return _occurrences(numbers, sentences.starts, int(sentences.lengths.max(initial=0)))


def prefixes_of(sentences: Flat, shorter: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    """(W,): the number of the shorter n-gram that ends one word earlier, -1 at a first word."""
    if not shorter:
        return np.zeros(len(sentences.ids), np.int32)
    prefixes = np.empty(len(sentences.ids), np.int32)
    prefixes[1:] = shorter[-1][:-1]
    # An empty sentence at the very end starts past the last word.
    firsts = sentences.starts[sentences.starts < len(prefixes)]
    prefixes[firsts] = -1
    return prefixes


@compiled
def pack(prefix: int, word: int) -> int:
    return int((np.int64(prefix) << 32) | (np.int64(word) & 0xFFFFFFFF))


@compiled
def home(key: int, size: int) -> int:
    """The slot where the search for a key begins."""
    mixed = np.uint64(key)
    mixed = (mixed ^ (mixed >> HALF)) * SPREAD
    return int(np.int64((mixed >> HALF) & np.uint64(size - 1)))


@compiled
def _seek(key: int, keys: Numbers, slots: Ids) -> int:
    """The slot that holds the key's number, or the empty slot where it belongs."""
    slot = home(key, len(slots))
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@compiled
def _widened(keys: Numbers, size: int) -> Ids:
    """A table of `size` slots that holds the numbers of all keys."""
    slots = np.full(size, -1, np.int32)
    for number in range(len(keys)):
        slot = home(keys[number], size)
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = number
    return slots


@compiled
def _collect(prefixes: Ids, words: Ids) -> tuple[Numbers, Ids, Ids]:
    keys = np.empty(len(words), np.int64)
    slots = np.full(_SMALLEST, -1, np.int32)
    numbers = np.empty(len(words), np.int32)
    count = 0
    for place in range(len(words)):
        if prefixes[place] < 0:
            numbers[place] = -1
            continue
        key = pack(prefixes[place], words[place])
        slot = _seek(key, keys, slots)
        numbers[place] = slots[slot]
        if slots[slot] < 0:
            numbers[place] = count
            slots[slot] = count
            keys[count] = key
            count += 1
            if 2 * count > len(slots):
                slots = _widened(keys[:count], 4 * len(slots))
    return keys[:count].copy(), slots, numbers


@compiled
def _find(prefixes: Ids, words: Ids, keys: Numbers, slots: Ids) -> Ids:
    numbers = np.empty(len(words), np.int32)
    for place in range(len(words)):
        numbers[place] = -1
        if prefixes[place] >= 0:
            key = pack(prefixes[place], words[place])
            numbers[place] = slots[_seek(key, keys, slots)]
    return numbers


@compiled
def _number_sentences(ids: Ids, starts: Numbers) -> Ids:
    """Sentences are looked for by a hash of all their words, and are equal if their words are."""
    size = _SMALLEST
    while size < 2 * len(starts):
        size *= 2
    slots = np.full(size, -1, np.int32)
    marks = np.empty(len(starts), np.int64)
    firsts = np.empty(len(starts), np.int32)
    numbers = np.empty(len(starts) - 1, np.int32)
    count = 0
    for sentence in range(len(starts) - 1):
        mark = np.uint64(starts[sentence + 1] - starts[sentence])
        for place in range(starts[sentence], starts[sentence + 1]):
            mark = (mark ^ np.uint64(ids[place])) * SPREAD
            mark ^= mark >> HALF
        slot = home(int(np.int64(mark)), size)
        while slots[slot] >= 0 and not (
            marks[slots[slot]] == np.int64(mark)
            and _are_equal(ids, starts, firsts[slots[slot]], sentence)
        ):
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = count
            marks[count] = np.int64(mark)
            firsts[count] = sentence
            count += 1
        numbers[sentence] = slots[slot]
    return numbers


@compiled
def _are_equal(ids: Ids, starts: Numbers, first: int, second: int) -> bool:
    length = starts[first + 1] - starts[first]
    if starts[second + 1] - starts[second] != length:
        return False
    same = 0
    while same < length and ids[starts[first] + same] == ids[starts[second] + same]:
        same += 1
    return bool(same == length)


@compiled
def _occurrences(numbers: Ids, starts: Numbers, longest: int) -> Ids:
    """A table of one sentence at a time stays small; what others left in it counts as empty."""
    size = 16
    while size < 2 * longest:
        size *= 2
    holders = np.full(size, -1, np.int32)
    held = np.empty(size, np.int32)
    counts = np.empty(size, np.int32)
    found = np.zeros(len(numbers), np.int32)
    for sentence in range(len(starts) - 1):
        for place in range(starts[sentence], starts[sentence + 1]):
            number = numbers[place]
            if number < 0:
                continue
            slot = home(number, size)
            while holders[slot] == sentence and held[slot] != number:
                slot = (slot + 1) & (size - 1)
            if holders[slot] != sentence:
                holders[slot], held[slot], counts[slot] = sentence, number, 0
            counts[slot] += 1
            found[place] = counts[slot]
    return found
