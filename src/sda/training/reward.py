"""What a written sentence earns: (generator, fake) -> rewards (B, T), zero on padding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.nn.functional import pad

from sda.models.generator import Generator, without_dropout
from sda.reference.metric import WeightedSum
from sda.rewards import RewardKind, beginning_rewards, rollout_rewards
from sda.text.sentences import Sentences
from sda.training.parted import reward_in_parts
from sda.training.progress import Diverged
from sda.training.stages import StageTwoSettings
from sda.training.state import TrainState

Reward = Callable[[Generator, Sentences], Tensor]
"""What sentences of the generator earn."""


def make_reward(state: TrainState, metric: WeightedSum, settings: StageTwoSettings) -> Reward:
    """The reward that the settings name, less the penalty for leaving the start of Stage II."""
    reward = _plain_reward(state, metric, settings)
    return penalise_distance(reward, state, settings.kl) if settings.kl else reward


def _plain_reward(state: TrainState, metric: WeightedSum, settings: StageTwoSettings) -> Reward:
    if settings.reward == "constant":
        return constant_reward
    if settings.reward == "metric":
        return metric_reward(metric)
    if settings.reward == "words":
        return lambda _, fake: beginning_rewards(state.rewarding, fake)
    return rollout_reward(state, settings)


def rollout_reward(state: TrainState, settings: StageTwoSettings) -> Reward:
    """The discriminator's judgement of completions (Eqs. 1-2), whose tokens count as written."""
    kind: RewardKind = "gail" if settings.reward == "gail" else "prob"

    def reward(generator: Generator, fake: Sentences) -> Tensor:
        def completed(some: Sentences, rng: torch.Generator) -> tuple[Tensor, int]:
            tokens: list[int] = []
            rewards = rollout_rewards(
                generator,
                state.rewarding,
                some,
                settings.rollouts,
                rng,
                settings.rollout_every,
                kind,
                tokens.append,
            )
            return rewards, sum(tokens)

        rewards, tokens = reward_in_parts(fake, state.rng, state.shares, completed)
        state.written += tokens
        return rewards

    return reward


def constant_reward(_: Generator, fake: Sentences) -> Tensor:
    """1 on every token: what policy gradient does by itself, with nothing to learn from."""
    return fake.mask.float()


def metric_reward(metric: WeightedSum) -> Reward:
    """The reference metric's score of the sentence on each of its tokens.

    A sentence that the metric rules out earns the lowest score of those in its batch that it does
    not: minus infinity has no gradient. A batch in which it rules out all raises `Diverged`.
    """

    def reward(_: Generator, fake: Sentences) -> Tensor:
        scores = metric(fake).total
        allowed = scores > -torch.inf
        if not bool(allowed.any()):
            raise Diverged(
                f"the metric rules out all {len(fake)} sentences of a batch, so none is better"
            )
        earned = torch.where(allowed, scores, scores[allowed].min()).float()
        earned = earned.to(fake.tokens.device)
        return earned[:, None] * fake.mask

    return reward


def penalise_distance(reward: Reward, state: TrainState, weight: float) -> Reward:
    """The reward less `weight` times log p - log p_start of each token.

    Its mean over the generator's sentences is their KL divergence from the start of Stage II. The
    weights of the start are those at the first call; they are part of the state, and saved with it.
    """

    def penalised(generator: Generator, fake: Sentences) -> Tensor:
        if not state.start:
            weights = state.generator.state_dict()
            state.start = {name: value.clone() for name, value in weights.items()}
        return reward(generator, fake) - weight * distance_from_start(state, fake)

    return penalised


@torch.no_grad()
def distance_from_start(state: TrainState, sentences: Sentences) -> Tensor:
    """(B, T) log p - log p_start of each token, zero on padding."""
    with without_dropout(state.generator):
        now = state.generator.log_probs(sentences)
        with _lent_weights(state.generator, state.start):
            start = state.generator.log_probs(sentences)
    # Log-probabilities end where the longest sentence does.
    return pad(now - start, (0, sentences.tokens.shape[1] - now.shape[1]))


@contextmanager
def _lent_weights(generator: Generator, weights: dict[str, Tensor]) -> Iterator[None]:
    """The generator has these weights inside, and its own again afterwards.

    A second generator would need a second discriminator where it reads features.
    """
    own = {name: value.clone() for name, value in generator.state_dict().items()}
    generator.load_state_dict(weights)
    try:
        yield
    finally:
        generator.load_state_dict(own)
