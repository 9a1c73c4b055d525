"""An n-gram language model: interpolated modified Kneser-Ney (Chen and Goodman, 1999).

Every order takes a discount from its counts and hands the mass so freed to the order below:

    p_n(w | c) = max(count(c w) - D(count(c w)), 0) / count(c) + backoff(c) p_(n-1)(w | c')

with c' the context without its first word. The highest order counts occurrences; lower orders count
the different words seen before an n-gram, except that an n-gram at the start of a sentence, before
which nothing can stand, keeps its occurrences. The discounts of an order, one each for counts of 1,
2 and more, come from how many of its n-grams have counts of 1 to 4.

Below the unigrams lies the uniform distribution over the words of the training text, the end symbol
and `unseen` further words. Any word that the model has not met has the probability of one of those,
so the model gives a probability to every sentence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sda.text.ngrams import find_ngrams, number_ngrams
from sda.text.sentences import Flat

ORDER = 5
_START, _END, _UNKNOWN, _FIRST_WORD = range(4)
# Discounts where the counts of counts give none: between nothing and all of counts of 1, 2 and 3.
_FALLBACK = (0.5, 1.0, 1.5)


class NgramModel:
    """The model of the training sentences; the end of a sentence is predicted like a word.

    With `unseen` = 1 all words that the model has not met are one word. Give the true number where
    models of different texts are compared on one text: else the model that knows the fewest words
    would find the most words of that text to be the same one, and easy to guess.
    """

    def __init__(self, train: Flat, order: int = ORDER, unseen: int = 1) -> None:
        if not len(train):
            raise ValueError("an n-gram model needs at least one sentence")
        if order < 1 or unseen < 1:
            raise ValueError(f"order and unseen must be 1 or more, not {order} and {unseen}")
        self.order = order
        self.unseen = unseen
        self._size = len(train)
        self._words = np.unique(train.ids)
        closed = self._closed(train)
        self._tables, numbers = number_ngrams(closed, order)
        self._shares: list[NDArray[np.float64]] = []
        self._backoffs: list[NDArray[np.float64]] = []
        context = np.zeros(len(closed.ids), np.int32)
        for n, found in enumerate(numbers, 1):
            longer = numbers[n] if n < order else None
            counts = _counts(closed, n, found, longer)
            shares, backoffs = _discounted(counts, found, context)
            self._shares.append(shares)
            self._backoffs.append(backoffs)
            context = _one_later(found)

    @property
    def facts(self) -> dict[str, object]:
        """What determines the model beside the text itself, for signatures."""
        return {
            "lm": "kneser-ney",
            "order": self.order,
            "fitted": self._size,
            "words": len(self._words),
            "unseen": self.unseen,
        }

    def log_prob(self, sentences: Flat) -> NDArray[np.float64]:
        """(B,) natural logarithm of the probability of each sentence and its end."""
        if not len(sentences):
            return np.zeros(0)
        firsts = sentences.starts[:-1] + np.arange(len(sentences))
        sums: NDArray[np.float64] = np.add.reduceat(self.log_probs(sentences), firsts)
        return sums

    def log_probs(self, sentences: Flat) -> NDArray[np.float64]:
        """(W + B,) natural logarithm of the probability of each word and, after those, each end."""
        closed = self._closed(sentences)
        probs = np.full(len(closed.ids), 1.0 / (len(self._words) + 1 + self.unseen))
        context = np.zeros(len(closed.ids), np.int32)
        numbers = find_ngrams(self._tables, closed)
        for found, shares, backoffs in zip(numbers, self._shares, self._backoffs, strict=True):
            # The number -1 reads the last entry: nothing of its own, all from the order below.
            probs = shares[found] + backoffs[context] * probs
            context = _one_later(found)
        logs: NDArray[np.float64] = np.log(probs[closed.ids != _START])
        return logs

    def _closed(self, sentences: Flat) -> Flat:
        """The sentences in the model's own ids between start and end symbols."""
        places = np.searchsorted(self._words, sentences.ids) + _FIRST_WORD
        ids = np.where(np.isin(sentences.ids, self._words), places, _UNKNOWN)
        starts = sentences.starts + 2 * np.arange(len(sentences) + 1)
        owners = np.repeat(np.arange(len(sentences)), sentences.lengths)
        closed = np.full(starts[-1], _END, np.int32)
        closed[starts[:-1]] = _START
        closed[np.arange(len(ids)) + 2 * owners + 1] = ids
        return Flat(closed, starts)


def _one_later(found: NDArray[np.int32]) -> NDArray[np.int32]:
    """(W,): for each word the n-gram that ends before it; at a start symbol it means nothing."""
    return np.concatenate((np.array([-1], np.int32), found[:-1]))


def _counts(
    closed: Flat, n: int, found: NDArray[np.int32], longer: NDArray[np.int32] | None
) -> NDArray[np.int64]:
    """The count of each n-gram (G,): occurrences, or different words before it where it has any.

    `found` and `longer` (W,) number the n-grams of this order and of the next, None at the highest.
    The start symbol alone is never predicted and counts 0.
    """
    ends = found >= 0
    occurrences = np.bincount(found[ends])
    if longer is None:
        counts = occurrences
    else:
        ends = longer >= 0
        rest = np.empty(int(longer.max()) + 1, np.int64)
        rest[longer[ends]] = found[ends]
        counts = np.bincount(rest, minlength=len(occurrences))
    # The first n-gram of a sentence ends n - 1 places after its start symbol.
    firsts = found[closed.starts[:-1][closed.lengths >= n] + n - 1]
    counts[firsts] = occurrences[firsts] if n > 1 else 0
    return counts


def _discounted(
    counts: NDArray[np.int64], found: NDArray[np.int32], context: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The share that each n-gram has of its context (G + 1,), and what each context hands down.

    `found` and `context` (W,) number the n-gram that ends at each word and its context. The last
    entry of both is for what was never seen: no share, and all handed down.
    """
    discounts = np.array((0.0, *_discounts(counts)))[np.minimum(counts, 3)]
    ends = found >= 0
    contexts = np.empty(len(counts), np.int64)
    contexts[found[ends]] = context[ends]
    counted = counts > 0
    totals = np.bincount(contexts[counted], counts[counted])
    freed = np.bincount(contexts[counted], discounts[counted])
    backoffs = np.ones(int(context.max()) + 2)
    seen = np.flatnonzero(totals)
    backoffs[seen] = freed[seen] / totals[seen]
    shares = np.zeros(len(counts) + 1)
    places = np.flatnonzero(counted)
    shares[places] = (counts - discounts)[places] / totals[contexts[places]]
    return shares, backoffs


def _discounts(counts: NDArray[np.int64]) -> tuple[float, float, float]:
    """What counts of 1, 2 and more lose, by Chen and Goodman's estimate.

    Few n-grams may leave it undefined, or outside of what a count has to lose: then it is fixed.
    """
    one, two, three, four = (float((counts == k).sum()) for k in (1, 2, 3, 4))
    if not min(one, two, three, four):
        return _FALLBACK
    ratio = one / (one + 2 * two)
    first, second, third = (
        1 - 2 * ratio * two / one,
        2 - 3 * ratio * three / two,
        3 - 4 * ratio * four / three,
    )
    if not (0 < first <= 1 and 0 < second <= 2 and 0 < third <= 3):
        return _FALLBACK
    return first, second, third
