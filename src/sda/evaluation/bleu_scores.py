"""BLEU of samples against test sentences, the other way round, and against one another.

Intervals come from resampling the sentences that are scored; what they are compared with is held
fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from sda.evaluation.interval import mean_interval
from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.sentence_bleu import References, self_bleu
from sda.text.sentences import Flat

ORDERS = (2, 3, 4, 5)
SELF_BLEU_LIMIT = 2000


def bleu_scores(
    samples: Flat,
    references: Flat | References,
    orders: Sequence[int] = ORDERS,
    convention: Convention = PLAIN,
) -> list[Score]:
    """The mean BLEU-n of the samples for each order; an empty sample counts as 0."""
    if not len(samples):
        raise ValueError("BLEU needs at least one sample")
    if isinstance(references, Flat):
        references = References(references, max(orders))
    signature = convention.sign(
        refs=len(references), hyps=len(samples), smooth="method1", ci="bootstrap"
    )
    return mean_scores("bleu", references.bleu(samples), orders, True, signature)


def reverse_bleu_scores(
    real: Flat, samples: Flat, orders: Sequence[int] = ORDERS, convention: Convention = PLAIN
) -> list[Score]:
    """The mean BLEU-n of real sentences against the samples: how much of real text they cover.

    It grows with the number of samples.
    """
    if not len(real):
        raise ValueError("reverse BLEU needs at least one real sentence")
    references = References(real, max(orders), both_ways=True)
    return both_bleu_scores(samples, references, (), orders, convention)


def both_bleu_scores(
    samples: Flat,
    references: References,
    orders: Sequence[int],
    reverse_orders: Sequence[int],
    convention: Convention = PLAIN,
) -> list[Score]:
    """`bleu_scores` and `reverse_bleu_scores` from one comparison."""
    found, reverse = references.bleu_both_ways(samples)
    signature, reverse_signature = (
        convention.sign(refs=refs, hyps=hyps, smooth="method1", ci="bootstrap")
        for refs, hyps in ((len(references), len(samples)), (len(samples), len(references)))
    )
    return [
        *mean_scores("bleu", found, orders, True, signature),
        *mean_scores("reverse-bleu", reverse, reverse_orders, True, reverse_signature),
    ]


def self_bleu_scores(
    samples: Flat,
    rng: torch.Generator,
    limit: int | None = SELF_BLEU_LIMIT,
    orders: Sequence[int] = ORDERS,
    convention: Convention = PLAIN,
) -> list[Score]:
    """The mean BLEU-n of each sample against the others for each order, leaving itself out.

    More samples than `limit` are thinned to that many, drawn by `rng`, because self-BLEU grows with
    their number; None keeps all. The samples are one another's references, so their scores depend
    on one another: there is no standard error, and the interval takes the references as given.
    """
    drawn = draw(samples, limit, rng) if limit is not None and limit < len(samples) else samples
    facts: dict[str, object] = {"refs": len(drawn) - 1, "hyps": len(drawn), "of": len(samples)}
    if drawn is not samples:
        facts["seed"] = rng.initial_seed()
    signature = convention.sign(**facts, smooth="method1", ci="bootstrap-fixed-refs")
    scores = mean_scores("self-bleu", self_bleu(drawn, max(orders)), orders, False, signature)
    return [replace(score, standard_error=None) for score in scores]


def mean_scores(
    name: str,
    values: NDArray[np.float64],
    orders: Sequence[int],
    higher_is_better: bool | None,
    signature: str,
) -> list[Score]:
    """`name-n` for each order: the mean of column n - 1 of `values` (H, orders)."""
    columns = np.ascontiguousarray(values.T)
    return [
        Score(
            f"{name}-{n}",
            float(columns[n - 1].mean()),
            higher_is_better,
            signature,
            standard_error(columns[n - 1]),
            mean_interval(columns[n - 1]),
        )
        for n in orders
    ]


def draw(sentences: Flat, count: int, rng: torch.Generator) -> Flat:
    """`count` of the sentences, drawn without replacement and kept in their order."""
    chosen = np.sort(torch.randperm(len(sentences), generator=rng)[:count].numpy())
    return sentences.take(chosen)
