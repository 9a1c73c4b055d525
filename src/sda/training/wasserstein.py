"""The 1-Wasserstein distance of two policies and its gradient (theorem 1, Eq. 28).

Departures: the part of the gradient that runs through the critic is left out, because it is zero at
the optimum and means nothing for words; the distance of two sentences, on which the paper is
silent, is that of the discriminator's features (decision 0007).
"""

from __future__ import annotations

from statistics import fmean
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from sda.models.discriminator import Discriminator
from sda.models.generator import without_dropout
from sda.text.sentences import Sentences

RATE = 3e-3  # at WGAN-GP's 1e-4 the critic is far from its optimum in all of a run
BETAS = (0.5, 0.9)  # WGAN-GP's
UPDATES = 5  # of the critic in one step of a policy
POWER_ITERATIONS = 10  # with torch's one, norms reached 2 in the first updates
LEAST_DEVIATION = 1e-4  # a feature that hardly varies is not blown up to rounding errors


@torch.no_grad()
def read_features(discriminator: Discriminator, sentences: Sentences) -> Tensor:
    """(B, F) the discriminator's features, without dropout and without gradient."""
    with without_dropout(discriminator):
        return discriminator.features(sentences)


class Critic(nn.Module):
    """A function of sentences that differs between two of them by no more than their distance.

    The distance is Euclidean in features of which each is standardised over both policies; the sum
    of squares is divided by their number, so that any discriminator has the same scale: two
    unrelated sentences are about 1.4 apart.
    """

    def __init__(self, features: int, rng: torch.Generator, hidden: int = 256) -> None:
        super().__init__()
        # Layers and the vectors of their norms start from torch's own random numbers.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(torch.randint(2**31, (), generator=rng)))
            self.layers = nn.Sequential(
                spectral_norm(nn.Linear(features, hidden), n_power_iterations=POWER_ITERATIONS),
                nn.LeakyReLU(0.2),
                spectral_norm(nn.Linear(hidden, 1), n_power_iterations=POWER_ITERATIONS),
            )
        self.centre: Tensor
        self.scale: Tensor
        self.register_buffer("centre", torch.zeros(features))
        self.register_buffer("scale", torch.full((features,), features**0.5))

    @torch.no_grad()
    def standardise(self, features: Tensor) -> None:
        """Measure distances from now on as features (B, F) of both policies suggest."""
        deviation = features.std(0, correction=0).clamp(min=LEAST_DEVIATION)
        self.centre.copy_(features.mean(0))
        self.scale.copy_(deviation * features.shape[1] ** 0.5)

    def place(self, features: Tensor) -> Tensor:
        """(B, F) where the sentences lie: distances here are those that the bound is about."""
        return (features - self.centre) / self.scale

    def forward(self, features: Tensor) -> Tensor:
        """(B,) high for sentences of the first policy."""
        values: Tensor = self.layers(self.place(features))
        return values[:, 0]

    @torch.no_grad()
    def judge(self, features: Tensor) -> Tensor:
        """(B,) the same, with the bound exact: iterations find norms a little too small."""
        self.eval()
        values: Tensor = self(features)
        for layer in (self.layers[0], self.layers[2]):
            values = values / torch.linalg.matrix_norm(cast(Tensor, layer.weight), 2).clamp(min=1)
        self.train()
        return values


def critic_optimizer(critic: Critic, rate: float = RATE) -> torch.optim.Optimizer:
    return torch.optim.Adam(critic.parameters(), lr=rate, betas=BETAS)


def update_critic(
    critic: Critic,
    optimizer: torch.optim.Optimizer,
    first: Tensor,
    second: Tensor,
    updates: int = UPDATES,
) -> float:
    """The critic tells the policies apart better; returns how far apart it found them.

    Features (N, F) of sentences of both policies are cut into as many batches as there are updates.
    Each batch is measured before it is learned from, so that on average the result is not above the
    distance itself but for the little that norms are off.
    """
    critic.standardise(torch.cat((first, second)))
    gaps = []
    for ours, theirs in zip(first.chunk(updates), second.chunk(updates), strict=True):
        values = critic(torch.cat((ours, theirs)))
        gap = values[: len(ours)].mean() - values[len(ours) :].mean()
        optimizer.zero_grad(set_to_none=True)
        (-gap).backward()
        optimizer.step()
        gaps.append(gap.item())
    return fmean(gaps)


def criticise(critic: Critic, features: Tensor) -> Tensor:
    """(B,) what the critic says of each sentence, less the mean of the others.

    With these as weights the policy gradient is, without bias, that of the distance with respect to
    the first policy, and minus that with respect to the second.
    """
    values = critic.judge(features)
    return (values - values.mean()) * len(values) / max(1, len(values) - 1)
