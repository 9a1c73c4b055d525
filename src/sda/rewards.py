"""Rewards of single tokens from a judge of whole sentences (Eqs. 1-2), and their baselines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor

from sda.devices import rows_at_once
from sda.models.branching import select
from sda.models.discriminator import Discriminator
from sda.models.generator import Generator, without_dropout
from sda.sampling import complete
from sda.text.sentences import Sentences

RewardKind = Literal["prob", "gail"]
BY_DISCRIMINATOR = ("prob", "gail", "words")
"""The values of `stage2.reward` that ask the discriminator."""
Baseline = Literal["none", "batch_mean", "normalised"]
Rescale = Literal["none", "rank"]

RANK_SLOPE = 12.0  # LeakGAN's delta
CLIP = 1e-6  # D is kept this far from 0 and 1 before a logarithm (decision 0001)


@torch.no_grad()
def judge(discriminator: Discriminator, sentences: Sentences, kind: RewardKind = "prob") -> Tensor:
    """(B,) reward of each sentence: D itself (Eq. 2), or -log(1 - D), the GAIL form."""
    with without_dropout(discriminator):
        return _reward(discriminator.real_logit(sentences), kind)


def _reward(real_logit: Tensor, kind: RewardKind) -> Tensor:
    real = torch.sigmoid(real_logit)
    if kind == "gail":
        return -torch.log(1 - real.clamp(CLIP, 1 - CLIP))
    return real


@torch.no_grad()
def rollout_rewards(
    generator: Generator,
    discriminator: Discriminator,
    sentences: Sentences,
    rollouts: int,
    rng: torch.Generator,
    every: int = 1,
    kind: RewardKind = "prob",
    count: Callable[[int], None] = lambda _: None,
) -> Tensor:
    """(B, T) reward of each token: how real the sentence looks once it is finished (Eqs. 1-2).

    Entry t averages the judgement of `rollouts` completions of tokens 1..t; the last token of a
    sentence needs no completion and gets that of the sentence; padding gets zero. With `every` = c
    only each c-th beginning is completed, and the c tokens that lead to it share its reward. With
    no rollouts every token gets the reward of its sentence. `count` is told how many tokens each
    batch of completions took.
    """
    final = judge(discriminator, sentences, kind)
    rewards = final[:, None].expand(sentences.tokens.shape).clone()
    if rollouts:
        with without_dropout(generator), without_dropout(discriminator):
            _fill(rewards, generator, discriminator, sentences, rollouts, rng, every, kind, count)
    return rewards * sentences.mask


@torch.no_grad()
def beginning_rewards(discriminator: Discriminator, sentences: Sentences) -> Tensor:
    """(B, T) reward of each token: D of the beginning that ends with it, taken for a sentence; zero
    on padding.

    A judge that multiplies verdicts on words has said all that it can say of a beginning when it is
    written, so that nothing need be completed.
    """
    rewards = torch.zeros(sentences.tokens.shape, device=sentences.tokens.device)
    longest = int(sentences.lengths.max()) if len(sentences) else 0
    for t in range(1, longest + 1):
        rows = (sentences.lengths >= t).nonzero()[:, 0]
        some = sentences[rows]
        beginnings = some.cut(torch.full_like(some.lengths, t)).trimmed()
        rewards[rows, t - 1] = judge(discriminator, beginnings).float()
    return rewards


def _fill(
    rewards: Tensor,
    generator: Generator,
    discriminator: Discriminator,
    sentences: Sentences,
    rollouts: int,
    rng: torch.Generator,
    every: int,
    kind: RewardKind,
    count: Callable[[int], None],
) -> None:
    """Walk the sentences once; at each beginning due, branch the state and complete it."""
    tokens = torch.full_like(sentences.lengths, generator.bos)
    context = sentences.context
    _, state = generator.step(generator.start(len(sentences), context), tokens)
    longest = int(sentences.lengths.max()) if len(sentences) else 0
    for t in range(1, longest):
        logits, state = generator.step(state, sentences.tokens[:, t - 1])
        if t % every:
            continue
        unfinished = (sentences.lengths > t).nonzero()[:, 0]
        chunk = rows_at_once(generator.device, generator.vocabulary_size, rollouts)
        for rows in unfinished.split(chunk):  # type: ignore[no-untyped-call]
            copies = rows.repeat_interleave(rollouts)
            prefixes = sentences.tokens[:, :t]
            finished = complete(
                generator,
                prefixes[copies],
                logits[copies],
                select(state, copies),
                rng,
                context=None if context is None else context[copies],
            )
            count(int(finished.lengths.sum()) - t * len(copies))
            logit = discriminator.completed_logit(prefixes[rows], finished)
            values = _reward(logit, kind).view(len(rows), rollouts).mean(1)
            rewards[rows, t - every : t] = values[:, None]


def rescale(rewards: Tensor, mask: Tensor, kind: Rescale) -> Tensor:
    """Rewards (B, T), or LeakGAN's sigmoid of their rank at each time step; zero on padding.

    Rank 1 is the best of the n sentences that reach the step: sigmoid(12 (1/2 - rank / n)). Equal
    rewards share their mean rank, so that a constant reward stays one.
    """
    if kind == "none":
        return rewards
    valued = rewards.masked_fill(~mask, -torch.inf)
    better = (valued[None] > valued[:, None]).sum(1)
    equal = (valued[None] == valued[:, None]).sum(1)
    rank = better + (equal + 1) / 2
    return torch.sigmoid(RANK_SLOPE * (0.5 - rank / mask.sum(0).clamp(min=1))) * mask


def subtract_baseline(rewards: Tensor, mask: Tensor, baseline: Baseline) -> Tensor:
    """Rewards (B, T) less what a token at that place could expect; zero on padding.

    `batch_mean` subtracts at each time step the mean of the other sentences (leave one out, so the
    gradient stays unbiased); `normalised` the mean of all, and divides by one standard deviation
    of the batch.
    """
    if baseline == "none":
        return rewards
    count = mask.sum(0)
    total = (rewards * mask).sum(0)
    if baseline == "batch_mean":
        others = (total - rewards) / (count - 1).clamp(min=1)
        # A sentence that is alone at its length has nothing to be compared with.
        return torch.where(mask & (count > 1), rewards - others, 0.0)
    centred = torch.where(mask, rewards - total / count.clamp(min=1), 0.0)
    deviation = (centred.square().sum() / mask.sum().clamp(min=1)).sqrt()
    return centred / deviation.clamp(min=1e-6)
