"""The generator's own log-likelihood, the metric of the synthetic experiments (decision 0014)."""

from __future__ import annotations

import torch
from torch import Tensor

from sda.models.generator import Generator, without_dropout
from sda.reference.metric import ReferenceMetric
from sda.text.sentences import Sentences

CHUNK = 1024  # sentences scored at a time


class Likelihood(ReferenceMetric):
    """Sum of log-probabilities; their mean per token where lengths vary.

    A sum over sentences of different lengths would select the shortest.
    """

    name = "likelihood"
    depends_on_generator = True

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    @torch.no_grad()
    def __call__(self, sentences: Sentences) -> Tensor:
        parts = [torch.zeros(0, dtype=torch.float64)]
        with without_dropout(self._generator):
            for start in range(0, len(sentences), CHUNK):
                part = sentences[start : start + CHUNK].to(self._generator.device)
                total = self._generator.log_probs(part).cpu().double().sum(1)
                fixed_length = self._generator.eos is None
                parts.append(total if fixed_length else total / part.lengths.clamp(min=1).cpu())
        return torch.cat(parts)
