"""What samples take over from the training sentences: whole sentences, runs of words, n-grams.

Human text repeats itself too, so no figure says much until the same one for held-out human text,
against the same training sentences, stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from sda.evaluation.bleu_scores import ORDERS, draw, mean_scores
from sda.evaluation.diversity import require_samples
from sda.evaluation.interval import mean_interval, ratio_interval
from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.copies import copied_runs, most_similar
from sda.text.ngrams import number_sentences
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat

NOVELTY_ORDERS = (1, 2, 3, 4, 5, 6)


def copy_share(samples: Flat, train: Flat, convention: Convention = PLAIN) -> Score:
    """The share of samples that equal a training sentence word for word."""
    require_samples(samples)
    numbers = number_sentences(Flat.join(train, samples))
    copies = np.isin(numbers[len(train) :], numbers[: len(train)]).astype(np.float64)
    signature = convention.sign(train=len(train), hyps=len(samples), ci="bootstrap")
    return Score(
        "copy-share",
        float(copies.mean()),
        False,
        signature,
        standard_error(copies),
        mean_interval(copies),
    )


def novelty_scores(
    samples: Flat,
    train: Flat,
    orders: Sequence[int] = NOVELTY_ORDERS,
    convention: Convention = PLAIN,
) -> list[Score]:
    """The longest copied spans, and the share of new n-grams for each order.

    The copied span of a sample is the longest run of its words that one training sentence has:
    `copied-span` is the mean over samples, `copied-span-max` the longest of all. `novelty-n` is the
    share of the samples' n-grams that no training sentence has; an order that no sample reaches is
    left out. Both sides depend on the number of training sentences.
    """
    require_samples(samples)
    owners = np.repeat(np.arange(len(samples)), samples.lengths)
    spans = np.zeros(len(samples))
    copied = {n: np.zeros(len(samples)) for n in orders}
    for n, ends in enumerate(copied_runs(samples, train), 1):
        spans[owners[ends]] = n
        if n in copied:
            copied[n] += np.bincount(owners[ends], minlength=len(samples))
    facts: dict[str, object] = {"train": len(train), "hyps": len(samples)}
    signature = convention.sign(**facts, ci="bootstrap")
    scores = [
        Score(
            "copied-span",
            float(spans.mean()),
            None,
            signature,
            standard_error(spans),
            mean_interval(spans),
        ),
        Score("copied-span-max", float(spans.max()), None, convention.sign(**facts)),
    ]
    for n in orders:
        totals = np.maximum(samples.lengths - n + 1, 0).astype(np.float64)
        if not totals.any():
            continue
        fresh = totals - copied[n]
        signature = convention.sign(**facts, ngrams=int(totals.sum()), ci="bootstrap")
        value = float(fresh.sum() / totals.sum())
        interval = ratio_interval(fresh, totals)
        scores.append(Score(f"novelty-{n}", value, None, signature, interval=interval))
    return scores


def train_bleu_scores(
    samples: Flat,
    train: Flat,
    count: int,
    seed: int = 0,
    orders: Sequence[int] = ORDERS,
    convention: Convention = PLAIN,
) -> list[Score]:
    """`train-bleu-n`: the mean BLEU-n of the samples against `count` training sentences.

    They are drawn by seed; a smaller training set is taken whole. BLEU grows with the number of
    references, so the figure may be held against test BLEU only where both signatures have the
    same `refs`.
    """
    return _drawn_bleu("train-bleu", samples, train, count, seed, orders, convention)


@dataclass(frozen=True)
class Nearest:
    """A sample and the training sentence most similar to it, by their numbers.

    `similarity` is the Jaccard index of their sets of words and word pairs: 1 for a copy, and 0 if
    no training sentence has a word of the sample, so that none is near.
    """

    sample: int
    train: int
    similarity: float


def nearest(samples: Flat, train: Flat, count: int, seed: int = 0) -> list[Nearest]:
    """`count` samples drawn by seed, in their order, each with the nearest training sentence.

    Samples without a word are not drawn; if fewer than `count` are left, these are all.
    """
    written = np.flatnonzero(samples.lengths)
    rng = torch.Generator().manual_seed(seed)
    chosen = written[np.sort(torch.randperm(len(written), generator=rng)[:count].numpy())]
    best, similarity = most_similar(samples.take(chosen), train)
    rows = zip(chosen.tolist(), best.tolist(), similarity.tolist(), strict=True)
    return [Nearest(*row) for row in rows]


def _drawn_bleu(
    name: str,
    samples: Flat,
    sentences: Flat,
    count: int,
    seed: int,
    orders: Sequence[int],
    convention: Convention,
) -> list[Score]:
    """BLEU against `count` of the sentences, or all where they are fewer."""
    require_samples(samples)
    facts: dict[str, object] = {"refs": min(count, len(sentences)), "of": len(sentences)}
    if count < len(sentences):
        sentences = draw(sentences, count, torch.Generator().manual_seed(seed))
        facts["seed"] = seed
    values = References(sentences, max(orders)).bleu(samples)
    signature = convention.sign(**facts, hyps=len(samples), smooth="method1", ci="bootstrap")
    return mean_scores(name, values, orders, None, signature)
