"""What sentences share with others: runs of words that both have, and the most similar sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sda.text.compiled import Ids, Numbers, Weights, compiled
from sda.text.ngrams import Pairs, number_ngrams
from sda.text.sentences import Flat


def copied_runs(sentences: Flat, source: Flat) -> Iterator[NDArray[np.int64]]:
    """For n = 1, 2, ... the places of the words that end a run of n words copied from the source.

    A run is copied if one sentence of the source has the same n words in a row. A longer run can
    only be copied where the shorter one is, so each round looks at those places alone, on both
    sides, and the last round is the one of the longest copied run.
    """
    places, prefixes = _all_places(sentences)
    source_places, source_prefixes = _all_places(source)
    while places.size:
        pairs, numbers = Pairs.of(prefixes, sentences.ids[places])
        found = pairs.find(source_prefixes, source.ids[source_places])
        hits = found >= 0
        is_known = np.zeros(pairs.size, np.bool_)
        is_known[found[hits]] = True
        copied = is_known[numbers]
        if not copied.any():
            return
        yield places[copied]
        places, prefixes = _one_word_on(sentences, places[copied], numbers[copied])
        source_places, source_prefixes = _one_word_on(source, source_places[hits], found[hits])


def most_similar(sentences: Flat, source: Flat) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each sentence the most similar one of the source, and how similar it is (B,), (B,).

    The similarity is the Jaccard index of the two sets of words and word pairs: 1 for equal
    sentences, 0 if no word is common. The first of equally similar ones is taken. Each source
    sentence is compared with all sentences that share something with it, so that the time grows
    with the product of both numbers, and the memory with their sum.
    """
    if not len(source):
        raise ValueError("there is no sentence to be similar to")
    together = Flat.join(sentences, source)
    (words, pairs), (word_numbers, pair_numbers) = number_ngrams(together, 2)
    # Both orders in one array (2 W,): word after word, its own number before that of its pair.
    pair_numbers[pair_numbers >= 0] += words.size
    items = np.stack((word_numbers, pair_numbers), axis=1).ravel()
    starts = 2 * together.starts
    _keep_first(items, starts, words.size + pairs.size)
    own, cut = items[: starts[len(sentences)]], starts[len(sentences) :]
    owners = np.repeat(np.arange(len(sentences)), 2 * sentences.lengths)[own >= 0]
    order = np.argsort(own[own >= 0], kind="stable")
    first = np.searchsorted(own[own >= 0][order], np.arange(words.size + pairs.size + 1))
    sizes = np.bincount(owners, minlength=len(sentences))
    return _best(items, cut, owners[order], first, sizes)


def _all_places(sentences: Flat) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Every word, after the run of no words."""
    return np.arange(len(sentences.ids)), np.zeros(len(sentences.ids), np.int32)


def _one_word_on(
    sentences: Flat, places: NDArray[np.int64], numbers: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The next words of the same sentences, and the number of the run before each."""
    is_first = np.zeros(len(sentences.ids) + 1, np.bool_)
    is_first[sentences.starts] = True
    inside = ~is_first[places + 1]
    return places[inside] + 1, numbers[inside]


@compiled
def _keep_first(items: Ids, starts: Numbers, distinct: int) -> None:
    """Set every item to -1 that its sentence had before."""
    last = np.full(distinct, -1, np.int64)
    for sentence in range(len(starts) - 1):
        for place in range(starts[sentence], starts[sentence + 1]):
            item = items[place]
            if item >= 0 and last[item] == sentence:
                items[place] = -1
            elif item >= 0:
                last[item] = sentence


@compiled
def _best(
    items: Ids, starts: Numbers, holders: Numbers, first: Numbers, sizes: Numbers
) -> tuple[Numbers, Weights]:
    """For each set of `sizes` (B,) the sentence of `starts` with the highest Jaccard index.

    Item i is held by the sets `holders[first[i]:first[i + 1]]`.
    """
    best = np.zeros(len(sizes), np.int64)
    similarity = np.zeros(len(sizes), np.float64)
    shared = np.zeros(len(sizes), np.int64)
    for sentence in range(len(starts) - 1):
        shared[:] = 0
        size = 0
        for place in range(starts[sentence], starts[sentence + 1]):
            item = items[place]
            if item >= 0:
                size += 1
                for holder in holders[first[item] : first[item + 1]]:
                    shared[holder] += 1
        for other in range(len(sizes)):
            if shared[other] > 0:
                value = shared[other] / (sizes[other] + size - shared[other])
                if value > similarity[other]:
                    similarity[other] = value
                    best[other] = sentence
    return best, similarity
