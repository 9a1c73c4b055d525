"""All scores that samples have by themselves and beside test and training sentences."""

from __future__ import annotations

import torch

from sda.evaluation.bleu_scores import (
    SELF_BLEU_LIMIT,
    bleu_scores,
    reverse_bleu_scores,
    self_bleu_scores,
)
from sda.evaluation.diversity import (
    distinct,
    duplicate_share,
    mean_length,
    ngram_entropy,
    repetition,
)
from sda.evaluation.novelty import copy_share, novelty_scores, train_bleu_scores
from sda.evaluation.score import PLAIN, Convention, Score
from sda.evaluation.words import length_distance, length_scores, rare_word_scores, type_count
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat

DISTINCT_ORDERS = (1, 2, 3, 4)
ENTROPY_ORDERS = (2, 3, 4)
REPETITION_ORDER = 3
BRIEF_BLEU_ORDER = 3
BRIEF_DISTINCT_ORDER = 2


def sample_scores(
    samples: Flat,
    references: References,
    train: Flat | None,
    rng: torch.Generator,
    self_bleu_limit: int | None = SELF_BLEU_LIMIT,
    convention: Convention = PLAIN,
    *,
    test: Flat | None = None,
) -> list[Score]:
    """Quality, diversity, vocabulary and lengths; with training sentences also novelty.

    `test`, the sentences behind `references`, adds what is measured on them: reverse BLEU and the
    distance of lengths. Self-BLEU needs two samples, and a score of n-grams needs a sample of n
    words: without them they are absent, since no number would be true.
    """
    longest = int(samples.lengths.max())
    scores = bleu_scores(samples, references, convention=convention)
    if len(samples) > 1:
        scores += self_bleu_scores(samples, rng, self_bleu_limit, convention=convention)
    scores += [distinct(samples, n, convention) for n in DISTINCT_ORDERS if n <= longest]
    scores += [ngram_entropy(samples, n, convention) for n in ENTROPY_ORDERS if n <= longest]
    scores.append(duplicate_share(samples, convention))
    if longest >= REPETITION_ORDER:
        scores.append(repetition(samples, REPETITION_ORDER, convention))
    scores += [type_count(samples, convention), mean_length(samples, convention)]
    scores += length_scores(samples, convention)
    if test is not None:
        scores.append(length_distance(samples, test, convention))
        scores += reverse_bleu_scores(test, samples, convention=convention)
    if train is not None and len(train):
        scores += _training_scores(samples, references, train, rng.initial_seed(), convention)
    return scores


def brief_scores(
    samples: Flat,
    references: References,
    rng: torch.Generator,
    self_bleu_limit: int | None = SELF_BLEU_LIMIT,
) -> list[Score]:
    """A few of the scores, for a look at a model while it is trained."""
    scores = bleu_scores(samples, references, (BRIEF_BLEU_ORDER,))
    if len(samples) > 1:
        scores += self_bleu_scores(samples, rng, self_bleu_limit, (BRIEF_BLEU_ORDER,))
    if samples.lengths.max() >= BRIEF_DISTINCT_ORDER:
        scores.append(distinct(samples, BRIEF_DISTINCT_ORDER))
    return [*scores, mean_length(samples), duplicate_share(samples)]


def _training_scores(
    samples: Flat, references: References, train: Flat, seed: int, convention: Convention
) -> list[Score]:
    """Novelty and rare words; BLEU against as many training sentences as there are references."""
    scores = [copy_share(samples, train, convention)]
    scores += novelty_scores(samples, train, convention=convention)
    scores += train_bleu_scores(samples, train, len(references), seed, convention=convention)
    if len(samples.ids):
        scores += rare_word_scores(samples, train, convention=convention)
    return scores
