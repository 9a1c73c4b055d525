"""How varied samples are, how long, and how many repeat a sentence or themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.count_intervals import entropy, variety
from sda.evaluation.interval import Interval, mean_interval
from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.ngrams import number_sentences, occurrences
from sda.text.parted_ngrams import Ngrams
from sda.text.sentences import Flat


def distinct(samples: Flat | Ngrams, n: int, convention: Convention = PLAIN) -> Score:
    """The share of distinct n-grams among all n-grams of all samples together.

    It falls with the number of samples.
    """
    name = f"distinct-{n}"
    hyps, ngrams = _ngrams(samples, n, name)
    signature = convention.sign(hyps=hyps, ngrams=len(ngrams.ids), ci="jackknife")
    value, interval = variety(_share, ngrams)
    return Score(name, value, True, signature, interval=as_share(interval))


def ngram_entropy(samples: Flat | Ngrams, n: int, convention: Convention = PLAIN) -> Score:
    """The entropy, in nats, of the n-grams of all samples together, each as likely as it is often.

    Unlike distinct-n it sees how evenly the n-grams are used. It grows with the number of samples
    and is at most the logarithm of the number of n-grams.
    """
    name = f"ngram-entropy-{n}"
    hyps, ngrams = _ngrams(samples, n, name)
    signature = convention.sign(hyps=hyps, ngrams=len(ngrams.ids), ci="jackknife")
    value, interval = entropy(ngrams)
    return Score(name, value, True, signature, interval=interval)


def repetition(samples: Flat | Ngrams, n: int = 3, convention: Convention = PLAIN) -> Score:
    """seq-rep-n: the share of n-grams that repeat an earlier one of their sample, averaged.

    The mean is over the samples that have an n-gram at all.
    """
    ngrams = _numbered(samples)
    samples = ngrams.sentences
    totals = np.maximum(samples.lengths - n + 1, 0)
    kept = totals > 0
    if not kept.any():
        raise ValueError(f"seq-rep-{n} needs a sample of at least {n} words")
    new = np.concatenate(([0], np.cumsum(occurrences(ngrams.numbers(n), samples) == 1)))
    distinct_counts = np.diff(new[samples.starts])
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
    value, interval = variety(lambda distinct, size: 1.0 - _share(distinct, size), numbers)
    return Score("duplicate-share", value, False, signature, interval=as_share(interval))


def as_share(interval: Interval | None) -> Interval | None:
    """The interval of a share, cut off at 0 and 1."""
    return None if interval is None else (max(interval[0], 0.0), min(interval[1], 1.0))


def require_samples(samples: Flat) -> None:
    """Refuse a set without sentences."""
    if not len(samples):
        raise ValueError("a score needs at least one sample")


def _numbered(samples: Flat | Ngrams) -> Ngrams:
    return samples if isinstance(samples, Ngrams) else Ngrams(samples)


def _ngrams(samples: Flat | Ngrams, n: int, name: str) -> tuple[int, Flat]:
    """How many samples there are, and the numbers of the n-grams in place of the words, without the
    samples that have none."""
    ngrams = _numbered(samples)
    totals = np.maximum(ngrams.sentences.lengths - n + 1, 0)
    if not totals.any():
        raise ValueError(f"{name} needs a sample of at least {n} words")
    numbers, starts = ngrams.numbers(n), np.concatenate(([0], np.cumsum(totals[totals > 0])))
    return len(totals), Flat(numbers if n == 1 else numbers[numbers >= 0], starts)


def _share(distinct: int, total: int) -> float:
    return distinct / total
