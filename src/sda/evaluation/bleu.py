"""BLEU of samples against test sentences, and of samples against one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.bleu import References, self_bleu
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
    columns = references.bleu(samples).T
    signature = convention.sign(refs=len(references), hyps=len(samples), smooth="method1")
    return [
        Score(
            f"bleu-{n}",
            float(columns[n - 1].mean()),
            True,
            signature,
            standard_error(columns[n - 1]),
        )
        for n in orders
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
    their number; None keeps all. The scores of one set depend on one another, so they have no
    standard error.
    """
    drawn = draw(samples, limit, rng) if limit is not None and limit < len(samples) else samples
    means = self_bleu(drawn, max(orders)).mean(axis=0)
    facts: dict[str, object] = {"refs": len(drawn) - 1, "hyps": len(drawn), "of": len(samples)}
    if drawn is not samples:
        facts["seed"] = rng.initial_seed()
    signature = convention.sign(**facts, smooth="method1")
    return [Score(f"self-bleu-{n}", float(means[n - 1]), False, signature) for n in orders]


def draw(sentences: Flat, count: int, rng: torch.Generator) -> Flat:
    """`count` of the sentences, drawn without replacement and kept in their order."""
    chosen = np.sort(torch.randperm(len(sentences), generator=rng)[:count].numpy())
    return sentences.take(chosen)
