"""Rivals that train nothing: rewriting with words, or whole sentences, of the target's style.

Template (Li et al., 2018): markers of the source's style give way to those of the sentence of the
target's style whose content is nearest. Retrieval: that sentence itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sda.text.sentences import Flat
from sda.transfer.rivals.markers import Markers
from sda.transfer.styled import StyledTexts

AT_ONCE = 200  # sources that are compared with all sentences in one go


class Retrieval:
    """The nearest sentence of the target's style by its content, as it stands."""

    def __init__(self, texts: StyledTexts) -> None:
        self.markers = Markers(texts)
        self.texts = texts
        self.parts = [self.markers.table.flat(part) for part in texts.texts]
        self.found = [self.markers.find(part, style) for style, part in enumerate(self.parts)]
        self._inverse = _inverse_frequencies(self.parts, len(self.markers.table.words))
        self._contents = [
            _weighted(without(part, marked), self._inverse)
            for part, marked in zip(self.parts, self.found, strict=True)
        ]

    def rewrite(self, texts: Sequence[str], origin: int, target: int) -> list[str]:
        """Each text of one style in the other."""
        flat = self.markers.table.flat(texts)
        content = without(flat, self.markers.find(flat, origin))
        return [self.texts.texts[target][place] for place in self.nearest(content, target)]

    def nearest(self, content: Flat, target: int) -> list[int]:
        """For each content the sentence of the style whose content is nearest, by its place.

        Words weigh the more the rarer they are (TF-IDF), and vectors are compared by their angle.
        Of several that are equally near, it is the first.
        """
        sources = _weighted(content, self._inverse)
        places: list[int] = []
        for start in range(0, len(content), AT_ONCE):
            rows = torch.arange(start, min(start + AT_ONCE, len(content)))
            dense = sources.index_select(0, rows).to_dense()
            places += torch.sparse.mm(self._contents[target], dense.T).argmax(0).tolist()
        return places


class Template(Retrieval):
    """The source with the markers of the nearest sentence in the places of its own."""

    def rewrite(self, texts: Sequence[str], origin: int, target: int) -> list[str]:
        """Each text of one style in the other; one without a marker stays as it is."""
        flat = self.markers.table.flat(texts)
        marked = self.markers.find(flat, origin)
        found = []
        places = self.nearest(without(flat, marked), target)
        for row, place in enumerate(places):
            words = texts[row].split()
            spans = _spans(marked[flat.starts[row] : flat.starts[row + 1]])
            other = self.texts.texts[target][place].split()
            part = self.parts[target]
            new = _spans(self.found[target][part.starts[place] : part.starts[place + 1]])
            found.append(_exchanged(words, spans, [other[low:high] for low, high in new]))
        return found


def _exchanged(words: list[str], spans: list[tuple[int, int]], markers: list[list[str]]) -> str:
    """The words with the first spans replaced by markers, and the other spans taken out.

    Where there are more markers than places, the last place takes all that are left.
    """
    if not spans:
        return " ".join(words)
    kept = markers[: len(spans) - 1]
    kept.append([word for marker in markers[len(spans) - 1 :] for word in marker])
    kept += [[]] * (len(spans) - len(kept))
    result, end = [], 0
    for (low, high), marker in zip(spans, kept, strict=True):
        result += [*words[end:low], *marker]
        end = high
    return " ".join(result + words[end:])


def _spans(marked: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where markers begin and end."""
    padded = np.concatenate(([False], marked, [False])).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def without(sentences: Flat, marked: NDArray[np.bool_]) -> Flat:
    """The sentences less the marked words, and less strange ones."""
    kept = ~marked & (sentences.ids >= 0)
    owners = np.repeat(np.arange(len(sentences)), sentences.lengths)
    lengths = np.bincount(owners[kept], minlength=len(sentences))
    return Flat(sentences.ids[kept], np.concatenate(([0], np.cumsum(lengths))))


def _inverse_frequencies(parts: Sequence[Flat], words: int) -> NDArray[np.float64]:
    """(words,) how rare each word is: the logarithm of the share of sentences that have it."""
    having = np.zeros(words)
    for part in parts:
        owners = np.repeat(np.arange(len(part)), part.lengths)
        pairs = np.unique(owners * words + part.ids)
        having += np.bincount(pairs % words, minlength=words)
    return np.log((1 + sum(map(len, parts))) / (1 + having))


def _weighted(sentences: Flat, inverse: NDArray[np.float64]) -> Tensor:
    """(B, words) sparse rows of length one; a sentence without words has none."""
    owners = np.repeat(np.arange(len(sentences)), sentences.lengths)
    keys, counts = np.unique(owners * len(inverse) + sentences.ids, return_counts=True)
    rows, columns = np.divmod(keys, len(inverse))
    values = counts * inverse[columns]
    norms = np.sqrt(np.bincount(rows, values**2, len(sentences)))[rows]
    scaled = np.divide(values, norms, out=np.zeros_like(values), where=norms > 0)
    return torch.sparse_coo_tensor(
        torch.from_numpy(np.stack((rows, columns))),
        torch.from_numpy(scaled).float(),
        (len(sentences), len(inverse)),
        check_invariants=False,
    ).coalesce()
