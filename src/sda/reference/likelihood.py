"""The generator's own log-likelihood, the metric of the synthetic experiments (decision 0014)."""

from __future__ import annotations

from torch import Tensor

from sda.models.generator import Generator, generator_log_prob
from sda.reference.metric import ReferenceMetric
from sda.text.sentences import Sentences


class Likelihood(ReferenceMetric):
    """Sum of log-probabilities; their mean per token where lengths vary.

    A sum over sentences of different lengths would select the shortest.
    """

    name = "likelihood"
    depends_on_generator = True

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def __call__(self, sentences: Sentences) -> Tensor:
        total = generator_log_prob(self._generator, sentences)
        fixed_length = self._generator.eos is None
        return total if fixed_length else total / sentences.lengths.clamp(min=1).cpu()
