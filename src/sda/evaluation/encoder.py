"""From texts to ids, under one convention for all sets that are compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import numpy as np

from sda.evaluation.score import Convention
from sda.text.sentences import Flat
from sda.text.tokens import tokenizer as named_tokenizer

AT_ONCE = 500
"""Texts whose words are strings at one time: those of a million would fill memory, and caches."""


class Encoder:
    """Gives every word an id, the same one in every call."""

    def __init__(self, convention: Convention) -> None:
        self._lowercase = convention.lowercase
        self._split = named_tokenizer(convention.tokenizer).split
        self._ids: defaultdict[str, int] = defaultdict()
        # A word not seen before gets the number of words seen so far, without a call into Python.
        self._ids.default_factory = self._ids.__len__

    def encode(self, texts: Sequence[str]) -> Flat:
        """The words of all texts; a blank text is an empty sentence."""
        lengths = np.zeros(len(texts) + 1, np.int64)
        parts = [np.empty(0, np.int32)]
        for first in range(0, len(texts), AT_ONCE):
            some = texts[first : first + AT_ONCE]
            if self._lowercase:
                some = [text.lower() for text in some]
            words = [self._split(text) for text in some]
            counts = np.fromiter(map(len, words), np.int64, len(words))
            lengths[first + 1 : first + 1 + len(words)] = counts
            ids = map(self._ids.__getitem__, chain.from_iterable(words))
            parts.append(np.fromiter(ids, np.int32, int(counts.sum())))
        return Flat(np.concatenate(parts), np.cumsum(lengths))


def encode_texts(
    *groups: Sequence[str], lowercase: bool = False, tokenizer: str = "whitespace"
) -> list[Flat]:
    """Each group as ids, with one table of words for all groups."""
    encoder = Encoder(Convention(tokenizer, lowercase))
    return [encoder.encode(group) for group in groups]
