"""Which sentences of a ranked list say nearly the same as a better one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sda.text.compiled import compiled
from sda.text.ngrams import number_ngrams
from sda.text.sentences import Flat


def keep_dissimilar(ranked: Flat, limit: float) -> NDArray[np.int64]:
    """Indices of the sentences whose bigrams overlap less than `limit` with every one kept before.

    The overlap is the Jaccard index of the two sets of bigrams. Sentences of one word have none
    and are always kept.
    """
    bigrams = number_ngrams(ranked, 2)[1][-1]
    owners = np.repeat(np.arange(len(ranked)), ranked.lengths)
    real = bigrams >= 0
    pairs = np.unique(np.stack((owners[real], bigrams[real]), 1), axis=0)
    starts = np.searchsorted(pairs[:, 0], np.arange(len(ranked) + 1))
    return _keep(pairs[:, 1].astype(np.int64), starts.astype(np.int64), limit)


@compiled
def _keep(sets: NDArray[np.int64], starts: NDArray[np.int64], limit: float) -> NDArray[np.int64]:
    """Each sorted set against every kept one; sizes too far apart are skipped unread."""
    kept = np.empty(len(starts) - 1, np.int64)
    count = 0
    for i in range(len(starts) - 1):
        size = starts[i + 1] - starts[i]
        alike = False
        for k in range(count):
            j = kept[k]
            other = starts[j + 1] - starts[j]
            if size == 0 or min(size, other) < limit * max(size, other):
                continue
            a, b, shared = starts[i], starts[j], 0
            while a < starts[i + 1] and b < starts[j + 1]:
                if sets[a] == sets[b]:
                    shared += 1
                    a += 1
                    b += 1
                elif sets[a] < sets[b]:
                    a += 1
                else:
                    b += 1
            if shared >= limit * (size + other - shared):
                alike = True
                break
        if not alike:
            kept[count] = i
            count += 1
    return kept[:count]
