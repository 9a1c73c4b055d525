"""Likelihoods of samples under the truth and of test data under the model, and divergences.

Likelihoods and both KL are per token in nats, the end symbol counted: the sum over sentences
divided by the sum of their lengths, with the standard error of that ratio. The Jensen-Shannon
divergence is per sentence, where it is at most the logarithm of 2.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from sda.evaluation.interval import error_interval, mean_interval, ratio_interval
from sda.evaluation.score import PLAIN, Convention, Score
from sda.evaluation.truth import CaptionTruth, Truth
from sda.models.generator import Generator, generator_log_prob
from sda.sampling import Decoded, Decoding
from sda.text.sentences import Sentences


def per_token(values: Tensor, lengths: Tensor) -> tuple[float, float | None]:
    """Sum of values (B,) over sum of lengths (B,), and its standard error by the delta method."""
    total = lengths.double().sum()
    ratio = values.sum() / total
    n = len(values)
    if n < 2:
        return float(ratio), None
    squares = (values - ratio * lengths).square().sum() * n / (n - 1)
    return float(ratio), float(squares.sqrt() / total)


def nll_test(
    generator: Generator,
    test: Sentences,
    convention: Convention = PLAIN,
    temperature: float = 1.0,
) -> Score:
    """Minus the log-likelihood of test data under the model: what loss of diversity raises."""
    if temperature != 1.0:
        generator = Decoded(generator, Decoding(temperature))
    log_prob = generator_log_prob(generator, test)
    return _score("nll-test", -log_prob, test, convention, temperature=f"{temperature:g}")


def truth_nll_test(truth: Truth, test: Sentences, convention: Convention = PLAIN) -> Score:
    """The NLL_test that a model equal to the truth would have, and none can be expected to beat."""
    return _score("nll-test", -truth.data_log_prob(test), test, convention, model="truth")


def truth_scores(
    truth: Truth,
    samples: Sentences,
    temperature: float | None = 1.0,
    convention: Convention = PLAIN,
) -> list[Score]:
    """NLL_oracle of the samples; under a grammar also the share that it can write, and their NLL.

    NLL_oracle falls with any loss of diversity, so it never stands alone. Real text has no
    temperature.
    """
    under_truth = truth.log_prob(samples)
    facts = {} if temperature is None else {"temperature": f"{temperature:g}"}
    scores = [_score("nll-oracle", -under_truth, samples, convention, **facts)]
    if isinstance(truth, CaptionTruth):
        good = truth.is_grammatical(samples)
        share = good.double()
        error = float(share.std() / len(share) ** 0.5) if len(share) > 1 else None
        signature = convention.sign(hyps=len(samples), **facts, ci="bootstrap")
        interval = mean_interval(share.numpy())
        value = float(share.mean())
        scores.append(Score("grammatical-share", value, True, signature, error, interval))
        if bool(good.any()):
            only = samples[good.nonzero()[:, 0]]
            name = "nll-oracle-grammatical"
            scores.append(_score(name, -under_truth[good], only, convention, **facts))
    return scores


def model_scores(
    generator: Generator, truth: Truth, samples: Sentences, convention: Convention = PLAIN
) -> list[Score]:
    """The model's entropy and KL(model, oracle), from samples of it at temperature 1.

    This divergence punishes what should not be written.
    """
    under_model = generator_log_prob(generator, samples)
    return _model_scores(under_model, truth.log_prob(samples), samples, convention)


def divergence_scores(
    generator: Generator,
    truth: Truth,
    samples: Sentences,
    test: Sentences,
    convention: Convention = PLAIN,
) -> list[Score]:
    """The model's entropy and its divergences, from samples of it at temperature 1 and test data.

    KL(model, oracle) punishes what should not be written, KL(oracle, model) what is not written,
    and JS both.
    """
    under_model = generator_log_prob(generator, samples)
    ratio = truth.data_log_prob(test) - generator_log_prob(generator, test)
    return [
        *_model_scores(under_model, truth.log_prob(samples), samples, convention),
        _score("kl-oracle-model", ratio, test, convention, temperature=1),
        # JS needs no smoothing: what the source cannot write counts log 2, and no more.
        _js(under_model - truth.data_log_prob(samples), ratio, convention),
    ]


def _model_scores(
    under_model: Tensor, under_truth: Tensor, samples: Sentences, convention: Convention
) -> list[Score]:
    """Entropy and KL from the log-probabilities of the samples, both (B,)."""
    excess = under_model - under_truth
    return [
        _score("entropy", -under_model, samples, convention, temperature=1),
        _score("kl-model-oracle", excess, samples, convention, temperature=1),
    ]


def _js(excess: Tensor, ratio: Tensor, convention: Convention) -> Score:
    """Jensen-Shannon: half of either divergence from the mean of both densities.

    `excess` (B,) is log p / q of sentences from p, `ratio` (C,) is log q / p of sentences from q;
    log p / ((p + q) / 2) follows from the first, and likewise from the second.
    """
    parts = [math.log(2) - torch.logaddexp(torch.zeros(()), -values) for values in (excess, ratio)]
    value = float(sum(part.mean() for part in parts) / 2)
    signature = convention.sign(
        sentences=len(excess), test=len(ratio), per="sentence", temperature=1, ci="normal"
    )
    if min(map(len, parts)) < 2:
        return Score("js", value, False, signature)
    error = math.sqrt(sum(float(part.var()) / len(part) for part in parts)) / 2
    return Score("js", value, False, signature, error, error_interval(value, error))


def _score(
    name: str, values: Tensor, sentences: Sentences, convention: Convention, **facts: object
) -> Score:
    lengths = sentences.lengths.cpu()
    value, error = per_token(values, lengths)
    higher_is_better = None if name == "entropy" else False
    signature = convention.sign(sentences=len(sentences), per="token", **facts, ci="bootstrap")
    interval = ratio_interval(values.numpy(), lengths.double().numpy())
    return Score(name, value, higher_is_better, signature, error, interval)
