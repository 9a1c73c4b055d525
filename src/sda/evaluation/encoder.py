"""From texts to ids, under one convention for all sets that are compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import numpy as np

from sda.evaluation.score import Convention
from sda.text.sentences import Flat
from sda.text.tokens import tokenizer as named_tokenizer


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
        if self._lowercase:
            texts = [text.lower() for text in texts]
        words = [self._split(text) for text in texts]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        starts = np.concatenate(([0], np.cumsum(lengths)))
        ids = map(self._ids.__getitem__, chain.from_iterable(words))
        return Flat(np.fromiter(ids, np.int32, int(starts[-1])), starts)


def encode_texts(
    *groups: Sequence[str], lowercase: bool = False, tokenizer: str = "whitespace"
) -> list[Flat]:
    """Each group as ids, with one table of words for all groups."""
    encoder = Encoder(Convention(tokenizer, lowercase))
    return [encoder.encode(group) for group in groups]
