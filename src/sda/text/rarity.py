"""Which words are rare: one rule for those who count them and those who train for them."""

from __future__ import annotations

PAPER_THRESHOLD = 50
PAPER_SENTENCES = 278_686
SMALLEST_THRESHOLD = 3


def rare_threshold(sentences: int) -> int:
    """The count below which a word is rare in so many training sentences: the paper's 50, scaled.

    50 belongs to 278,686 sentences. It shrinks with the data, down to 3, because in a small set
    nearly every word would be rare otherwise.

    >>> rare_threshold(278_686), rare_threshold(120_000), rare_threshold(9_490)
    (50, 22, 3)
    """
    return max(SMALLEST_THRESHOLD, round(PAPER_THRESHOLD * sentences / PAPER_SENTENCES))
