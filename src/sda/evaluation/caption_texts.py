"""Texts held against the exact grammar of the embedded captions (decision 0101).

The scores are those of `sda.evaluation.nll.truth_scores`, for texts from any file: a word
that the grammar lacks makes its sentence ungrammatical.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray

from sda.evaluation.interval import mean_interval, ratio_interval
from sda.evaluation.nll import per_token
from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.captions.caption_grammar import CaptionGrammar, CaptionOracle
from sda.text.sentences import Flat
from sda.text.tokens import tokenizer


def caption_scores(texts: Sequence[str], convention: Convention = PLAIN) -> list[Score]:
    """`nll-oracle`, `grammatical-share` and `nll-oracle-grammatical`, in this order.

    No likelihood is defined for a sentence with a word that the grammar lacks: `nll-oracle` is
    about the others, and its signature says how many of how many they are. Either likelihood is
    absent where no sentence is left for it.
    """
    flat = _encoded(texts, convention)
    log_prob = _oracle().log_prob(flat)
    known = np.isfinite(log_prob)
    good = _oracle().grammar.is_grammatical(flat)
    scores = []
    if known.any():
        facts = {} if known.all() else {"of": len(texts)}
        scores.append(_nll("nll-oracle", log_prob, flat, known, convention, **facts))
    scores.append(_share(good, convention))
    if good.any():
        scores.append(_nll("nll-oracle-grammatical", log_prob, flat, good, convention))
    return scores


@cache
def _oracle() -> CaptionOracle:
    return CaptionOracle(CaptionGrammar())


@cache
def _ids() -> dict[str, int]:
    return {word: number for number, word in enumerate(_oracle().words)}


def _encoded(texts: Sequence[str], convention: Convention) -> Flat:
    """The grammar's ids of all words, -1 for those that it lacks."""
    if not texts:
        raise ValueError("a score needs at least one sample")
    split = tokenizer(convention.tokenizer).split
    words = [split(text.lower() if convention.lowercase else text) for text in texts]
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    ids = _ids()
    numbers = (ids.get(word, -1) for word in chain.from_iterable(words))
    return Flat(np.fromiter(numbers, np.int32, int(starts[-1])), starts)


def _share(good: NDArray[np.bool_], convention: Convention) -> Score:
    values = good.astype(np.float64)
    return Score(
        "grammatical-share",
        float(values.mean()),
        True,
        convention.sign(hyps=len(good), ci="bootstrap"),
        standard_error(values),
        mean_interval(values),
    )


def _nll(
    name: str,
    log_prob: NDArray[np.float64],
    flat: Flat,
    chosen: NDArray[np.bool_],
    convention: Convention,
    **facts: object,
) -> Score:
    """Minus the log-probability per token of the chosen sentences, the end symbol counted.

    A sentence with more words than the grammar ever writes has none: the model that wrote it was
    stopped there, and runs count its tokens so.
    """
    values = -log_prob[chosen]
    words = flat.lengths[chosen]
    lengths = words + (words <= _oracle().grammar.max_length)
    value, error = per_token(torch.from_numpy(values), torch.from_numpy(lengths))
    return Score(
        name,
        value,
        False,
        convention.sign(sentences=len(values), per="token", **facts, ci="bootstrap"),
        error,
        ratio_interval(values, lengths.astype(np.float64)),
    )
