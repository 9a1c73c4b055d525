"""How varied samples are, how long, and how many repeat a sentence or themselves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.interval import Interval, mean_interval, set_interval
from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.ngrams import number_ngrams, number_sentences
from sda.text.sentences import Flat


def distinct(samples: Flat, n: int, convention: Convention = PLAIN) -> Score:
    """The share of distinct n-grams among all n-grams of all samples together.

    It falls with the number of samples.
    """
    name = f"distinct-{n}"
    ngrams = _ngrams(samples, n, name)
    signature = convention.sign(hyps=len(samples), ngrams=len(ngrams.ids), ci="jackknife")
    interval = share_interval(_distinct_share, ngrams)
    return Score(name, _distinct_share(ngrams), True, signature, interval=interval)


def ngram_entropy(samples: Flat, n: int, convention: Convention = PLAIN) -> Score:
    """The entropy, in nats, of the n-grams of all samples together, each as likely as it is often.

    Unlike distinct-n it sees how evenly the n-grams are used. It grows with the number of samples
    and is at most the logarithm of the number of n-grams.
    """
    name = f"ngram-entropy-{n}"
    ngrams = _ngrams(samples, n, name)
    signature = convention.sign(hyps=len(samples), ngrams=len(ngrams.ids), ci="jackknife")
    interval = set_interval(_entropy, ngrams)
    return Score(name, _entropy(ngrams), True, signature, interval=interval)


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
    signature = convention.sign(hyps=int(kept.sum()), of=len(samples), ci="bootstrap")
    return _mean_score(f"seq-rep-{n}", shares, False, signature)


def mean_length(samples: Flat, convention: Convention = PLAIN) -> Score:
    """The mean number of words."""
    require_samples(samples)
    lengths = samples.lengths.astype(np.float64)
    signature = convention.sign(hyps=len(samples), ci="bootstrap")
    return _mean_score("length", lengths, None, signature)


def _mean_score(
    name: str, values: NDArray[np.float64], higher_is_better: bool | None, signature: str
) -> Score:
    """The mean over samples, with its error and interval."""
    mean, error = float(values.mean()), standard_error(values)
    return Score(name, mean, higher_is_better, signature, error, mean_interval(values))


def duplicate_share(samples: Flat, convention: Convention = PLAIN) -> Score:
    """1 - distinct samples / samples: 0 if no two are equal. It grows with their number."""
    require_samples(samples)
    # A sentence stands for itself, as a set of one number.
    numbers = Flat(number_sentences(samples), np.arange(len(samples) + 1))
    signature = convention.sign(hyps=len(samples), formula="1-distinct/all", ci="jackknife")
    value = 1.0 - _distinct_share(numbers)
    interval = share_interval(lambda some: 1.0 - _distinct_share(some), numbers)
    return Score("duplicate-share", value, False, signature, interval=interval)


def share_interval(share: Callable[[Flat], float], samples: Flat) -> Interval | None:
    """The jackknife interval of a share of the whole set, cut off at 0 and 1."""
    interval = set_interval(share, samples)
    return None if interval is None else (max(interval[0], 0.0), min(interval[1], 1.0))


def require_samples(samples: Flat) -> None:
    """Refuse a set without sentences."""
    if not len(samples):
        raise ValueError("a score needs at least one sample")


def _ngrams(samples: Flat, n: int, name: str) -> Flat:
    """The numbers of the n-grams in place of the words, without the samples that have none."""
    totals = np.maximum(samples.lengths - n + 1, 0)
    if not totals.any():
        raise ValueError(f"{name} needs a sample of at least {n} words")
    numbers = number_ngrams(samples, n)[1][-1]
    return Flat(numbers[numbers >= 0], np.concatenate(([0], np.cumsum(totals[totals > 0]))))


def _distinct_share(numbers: Flat) -> float:
    return np.count_nonzero(np.bincount(numbers.ids)) / len(numbers.ids)


def _entropy(numbers: Flat) -> float:
    counts = np.bincount(numbers.ids)
    counts = counts[counts > 0]
    return float(np.log(counts.sum()) - (counts * np.log(counts)).sum() / counts.sum())
