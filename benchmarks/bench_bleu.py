"""BLEU and self-BLEU from texts, against fast-bleu and nltk.

Ours starts from strings, so that cutting them into words and numbering those is counted; the others
are given lists of words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from fast_bleu import BLEU, SelfBLEU
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from numpy.typing import NDArray

from benchmarks.harness import Row, compare, cpu_seconds
from sda.evaluation.encoder import encode_texts
from sda.text.sentence_bleu import References, self_bleu

SENTENCES = 10_000
SELF_SENTENCES = 2_000
# nltk takes about 0.3 s for each hypothesis.
NLTK_PART = 8
WEIGHTS = {n: (1 / n,) * n for n in (2, 3, 4, 5)}
METHOD1 = SmoothingFunction().method1

Words = Sequence[str]


def rows() -> list[Row]:
    rng = np.random.default_rng(0)
    return [*bleu_rows(texts(rng), texts(rng)), *self_bleu_rows(texts(rng)[:SELF_SENTENCES])]


def texts(rng: np.random.Generator) -> list[str]:
    """Sentences of 10 to 12 words; word k of 5,000 is drawn in proportion to 1 / k."""
    frequencies = 1 / np.arange(1, 5001)
    ids = rng.choice(5000, (SENTENCES, 12), p=frequencies / frequencies.sum())
    lengths = rng.integers(10, 13, SENTENCES)
    return [
        " ".join(f"w{word}" for word in row[:length])
        for row, length in zip(ids.tolist(), lengths.tolist(), strict=True)
    ]


def bleu_rows(references: list[str], hypotheses: list[str]) -> list[Row]:
    split_references = [text.split() for text in references]
    split_hypotheses = [text.split() for text in hypotheses]

    def ours() -> NDArray[np.float64]:
        known, tried = encode_texts(references, hypotheses)
        return References(known).bleu(tried)[:, 1:]

    def fast() -> NDArray[np.float64]:
        scores = BLEU(split_references, WEIGHTS).get_score(split_hypotheses)
        return np.array([scores[n] for n in WEIGHTS]).T

    def nltk() -> NDArray[np.float64]:
        return np.array([by_nltk(split_references, h) for h in split_hypotheses[:NLTK_PART]])

    scores = ours()
    # fast-bleu itself agrees with nltk to about 1e-8 only.
    assert np.abs(scores - fast()).max() < 1e-6
    assert np.abs(scores[:NLTK_PART] - nltk()).max() < 1e-9
    ours_seconds, fast_seconds = compare(ours, fast)
    nltk_seconds = cpu_seconds(nltk) * SENTENCES / NLTK_PART
    size = f"{SENTENCES:,} against {SENTENCES:,}, construction included"
    return [
        Row("BLEU-2..5, fast-bleu", ours_seconds, fast_seconds, 20.0, size),
        Row(
            "BLEU-2..5, nltk",
            ours_seconds,
            nltk_seconds,
            None,
            f"{size}; nltk timed on {NLTK_PART} and scaled",
        ),
    ]


def self_bleu_rows(sentences: list[str]) -> list[Row]:
    split = [text.split() for text in sentences]

    def ours() -> NDArray[np.float64]:
        (ids,) = encode_texts(sentences)
        return self_bleu(ids)[:, 1:]

    def fast() -> NDArray[np.float64]:
        scores = SelfBLEU(split, WEIGHTS).get_score()
        return np.array([scores[n] for n in WEIGHTS]).T

    def nltk() -> NDArray[np.float64]:
        return np.array(
            [
                by_nltk(split[:place] + split[place + 1 :], split[place])
                for place in range(NLTK_PART)
            ]
        )

    scores = ours()
    assert np.abs(scores[:NLTK_PART] - nltk()).max() < 1e-9
    differing = int((np.abs(scores - fast()).max(axis=1) > 1e-6).sum())
    ours_seconds, fast_seconds = compare(ours, fast)
    nltk_seconds = cpu_seconds(nltk) * len(sentences) / NLTK_PART
    size = f"{len(sentences):,} sentences"
    return [
        Row(
            "self-BLEU-2..5, fast-bleu",
            ours_seconds,
            fast_seconds,
            20.0,
            f"{size}; fast-bleu is known to be wrong in places, here in {differing}",
        ),
        Row(
            "self-BLEU-2..5, nltk",
            ours_seconds,
            nltk_seconds,
            None,
            f"{size}; nltk timed on {NLTK_PART} and scaled",
        ),
    ]


def by_nltk(references: Sequence[Words], hypothesis: Words) -> list[float]:
    return list(
        sentence_bleu(references, hypothesis, list(WEIGHTS.values()), smoothing_function=METHOD1)
    )
