"""The metric tried on a few sentences before anything is trained: mistakes are told at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from sda.archive import TRIAL
from sda.randomness import seeded
from sda.reference.asking import AskedMetric, is_users, part_place
from sda.text.corpus import Corpus
from sda.text.sentences import Flat, Sentences


def try_metric(
    metric: AskedMetric, named: int, corpus: Corpus, count: int, seed: int, rng: torch.Generator
) -> list[str]:
    """The metric has scored `count` sentences; returns warnings, and raises what is wrong with it.

    The first `named` of its parts are those that the settings name. Neither `rng` nor torch's own
    random numbers are moved, whatever the metric does with them.
    """
    if not count:
        return []
    sentences = trial_sentences(corpus, count, seed)
    metric.archive.epoch = TRIAL
    tries, metric.tries = metric.tries, 1
    try:
        with _random_numbers_kept(rng):
            parts = metric(sentences).parts[:, :named]
    finally:
        metric.tries = tries
    return list(_alike(metric, parts))


def trial_sentences(corpus: Corpus, count: int, seed: int) -> Sentences:
    """Training sentences, and as many that are worse: words in another order, or all of them twice.

    Where `count` is odd there is one more of the first kind.
    """
    rng = seeded(seed, "trial")
    good = corpus.draw(count - count // 2, rng).to("cpu")
    eos = corpus.vocabulary.eos
    flat = good[: count // 2].flat(eos)
    words = [ids.tolist() for ids in np.split(flat.ids, flat.starts[1:-1])]
    longest = corpus.max_length - (0 if eos is None else 1)
    worse = [
        [line[place] for place in torch.randperm(len(line), generator=rng).tolist()]
        if number % 2 == 0 or len(line) == longest
        else (line + line)[:longest]
        for number, line in enumerate(words)
    ]
    made = Sentences.from_flat(Flat.from_lists(worse), eos)
    return Sentences.join([good, made.about(good[: count // 2].context)])


def _alike(metric: AskedMetric, parts: Tensor) -> Iterator[str]:
    """A warning for the metric, or a part of the user's own, that tells no sentence from another.

    A filter that lets all of these pass is nothing unusual, beside other parts.
    """
    if len(parts) < 2 or not parts.shape[1]:
        return
    places = [part_place(part) for _, part in metric.parts]
    if _is_constant(parts.sum(1)):
        yield _warning(metric.names[: parts.shape[1]], parts.sum(1), "".join(dict.fromkeys(places)))
        return
    for column, (_, part) in enumerate(metric.parts[: parts.shape[1]]):
        if is_users(part) and _is_constant(parts[:, column]):
            yield _warning(metric.names[column : column + 1], parts[:, column], places[column])


def _is_constant(scores: Tensor) -> bool:
    return bool((scores == scores[0]).all())


def _warning(names: Sequence[str], scores: Tensor, place: str) -> str:
    return (
        f"metric {' + '.join(names)}: scored all {len(scores)} sentences that it was tried on"
        f" {scores[0].item():g}, also those in a wrong order, so there may be nothing to learn from"
        f" it{place}"
    )


@contextmanager
def _random_numbers_kept(rng: torch.Generator) -> Iterator[None]:
    own = rng.get_state()
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        rng.set_state(own)
