"""Vectors from n-grams alone: no model, no download, and word order counts.

The n-grams of each order are weighted by how rare they are and seen along the directions in which
real sentences differ most (latent semantic analysis). Every order has a block of its own, since
words would otherwise drown out their order. Meaning is not seen: two sentences that say the same
in other words are far apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.features import Vectors
from sda.text.compiled import compiled
from sda.text.ngrams import Pairs, find_ngrams, number_ngrams
from sda.text.sentences import Flat

SIZES = (32, 48, 32)
"""Directions for words, word pairs and word triples; with the length, vectors of 113 numbers."""

COMMON = 5
"""Real sentences that must hold an n-gram before it may shape a direction.

An n-gram of few sentences is known because it is in this very set, and so would set the sentences
that were fitted apart from other real ones.
"""

_SPARE = 16  # directions that are dropped in the end, so that those kept are exact sooner
_ROUNDS = 6
_BOUNDARY = -1  # stands before and after every sentence; no word has this id


class _Matrix(NamedTuple):
    """A sparse matrix: `weights[e]` stands at `rows[e]` and `columns[e]`, elsewhere zero."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    weights: NDArray[np.float64]

    def times(self, dense: NDArray[np.float64], height: int) -> NDArray[np.float64]:
        """(height, K), the product with `dense` (columns, K)."""
        return _multiply(self.rows, self.columns, self.weights, dense, height)

    def transposed(self) -> _Matrix:
        return _Matrix(self.columns, self.rows, self.weights)


class _Order(NamedTuple):
    """The n-grams of one order: their columns, weights and directions.

    `columns` (distinct n-grams + 1,) is -1 for n-grams that are not common, and in its last entry,
    which the number -1 of an unknown n-gram leads to. `weights` is (C,), `rare` the weight of an
    n-gram without a column, `directions` (C, F).
    """

    n: int
    columns: NDArray[np.int64]
    weights: NDArray[np.float64]
    rare: float
    directions: NDArray[np.float64]


class NgramFeatures:
    """The n-grams of a sentence along the main directions of real sentences, and its length."""

    def __init__(self, tables: list[Pairs], orders: list[_Order], source: str) -> None:
        self._tables = tables
        self._orders = orders
        self._source = source

    @staticmethod
    def fit(real: Flat, sizes: Sequence[int] = SIZES, seed: int = 0) -> NgramFeatures:
        """Features with `sizes[n - 1]` directions for n-grams, or as many as the sentences have.

        Fit them on the references, never on sentences to be scored: features suit best what they
        were fitted on, and this way samples and other real text are strangers to them alike.
        """
        if not len(real) or not sizes:
            raise ValueError("features need at least one real sentence and one order")
        rng = np.random.default_rng(seed)
        bounded = _bounded(real)
        tables, numbers = number_ngrams(bounded, len(sizes))
        orders = [
            _fitted(bounded, n, table.size, found, size, rng)
            for n, (table, found, size) in enumerate(zip(tables, numbers, sizes, strict=True), 1)
        ]
        kept = "+".join(str(order.directions.shape[1]) for order in orders)
        # Words are numbered as they first appear, so that the digest does not depend on their ids.
        digest = hashlib.sha256(numbers[0].tobytes() + bounded.starts.tobytes()).hexdigest()
        fitted = f"fit{len(real)}-{digest[:8]}"
        return NgramFeatures(tables, orders, f"ngrams.{kept}+length.{fitted}.seed{seed}")

    def vectors(self, sentences: Flat) -> Vectors:
        bounded = _bounded(sentences)
        numbers = find_ngrams(self._tables, bounded)
        blocks = [
            _matrix(bounded, order, found).times(order.directions, len(sentences))
            for order, found in zip(self._orders, numbers, strict=True)
        ]
        lengths = np.log1p(sentences.lengths)[:, None]
        return Vectors(np.concatenate([*blocks, lengths], axis=1), self._source)


def _bounded(sentences: Flat) -> Flat:
    """The sentences between boundaries, so that their n-grams tell how they begin and end."""
    owners = np.repeat(np.arange(len(sentences)), sentences.lengths)
    starts = sentences.starts + 2 * np.arange(len(sentences) + 1)
    ids = np.full(starts[-1], _BOUNDARY, np.int32)
    ids[np.arange(len(owners)) + 2 * owners + 1] = sentences.ids
    return Flat(ids, starts)


def _fitted(
    sentences: Flat,
    n: int,
    distinct: int,
    numbers: NDArray[np.int32],
    size: int,
    rng: np.random.Generator,
) -> _Order:
    """The order's columns, weighted by inverse document frequency, and its directions."""
    owners = np.repeat(np.arange(len(sentences)), sentences.lengths)
    known = numbers >= 0
    held = np.unique(owners[known] * max(distinct, 1) + numbers[known]) % max(distinct, 1)
    holders = np.bincount(held, minlength=distinct)
    is_common = holders >= COMMON
    columns = np.append(np.where(is_common, np.cumsum(is_common) - 1, -1), -1)
    weights = np.log((1 + len(sentences)) / (1 + holders[is_common]))
    rare = float(np.log(max(1 + len(sentences), COMMON) / COMMON))
    order = _Order(n, columns, weights, rare, np.empty((len(weights), 0)))
    matrix = _matrix(sentences, order, numbers)
    directions = _directions(matrix, (len(sentences), len(weights)), size, rng)
    return order._replace(directions=directions)


def _matrix(sentences: Flat, order: _Order, numbers: NDArray[np.int32]) -> _Matrix:
    """Weighted counts, sentences by columns, in rows of length one at most.

    N-grams without a column count in the length of their row, each as one of its kind: a sentence
    of unknown n-grams lies near zero.
    """
    lengths = sentences.lengths
    owners = np.repeat(np.arange(len(sentences)), lengths)
    places = np.arange(len(owners)) - np.repeat(sentences.starts[:-1], lengths)
    columns = order.columns[numbers]
    width = max(len(order.weights), 1)
    has_column = columns >= 0
    keys, counts = np.unique(owners[has_column] * width + columns[has_column], return_counts=True)
    rows, columns = keys // width, keys % width
    weights = counts * order.weights[columns]
    is_rare = ~has_column & (places >= order.n - 1)
    others = np.bincount(owners[is_rare], minlength=len(sentences)) * order.rare**2
    squares = np.bincount(rows, weights**2, minlength=len(sentences)) + others
    squares[squares == 0.0] = 1.0
    return _Matrix(rows, columns, weights / np.sqrt(squares)[rows])


def _directions(
    matrix: _Matrix, shape: tuple[int, int], size: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(C, F) the leading right singular vectors of the matrix (B, C), by subspace iteration."""
    height, width = shape
    transposed = matrix.transposed()
    carried = min(size + _SPARE, height, width)
    basis = rng.standard_normal((width, carried))
    for _ in range(_ROUNDS):
        basis, _ = np.linalg.qr(transposed.times(matrix.times(basis, height), width))
    seen = matrix.times(basis, height)
    _, rotation = np.linalg.eigh(seen.T @ seen)
    # Eigenvalues come in ascending order.
    return np.ascontiguousarray((basis @ rotation[:, ::-1])[:, :size])


@compiled
def _multiply(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    weights: NDArray[np.float64],
    dense: NDArray[np.float64],
    height: int,
) -> NDArray[np.float64]:
    product = np.zeros((height, dense.shape[1]))
    for entry in range(len(rows)):
        row, column, weight = rows[entry], columns[entry], weights[entry]
        for k in range(dense.shape[1]):
            product[row, k] += weight * dense[column, k]
    return product
