"""What `sda evaluate` needs for 10,000 samples, and its parts against fast-bleu and nltk.

Samples and as much real text beside them are scored against as many references; all are captions of
the embedded grammar. Time starts at the texts and leaves out what is compiled on a first call.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import torch
from fast_bleu import BLEU, SelfBLEU
from nltk.lm import KneserNeyInterpolated
from nltk.lm.preprocessing import pad_both_ends, padded_everygram_pipeline
from nltk.util import ngrams
from numpy.typing import NDArray

from benchmarks.harness import (
    Limit,
    Row,
    compare,
    cpu_seconds,
    least_cpu_seconds,
    peak_gigabytes,
)
from sda.evaluation.bleu_scores import ORDERS, SELF_BLEU_LIMIT
from sda.evaluation.encoder import encode_texts
from sda.evaluation.evaluator import DEFAULT, Evaluator
from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.kneser_ney import ORDER, NgramModel

SENTENCES = 10_000
TRAINING_SENTENCES = 100_000
COMPILING = 100
# nltk takes about 0.2 s for each sentence that its model judges.
NLTK_PART = 8
WEIGHTS = {n: (1 / n,) * n for n in ORDERS}
QUICK = replace(DEFAULT, language_model=False, features=False)
SIZE = f"{SENTENCES:,} samples and {SENTENCES:,} real against {SENTENCES:,}"


def rows() -> list[Row | Limit]:
    rng = torch.Generator().manual_seed(0)
    test, real, samples = (captions(SENTENCES, rng) for _ in range(3))
    train = captions(TRAINING_SENTENCES, rng)

    def quick() -> object:
        return Evaluator(test, train, real, QUICK).evaluate(samples)

    def everything() -> object:
        return Evaluator(test, train, real).evaluate(samples)

    few_test, few_train, few_real = (texts[:COMPILING] for texts in (test, train, real))
    Evaluator(few_test, few_train, few_real).evaluate(samples[:COMPILING])
    quick_seconds, seconds = least_cpu_seconds(quick), least_cpu_seconds(everything)
    # The peak is that of all the process did, so the references come afterwards.
    memory = peak_gigabytes()
    size = f"{SIZE}, {TRAINING_SENTENCES:,} training sentences"
    limits = [
        Limit("evaluate, quick", quick_seconds, 15.0, "s", f"{size}; --quick"),
        Limit("evaluate", seconds, 180.0, "s", f"{size}; with language model and features"),
        Limit("evaluate, memory", memory, 2.0, "GB", f"{size}; peak of the process"),
    ]
    return [*limits, bleu_row(quick_seconds, test, train, real, samples), model_row(test, samples)]


def captions(n: int, rng: torch.Generator) -> list[str]:
    grammar = CaptionGrammar()
    flat = grammar.sample(n, rng)
    words = np.array(grammar.words)[flat.ids].tolist()
    return [" ".join(words[a:b]) for a, b in pairwise(flat.starts.tolist())]


def bleu_row(
    quick_seconds: float, test: list[str], train: list[str], real: list[str], samples: list[str]
) -> Row:
    """All scores without models, against the time that fast-bleu takes for the BLEU among them."""
    known, some, human, fakes = (
        [text.split() for text in texts] for texts in (test, train[:SENTENCES], real, samples)
    )

    def fast() -> None:
        for scored in (fakes, human):
            for references, hypotheses in ((known, scored), (scored, known), (some, scored)):
                BLEU(references, WEIGHTS).get_score(hypotheses)
            SelfBLEU(scored[:SELF_BLEU_LIMIT], WEIGHTS).get_score()

    return Row(
        "evaluate, quick, fast-bleu",
        quick_seconds,
        cpu_seconds(fast),
        None,
        f"{SIZE}; fast-bleu computes BLEU, reverse, training and self-BLEU only, without intervals",
    )


def model_row(test: list[str], samples: list[str]) -> Row:
    """The n-gram model from texts to a probability for each sample."""
    split_test = [text.split() for text in test]
    split_part = [text.split() for text in samples[:NLTK_PART]]

    def ours() -> NDArray[np.float64]:
        known, judged = encode_texts(test, samples)
        return NgramModel(known).log_prob(judged)

    def fitted() -> KneserNeyInterpolated:
        model = KneserNeyInterpolated(ORDER)
        model.fit(*padded_everygram_pipeline(ORDER, split_test))
        return model

    model = fitted()

    def judge() -> list[float]:
        padded = [ngrams(pad_both_ends(words, ORDER), ORDER) for words in split_part]
        return [model.logscore(ngram[-1], ngram[:-1]) for some in padded for ngram in some]

    ours_seconds, fit_seconds = compare(ours, fitted, rounds=2)
    return Row(
        f"{ORDER}-gram model, nltk",
        ours_seconds,
        fit_seconds + cpu_seconds(judge) * SENTENCES / NLTK_PART,
        None,
        f"{SENTENCES:,} judged by a model of {SENTENCES:,}; nltk's has one discount instead of"
        f" three, judges {NLTK_PART} and is scaled",
    )
