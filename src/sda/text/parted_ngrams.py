"""The numbers of `ngrams` for texts of any size, found in parts that fit a cache.

In a table of millions of n-grams nearly every look is one into main memory, and the larger the
table the longer it takes. Here n-grams are dealt out by a hash first, and the few thousand of each
part are numbered in a small table, so that the time grows with the words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sda.text.compiled import Ids, Numbers, compiled
from sda.text.ngrams import HALF, SPREAD, home, pack, prefixes_of
from sda.text.sentences import Flat

Flags = NDArray[np.bool_]
PART = 2**14
"""Words of a part, about."""
MOST_PARTS = 2**12
_SMALLEST = 256
_HIGH = np.uint64(52)
_ALL = np.ones(0, np.bool_)  # in place of a flag for every prefix


class PartedPairs(NamedTuple):
    """The distinct (prefix, word) pairs of one order, part after part.

    Part p has the keys `keys[starts[p]:starts[p + 1]]`, whose numbers stand in the same places of
    `numbers`; the number of parts is a power of two.
    """

    keys: NDArray[np.int64]
    numbers: NDArray[np.int32]
    starts: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many distinct pairs there are."""
        return len(self.keys)

    def find(self, prefixes: NDArray[np.int32], words: NDArray[np.int32]) -> NDArray[np.int32]:
        """The number of each pair (P,), -1 where the prefix is negative or the pair unknown."""
        dealt = _dealt(prefixes, words, _ALL, len(self.starts) - 1)
        return _found(*dealt, *self, np.full(len(words), -1, np.int32))


class Ngrams:
    """The n-grams of sentences by number; an order is numbered when it is first asked for.

    An n-gram that begins like no other is a new one, and need not be looked for. Nothing is kept
    that would find n-grams of other sentences.
    """

    def __init__(self, sentences: Flat) -> None:
        self.sentences = sentences
        self._numbers: list[NDArray[np.int32]] = []
        self._is_repeated = _ALL

    def numbers(self, n: int) -> NDArray[np.int32]:
        """(W,), as `number_ngrams` has them for that order."""
        while len(self._numbers) < n:
            prefixes = prefixes_of(self.sentences, self._numbers)
            found = _numbered(prefixes, self.sentences.ids, self._is_repeated)
            self._numbers.append(found.numbers)
            self._is_repeated = found.is_repeated
        return self._numbers[n - 1]


def number_in_parts(
    sentences: Flat, orders: int
) -> tuple[list[PartedPairs], list[NDArray[np.int32]]]:
    """What `number_ngrams` says, with tables that find the n-grams of other sentences in parts."""
    tables: list[PartedPairs] = []
    numbers: list[NDArray[np.int32]] = []
    for _ in range(orders):
        found = _numbered(prefixes_of(sentences, numbers), sentences.ids, _ALL)
        places = found.places[: found.starts[-1]]
        keys = found.keys[: found.starts[-1]].copy()
        tables.append(PartedPairs(keys, found.numbers[places], found.starts))
        numbers.append(found.numbers)
    return tables, numbers


class _Numbered(NamedTuple):
    """The number of each pair (P,) and whether each number is there again.

    Part p of the distinct pairs has the entries from `starts[p]` to `starts[p + 1]` of `keys`, and
    of `places` where they stand first; those are not among them whose prefix is not repeated.
    """

    numbers: NDArray[np.int32]
    is_repeated: Flags
    keys: NDArray[np.int64]
    places: NDArray[np.int32]
    starts: NDArray[np.int64]


def _numbered(
    prefixes: NDArray[np.int32], words: NDArray[np.int32], is_repeated: Flags
) -> _Numbered:
    parts = 1
    while parts * PART < len(words) and parts < MOST_PARTS:
        parts *= 2
    keys, places, starts = _dealt(prefixes, words, is_repeated, parts)
    numbers = np.arange(len(words), dtype=np.int32)
    numbers[prefixes < 0] = -1
    starts = _told_apart(keys, places, starts, numbers)
    again = np.zeros(len(words), np.bool_)
    distinct = _count_up(numbers, again)
    return _Numbered(numbers, again[:distinct], keys, places, starts)


