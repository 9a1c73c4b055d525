"""Numbers for words, whether a model can write them as one id or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, count

import numpy as np

from sda.text.sentences import Flat


class WordNumbers:
    """A table that gives every word a number, the same one for equal words only.

    It grows: a word that is not there gets the next number from `first` on. A hash would need no
    table, but two words could have the same one.
    """

    def __init__(self, first: int, known: Mapping[str, int] | None = None) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count(first).__next__, known or {})

    def number(self, words: Sequence[str]) -> list[int]:
        return [self._numbers[word] for word in words]

    def flat(self, sentences: Sequence[Sequence[str]]) -> Flat:
        """The same for the words of many sentences."""
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        starts = np.concatenate(([0], np.cumsum(lengths)))
        numbers = map(self._numbers.__getitem__, chain.from_iterable(sentences))
        return Flat(np.fromiter(numbers, np.int32, int(starts[-1])), starts)
