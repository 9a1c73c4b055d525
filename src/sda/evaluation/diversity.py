"""How varied samples are, how long, and how many repeat or copy a sentence."""

from __future__ import annotations

import numpy as np

from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.ngrams import number_ngrams, number_sentences
from sda.text.sentences import Flat


def distinct(samples: Flat, n: int, convention: Convention = PLAIN) -> Score:
    """The share of distinct n-grams among all n-grams of all samples together."""
    tables, numbers = number_ngrams(samples, n)
    total = int((numbers[-1] >= 0).sum())
    if not total:
        raise ValueError(f"distinct-{n} needs a sample of at least {n} words")
    signature = convention.sign(hyps=len(samples), ngrams=total)
    return Score(f"distinct-{n}", tables[-1].size / total, True, signature)


def repetition(samples: Flat, n: int = 3, convention: Convention = PLAIN) -> Score:
    """seq-rep-n: the share of n-grams that repeat an earlier one of their sample, averaged.

    The mean is over the samples that have an n-gram at all.
    """
    totals = np.maximum(samples.lengths - n + 1, 0)
    kept = totals > 0
    if not kept.any():
        raise ValueError(f"seq-rep-{n} needs a sample of at least {n} words")
    numbers = number_ngrams(samples, n)[1][-1].astype(np.int64)
    owners = np.repeat(np.arange(len(samples)), samples.lengths)
    ends = numbers >= 0
    pairs = np.unique(owners[ends] * (numbers.max() + 1) + numbers[ends])
    distinct_counts = np.bincount(pairs // (numbers.max() + 1), minlength=len(samples))
    shares = 1.0 - distinct_counts[kept] / totals[kept]
    signature = convention.sign(hyps=int(kept.sum()), of=len(samples))
    value = float(shares.mean())
    return Score(f"seq-rep-{n}", value, False, signature, standard_error(shares))


def mean_length(samples: Flat, convention: Convention = PLAIN) -> Score:
    """The mean number of words."""
    _require(samples)
    lengths = samples.lengths.astype(np.float64)
    signature = convention.sign(hyps=len(samples))
    return Score("length", float(lengths.mean()), None, signature, standard_error(lengths))


def duplicate_share(samples: Flat, convention: Convention = PLAIN) -> Score:
    """1 - distinct samples / samples: 0 if no two are equal."""
    _require(samples)
    different = len(np.unique(number_sentences(samples)))
    signature = convention.sign(hyps=len(samples), formula="1-distinct/all")
    return Score("duplicate-share", 1.0 - different / len(samples), False, signature)


def copy_share(samples: Flat, train: Flat, convention: Convention = PLAIN) -> Score:
    """The share of samples that equal a training sentence word for word."""
    _require(samples)
    numbers = number_sentences(Flat.join(train, samples))
    copies = np.isin(numbers[len(train) :], numbers[: len(train)])
    signature = convention.sign(train=len(train), hyps=len(samples))
    value = float(copies.mean())
    return Score("copy-share", value, False, signature, standard_error(copies.astype(np.float64)))


def _require(samples: Flat) -> None:
    if not len(samples):
        raise ValueError("a score needs at least one sample")
