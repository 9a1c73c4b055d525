"""BLEU word by word from its definition: slow, short, and the second opinion of the tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

Words = Sequence[object]


def sentence_bleu(references: Sequence[Words], hypothesis: Words, order: int) -> float:
    """BLEU-`order` of one hypothesis, with 0.1 in place of a zero count."""
    if not set(hypothesis) & {word for reference in references for word in reference}:
        return 0.0
    logs = [math.log(_precision(references, hypothesis, n)) for n in range(1, order + 1)]
    closest = min((abs(len(r) - len(hypothesis)), len(r)) for r in references)[1]
    brevity = min(0.0, 1.0 - closest / len(hypothesis))
    return math.exp(brevity + sum(logs) / order)


def self_bleu(sentences: Sequence[Words], order: int) -> list[float]:
    """BLEU-`order` of each sentence against all the others."""
    return [
        sentence_bleu([*sentences[:place], *sentences[place + 1 :]], sentence, order)
        for place, sentence in enumerate(sentences)
    ]


def _precision(references: Sequence[Words], hypothesis: Words, n: int) -> float:
    counts = _ngrams(hypothesis, n)
    kept = sum(
        min(count, max(_ngrams(reference, n)[ngram] for reference in references))
        for ngram, count in counts.items()
    )
    return (kept or 0.1) / max(1, counts.total())


def _ngrams(words: Words, n: int) -> Counter[tuple[object, ...]]:
    return Counter(tuple(words[start : start + n]) for start in range(len(words) - n + 1))
