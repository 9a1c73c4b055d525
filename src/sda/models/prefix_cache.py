"""Features of training sentences, kept while the discriminator stays as it is (decision 0120)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import embedding

from sda.models.prefixes import PrefixReader
from sda.text.sentences import Sentences

CHUNK = 64  # sentences read at a time
MULTIPLIER = 6364136223846793005
"""Of the keys of sentences; any odd number whose powers look random."""


class PrefixCache:
    """Features of the wanted prefixes of known sentences, computed once per discriminator.

    They are computed for all sentences at once, in an order and in chunks that depend on the
    sentences alone. So they have the same bits whenever that happens, and a run that is taken up
    between two epochs goes on as if it had not been interrupted.
    """

    def __init__(self, reader: PrefixReader, sentences: Sentences, wanted: Tensor) -> None:
        """`wanted` (N, T + 1) says which prefixes of the sentences are asked for."""
        self._reader = reader
        self._sentences = sentences
        # Entries are numbered from 1: entry 0 is zero and stands for all that is not wanted.
        self._entries = wanted.flatten().cumsum(0).view_as(wanted) * wanted
        self._keys, self._order = _keys(sentences).sort(stable=True)
        self._table = torch.empty(0, reader.size)
        self._seen: list[Tensor] = []

    @property
    def nbytes(self) -> int:
        """What the features of all sentences take."""
        return (int(self._entries.max()) + 1) * self._reader.size * self._table.element_size()

    def features(self, sentences: Sentences) -> Tensor | None:
        """(B, T + 1, F) as the reader has them, or None if a sentence is not among those known."""
        rows = self._find(sentences)
        if rows is None:
            return None
        self._refresh()
        return embedding(self._entries[rows, : sentences.tokens.shape[1] + 1], self._table)

    def _find(self, sentences: Sentences) -> Tensor | None:
        """(B,) where the sentences stand among those known."""
        width = sentences.tokens.shape[1]
        if width > self._sentences.tokens.shape[1]:
            return None
        places = torch.searchsorted(self._keys, _keys(sentences))
        rows = self._order[places.clamp(max=len(self._order) - 1)]
        known = self._sentences[rows]
        differs = (known.tokens[:, :width] != sentences.tokens) & sentences.mask
        is_known = torch.equal(known.lengths, sentences.lengths) and not bool(differs.any())
        return rows if is_known else None

    @torch.no_grad()
    def _refresh(self) -> None:
        """The table holds what the discriminator, as it is now, sees.

        Its weights are compared one by one: fused optimisers leave their version numbers alone.
        """
        weights = self._reader.weights()
        if self._seen and all(map(torch.equal, weights, self._seen)):
            return
        entries = self._entries
        if not len(self._table):
            self._table = weights[0].new_zeros(int(entries.max()) + 1, self._reader.size)
        for rows in self._sentences.lengths.argsort(stable=True).split(CHUNK):  # type: ignore[no-untyped-call]
            chunk = self._sentences[rows].trimmed()
            numbers = entries[rows, : chunk.tokens.shape[1] + 1]
            wanted = numbers > 0
            self._table[numbers[wanted]] = self._reader.wanted_features(chunk, wanted)
        self._seen = [weight.clone() for weight in weights]


def _keys(sentences: Sentences) -> Tensor:
    """(B,) one number for each sentence, whatever its padding; others hardly ever have the same."""
    tokens = (sentences.tokens + 1) * sentences.mask
    powers = torch.full_like(tokens[:1], MULTIPLIER).cumprod(1)
    return (tokens * powers).sum(1)
