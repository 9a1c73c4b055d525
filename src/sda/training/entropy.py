"""The entropy of a policy as part of its reward (H in Eqs. 8-14 and 32)."""

from __future__ import annotations

import torch
from torch import Tensor

from sda.models.generator import Generator, without_dropout
from sda.rewards import subtract_baseline
from sda.text.sentences import Sentences


@torch.no_grad()
def add_entropy(
    weights: Tensor, generator: Generator, sentences: Sentences, weight: float
) -> Tensor:
    """Weights (B, T) of the policy gradient, with `weight` times the gradient of the entropy.

    A token is paid minus its own log-probability, less what the other sentences get at its place.
    On average that is the gradient of the entropy of the next word, summed over the beginnings that
    were written, and needs no more than `log_probs`, which every generator has. Paying a token for
    the words after it as well would give the entropy of whole sentences, which the longest have
    most of (decision 0006).
    """
    if not weight:
        return weights
    with without_dropout(generator):
        log_probs = generator.log_probs(sentences)
    surprise = torch.zeros_like(weights)
    surprise[:, : log_probs.shape[1]] = -log_probs
    return weights + weight * subtract_baseline(surprise, sentences.mask, "batch_mean")
