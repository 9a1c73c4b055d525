"""Which words samples use, how rare ones fare, and how long the samples are.

Neither more rare words nor longer sentences are good in themselves: the aim is the figure of real
text, so only the distance to it has a better direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.count_intervals import variety
from sda.evaluation.diversity import as_share, require_samples
from sda.evaluation.interval import (
    mean_interval,
    quantile_interval,
    ratio_interval,
    set_interval,
)
from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.rarity import rare_threshold
from sda.text.sentences import Flat

QUANTILES = (5, 50, 95)


def rare_word_scores(
    samples: Flat, train: Flat, threshold: int | None = None, convention: Convention = PLAIN
) -> list[Score]:
    """How often rare words occur: in a share of sentences, of words, and how many different ones.

    A word is rare if the training sentences have it, but fewer than `threshold` times (as
    `rare_threshold` says unless given). A word they do not have is new, not rare (`novelty-1`).
    """
    if not len(samples.ids):
        raise ValueError("rates of rare words need a sample of at least one word")
    threshold = rare_threshold(len(train)) if threshold is None else threshold
    largest = max(samples.ids.max(), train.ids.max(initial=0))
    counts = np.bincount(train.ids, minlength=int(largest) + 1)
    is_rare = (counts > 0) & (counts < threshold)
    owners = np.repeat(np.arange(len(samples)), samples.lengths)
    used = np.bincount(owners[is_rare[samples.ids]], minlength=len(samples))
    uses = used.astype(np.float64)
    touched = (uses > 0).astype(np.float64)
    facts: dict[str, object] = {
        "train": len(train),
        "threshold": threshold,
        "hyps": len(samples),
        "words": len(samples.ids),
    }
    signature = convention.sign(**facts, ci="bootstrap")

    rare = Flat(samples.ids[is_rare[samples.ids]], np.concatenate(([0], np.cumsum(used))))
    types, types_interval = variety(_how_many, rare)
    return [
        Score(
            "rare-sentence-share",
            float(touched.mean()),
            None,
            signature,
            standard_error(touched),
            mean_interval(touched),
        ),
        Score(
            "rare-word-share",
            float(uses.sum() / len(samples.ids)),
            None,
            signature,
            interval=ratio_interval(uses, samples.lengths.astype(np.float64)),
        ),
        Score(
            "rare-types",
            types,
            None,
            convention.sign(**facts, ci="jackknife"),
            interval=types_interval,
        ),
    ]


def type_count(samples: Flat, convention: Convention = PLAIN) -> Score:
    """The number of different words of all samples together; it grows with their number."""
    require_samples(samples)
    signature = convention.sign(hyps=len(samples), words=len(samples.ids), ci="jackknife")
    value, interval = variety(_how_many, samples)
    return Score("types", value, None, signature, interval=interval)


def length_scores(samples: Flat, convention: Convention = PLAIN) -> list[Score]:
    """The standard deviation of the number of words, and its 5, 50 and 95 % quantiles.

    A quantile is the smallest length that so many per cent of the samples do not exceed.
    """
    require_samples(samples)
    lengths = samples.lengths.astype(np.float64)
    signature = convention.sign(hyps=len(samples), ci="jackknife")
    deviation = float(lengths.std())
    of_words = samples.lengths
    interval = set_interval(lambda kept: float(of_words[kept].std()), len(samples))
    scores = [Score("length-sd", deviation, None, signature, interval=interval)]
    signature = convention.sign(hyps=len(samples), ci="order-statistics")
    for percent in QUANTILES:
        value = float(np.percentile(lengths, percent, method="inverted_cdf"))
        interval = quantile_interval(lengths, percent / 100)
        name = f"length-q{percent:02}"
        scores.append(Score(name, value, None, signature, interval=interval))
    return scores


def length_distance(samples: Flat, real: Flat, convention: Convention = PLAIN) -> Score:
    """The total variation distance between the lengths of the samples and of real sentences.

    It is the share of samples that would need another length to match: 0 if both histograms are
    equal, 1 if they have no length in common. Chance alone keeps it above 0, the more so the fewer
    the sentences. The interval takes the real sentences as given.
    """
    require_samples(samples)
    require_samples(real)
    lengths = samples.lengths
    bins = int(max(lengths.max(), real.lengths.max())) + 1
    expected = np.bincount(real.lengths, minlength=bins) / len(real)

    def distance(some: NDArray[np.int64]) -> float:
        found = np.bincount(some, minlength=bins) / len(some)
        return float(np.abs(found - expected).sum() / 2)

    signature = convention.sign(real=len(real), hyps=len(samples), ci="jackknife")
    interval = as_share(set_interval(lambda kept: distance(lengths[kept]), len(samples)))
    return Score("length-distance", distance(lengths), False, signature, interval=interval)


def _how_many(distinct: int, _: int) -> float:
    return float(distinct)
