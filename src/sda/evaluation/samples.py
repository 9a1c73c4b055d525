"""All scores that samples have by themselves and beside test and training sentences."""

from __future__ import annotations

import torch

from sda.evaluation.bleu import SELF_BLEU_LIMIT, bleu_scores, self_bleu_scores
from sda.evaluation.diversity import (
    copy_share,
    distinct,
    duplicate_share,
    mean_length,
    repetition,
)
from sda.evaluation.score import PLAIN, Convention, Score
from sda.text.bleu import References
from sda.text.sentences import Flat

DISTINCT_ORDERS = (1, 2, 3, 4)
REPETITION_ORDER = 3


def sample_scores(
    samples: Flat,
    references: References,
    train: Flat | None,
    rng: torch.Generator,
    self_bleu_limit: int | None = SELF_BLEU_LIMIT,
    convention: Convention = PLAIN,
) -> list[Score]:
    """BLEU, self-BLEU, distinct n-grams, length, duplicates, copies and repetition.

    Self-BLEU needs two samples, and distinct-n and seq-rep-n one of n words: without them they are
    absent, since no number would be true. The copy share needs training sentences.
    """
    longest = int(samples.lengths.max())
    scores = bleu_scores(samples, references, convention=convention)
    if len(samples) > 1:
        scores += self_bleu_scores(samples, rng, self_bleu_limit, convention=convention)
    scores += [distinct(samples, n, convention) for n in DISTINCT_ORDERS if n <= longest]
    scores.append(mean_length(samples, convention))
    scores.append(duplicate_share(samples, convention))
    if train is not None:
        scores.append(copy_share(samples, train, convention))
    if longest >= REPETITION_ORDER:
        scores.append(repetition(samples, REPETITION_ORDER, convention))
    return scores
