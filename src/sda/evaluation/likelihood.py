"""Likelihoods of samples under the truth and of test data under the model, and both divergences.

All are per token in nats, the end symbol counted: the sum over sentences divided by the sum of
their lengths, with the standard error of that ratio.
"""

from __future__ import annotations

from torch import Tensor

from sda.evaluation.score import PLAIN, Convention, Score
from sda.evaluation.truth import CaptionTruth, Truth, generator_log_prob
from sda.models.generator import Generator
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


def nll_test(generator: Generator, test: Sentences, convention: Convention = PLAIN) -> Score:
    """Minus the log-likelihood of test data under the model: what loss of diversity raises."""
    log_prob = generator_log_prob(generator, test)
    return _score("nll-test", -log_prob, test, convention, temperature=1)


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
        signature = convention.sign(hyps=len(samples), **facts)
        scores.append(Score("grammatical-share", float(share.mean()), True, signature, error))
        if bool(good.any()):
            only = samples[good.nonzero()[:, 0]]
            name = "nll-oracle-grammatical"
            scores.append(_score(name, -under_truth[good], only, convention, **facts))
    return scores


def divergence_scores(
    generator: Generator,
    truth: Truth,
    samples: Sentences,
    test: Sentences,
    convention: Convention = PLAIN,
) -> list[Score]:
    """The model's entropy and both divergences, from samples of it at temperature 1.

    KL(model, oracle) punishes what should not be written, KL(oracle, model) what is not written.
    """
    under_model = generator_log_prob(generator, samples)
    ratio = truth.data_log_prob(test) - generator_log_prob(generator, test)
    excess = under_model - truth.log_prob(samples)
    return [
        _score("entropy", -under_model, samples, convention, temperature=1),
        _score("kl-model-oracle", excess, samples, convention, temperature=1),
        _score("kl-oracle-model", ratio, test, convention, temperature=1),
    ]


def _score(
    name: str, values: Tensor, sentences: Sentences, convention: Convention, **facts: object
) -> Score:
    value, error = per_token(values, sentences.lengths.cpu())
    higher_is_better = None if name == "entropy" else False
    signature = convention.sign(sentences=len(sentences), per="token", **facts)
    return Score(name, value, higher_is_better, signature, error)