def _dealt(
    prefixes: NDArray[np.int32], words: NDArray[np.int32], is_repeated: Flags, parts: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """The keys of the pairs whose prefix is repeated and their places, part after part, and where
    each part begins."""
    starts = _sizes(prefixes, words, is_repeated, parts).cumsum()
    # Memory that NumPy asks for comes in larger pages than that of compiled code.
    keys, places = np.empty(starts[-1], np.int64), np.empty(starts[-1], np.int32)
    _deal(prefixes, words, is_repeated, starts, keys, places)
    return keys, places, starts


@compiled
def _part(key: int, parts: int) -> int:
    """The part that a key belongs to, by bits which no small table looks at."""
    mixed = np.uint64(key)
    mixed = (mixed ^ (mixed >> HALF)) * SPREAD
    return int(np.int64(mixed >> _HIGH) & (parts - 1))


@compiled
def _sizes(prefixes: Ids, words: Ids, is_repeated: Flags, parts: int) -> Numbers:
    """(parts + 1,) how many pairs each part gets, after a zero."""
    sizes = np.zeros(parts + 1, np.int64)
    for place in range(len(words)):
        prefix = prefixes[place]
        if prefix >= 0 and (len(is_repeated) == 0 or is_repeated[prefix]):
            sizes[_part(pack(prefix, words[place]), parts) + 1] += 1
    return sizes


@compiled
def _deal(
    prefixes: Ids, words: Ids, is_repeated: Flags, starts: Numbers, keys: Numbers, places: Ids
) -> None:
    following = starts[:-1].copy()
    for place in range(len(words)):
        prefix = prefixes[place]
        if prefix >= 0 and (len(is_repeated) == 0 or is_repeated[prefix]):
            key = pack(prefix, words[place])
            part = _part(key, len(following))
            keys[following[part]] = key
            places[following[part]] = place
            following[part] += 1


@compiled
def _told_apart(keys: Numbers, places: Ids, starts: Numbers, firsts: Ids) -> Numbers:
    """Where each part of the distinct keys begins, which are the first of `keys` from now on, each
    with its first place; `firsts` has for every place the first with the same key."""
    distinct = np.zeros(len(starts), np.int64)
    slots = np.full(_SMALLEST, -1, np.int32)
    kept = 0
    for part in range(len(starts) - 1):
        base, size = kept, len(slots)
        slots[:] = -1
        for entry in range(starts[part], starts[part + 1]):
            key, place = keys[entry], places[entry]
            slot = home(key, size)
            while slots[slot] >= 0 and keys[slots[slot]] != key:
                slot = (slot + 1) & (size - 1)
            if slots[slot] >= 0:
                firsts[place] = places[slots[slot]]
                continue
            slots[slot] = kept
            keys[kept], places[kept], firsts[place] = key, place, place
            kept += 1
            if 2 * (kept - base) > size:
                size *= 4
                slots = np.full(size, -1, np.int32)
                _fill(slots, keys, base, kept)
        distinct[part + 1] = kept
    return distinct


@compiled
def _fill(slots: Ids, keys: Numbers, first: int, end: int) -> None:
    """Put the places of these keys, which are all different, into the table."""
    size = len(slots)
    for place in range(first, end):
        slot = home(keys[place], size)
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = place


@compiled
def _count_up(firsts: Ids, again: Flags) -> int:
    """Put numbers in the order of appearance in the place of first places, and mark those that are
    there again; how many numbers there are."""
    count = 0
    for place in range(len(firsts)):
        first = firsts[place]
        if first == place:
            firsts[place] = count
            count += 1
        elif first >= 0:
            firsts[place] = firsts[first]
            again[firsts[first]] = True
    return count


@compiled
def _found(
    keys: Numbers,
    places: Ids,
    starts: Numbers,
    known: Numbers,
    numbers: Ids,
    known_starts: Numbers,
    found: Ids,
) -> Ids:
    """`found` itself, with the numbers of all known keys in their places."""
    slots = np.full(_SMALLEST, -1, np.int32)
    for part in range(len(starts) - 1):
        first, end = known_starts[part], known_starts[part + 1]
        size = len(slots)
        while size < 2 * (end - first):
            size *= 2
        if size > len(slots):
            slots = np.empty(size, np.int32)
        slots[:] = -1
        _fill(slots, known, first, end)
        for entry in range(starts[part], starts[part + 1]):
            key = keys[entry]
            slot = home(key, size)
            while slots[slot] >= 0 and known[slots[slot]] != key:
                slot = (slot + 1) & (size - 1)
            if slots[slot] >= 0:
                found[places[entry]] = numbers[slots[slot]]
    return found
