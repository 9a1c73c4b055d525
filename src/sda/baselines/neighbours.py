"""Replacement by neighbours in embedding space (Wang and Yang 2015), learnt from the corpus itself.

A word's vector tells which words stand near it more often than chance would have it: positive
pointwise mutual information within two words to either side, seen along its main directions (Levy
and Goldberg 2014). Words that can stand in each other's place are close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sda.baselines.augmentation import FittedAugmentation
from sda.baselines.edits import edit
from sda.text.sentences import Flat
from sda.text.stop_words import STOP_WORDS
from sda.text.synonyms import WordChoices

COMMON = 5
"""Times that a word must occur: the company of a rarer one is chance."""
WINDOW = 2
_SPARE = 16  # directions that are dropped in the end, so that those kept are exact sooner
_ROUNDS = 6
_ROWS = 1024  # words compared with all others at a time


def has_meaning(words: Sequence[str]) -> NDArray[np.bool_]:
    """(V,) true for words of letters that are no stop words."""
    found = (word.isalpha() and word.lower() not in STOP_WORDS for word in words)
    return np.fromiter(found, np.bool_, len(words))


@dataclass(eq=False)
class Neighbours(FittedAugmentation):
    """Adds versions of every training sentence with words replaced by close ones of the corpus."""

    may_change = staticmethod(has_meaning)

    neighbours: int = 5
    size: int = 64

    def write(self, sentences: Flat, longest: int) -> Flat:
        choices = find_neighbours(sentences, self.is_word, self.seed(), self.neighbours, self.size)
        return edit(sentences, choices, self.seed(), self.amount, operations=("replace",))


def find_neighbours(
    sentences: Flat, is_word: NDArray[np.bool_], seed: int, neighbours: int = 5, size: int = 64
) -> WordChoices:
    """The `neighbours` closest words of every common one by the cosine of their vectors.

    Words where `is_word` (V,) is false neither have neighbours nor are any, though they count as
    company. Vectors have `size` entries, or as many as there are words.
    """
    if neighbours < 1 or size < 1:
        raise ValueError(f"neighbours and size must be 1 or more, not {neighbours} and {size}")
    counts = np.bincount(sentences.ids, minlength=len(is_word))
    chosen = np.flatnonzero(is_word & (counts >= COMMON))
    starts = np.zeros(len(is_word) + 1, np.int64)
    if len(chosen) < 2:
        return WordChoices(np.zeros(0, np.int32), starts)
    vectors = word_vectors(sentences, len(is_word), size, seed)[torch.from_numpy(chosen)]
    vectors = torch.nn.functional.normalize(vectors, dim=1)
    kept = min(neighbours, len(chosen) - 1)
    closest = []
    for first in range(0, len(chosen), _ROWS):
        cosines = vectors[first : first + _ROWS] @ vectors.T
        cosines.diagonal(first).fill_(-2.0)  # below every cosine: no word is its own neighbour
        closest.append(cosines.topk(kept, dim=1).indices.numpy())
    starts[chosen + 1] = kept
    words = chosen[np.concatenate(closest).ravel()].astype(np.int32)
    return WordChoices(words, np.cumsum(starts))


def word_vectors(sentences: Flat, words: int, size: int, seed: int) -> Tensor:
    """(words, size) a vector for every id; zero for one that has no company."""
    rows, columns, found = _company(sentences, words)
    sums = np.bincount(rows, found, minlength=words)
    information = np.log(found * found.sum() / (sums[rows] * sums[columns]))
    positive = information > 0
    places = np.stack((rows[positive], columns[positive]))
    matrix = torch.sparse_coo_tensor(
        torch.from_numpy(places),
        torch.from_numpy(information[positive]),
        (words, words),
        check_invariants=True,
    ).coalesce()
    carried = min(size + _SPARE, words)
    rng = torch.Generator().manual_seed(seed)
    basis = torch.randn(words, carried, generator=rng, dtype=torch.float64)
    for _ in range(_ROUNDS):
        basis, _ = torch.linalg.qr(torch.sparse.mm(matrix, basis))
    # The matrix is symmetric: within the basis its values and directions are those of a small one.
    values, rotation = torch.linalg.eigh(basis.T @ torch.sparse.mm(matrix, basis))
    order = values.abs().argsort(descending=True)[:size]
    vectors: Tensor = basis @ rotation[:, order] * values[order].abs().sqrt()
    return vectors


def _company(
    sentences: Flat, words: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of words and how often they stand within the window, each pair in both orders."""
    owners = np.repeat(np.arange(len(sentences)), sentences.lengths)
    ids = sentences.ids.astype(np.int64)
    keys = []
    for distance in range(1, WINDOW + 1):
        together = owners[distance:] == owners[:-distance]
        left, right = ids[:-distance][together], ids[distance:][together]
        keys += [left * words + right, right * words + left]
    pairs, counts = np.unique(np.concatenate(keys), return_counts=True)
    return pairs // words, pairs % words, counts.astype(np.float64)
