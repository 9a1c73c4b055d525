"""Models, sampling, rollouts and training as a textbook writes them: plain, slow, easy to check.

Everything reads the parameters of the models of `sda`, so that results can be compared. Sentences
to sample, to roll out and to judge have one length, as in SeqGAN; those of `mle_loss` are padded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from sda.models.cnn import CnnDiscriminator
from sda.models.rnn import RnnGenerator
from sda.text.sentences import Sentences

BATCH = 64
CLIP = 5.0


Memory = tuple[Tensor, Tensor]


@torch.no_grad()
def sample(generator: RnnGenerator, n: int, rng: torch.Generator) -> Tensor:
    """(n, T) sentences written a word at a time, a batch of them to the end before the next."""
    nothing = torch.zeros(n, 0, dtype=torch.int64)
    parts = [complete(generator, prefixes, rng) for prefixes in nothing.split(BATCH)]  # type: ignore[no-untyped-call]
    return torch.cat(parts)


@torch.no_grad()
def complete(generator: RnnGenerator, prefixes: Tensor, rng: torch.Generator) -> Tensor:
    """(B, T) sentences that begin with the prefixes (B, t), which are read from their start."""
    words = [prefixes]
    memory = None
    unread = after_start(generator, prefixes)
    for _ in range(generator.max_length - prefixes.shape[1]):
        hidden, memory = read(generator, unread, memory)
        unread = torch.multinomial(logits(generator, hidden[:, -1]).softmax(1), 1, generator=rng)
        words.append(unread)
    return torch.cat(words, 1)


@torch.no_grad()
def rollout_rewards(
    generator: RnnGenerator,
    discriminator: CnnDiscriminator,
    tokens: Tensor,
    rollouts: int,
    rng: torch.Generator,
) -> Tensor:
    """(B, T) for each beginning the mean of D over completions; at the end D of the sentence.

    The caller puts the discriminator into evaluation mode.
    """
    rewards = torch.zeros(tokens.shape)
    for _ in range(rollouts):
        for t in range(1, tokens.shape[1]):
            finished = complete(generator, tokens[:, :t], rng)
            rewards[:, t - 1] += cnn_logits(discriminator, finished).sigmoid() / rollouts
    rewards[:, -1] = cnn_logits(discriminator, tokens).sigmoid()
    return rewards


def cnn_logits(discriminator: CnnDiscriminator, tokens: Tensor) -> Tensor:
    """(B,) logits of being real: two-dimensional convolution, ReLU, max over time, highway."""
    image = discriminator.embedding(tokens)[:, None]  # (B, 1, T, E)
    layers = cast(list[nn.Linear], list(discriminator.filters))
    biases = discriminator.filter_bias.split([layer.out_features for layer in layers])  # type: ignore[no-untyped-call]
    pools = []
    for width, layer, bias in zip(discriminator.widths, layers, biases, strict=True):
        filters = layer.weight.view(layer.out_features, 1, width, image.shape[3])
        maps = torch.relu(functional.conv2d(image, filters, bias))[..., 0]
        pools.append(functional.max_pool1d(maps, maps.shape[2])[..., 0])
    pooled = torch.cat(pools, 1)
    gate = torch.sigmoid(discriminator.gate(pooled))
    highway = gate * torch.relu(discriminator.transform(pooled)) + (1 - gate) * pooled
    score: Tensor = discriminator.output(discriminator.dropout(highway))
    return score[:, 0]


def discriminator_epoch(
    discriminator: CnnDiscriminator,
    optimizer: torch.optim.Optimizer,
    real: Tensor,
    fake: Tensor,
    rng: torch.Generator,
) -> None:
    """One walk over (n, T) real and as many fake sentences, a batch of each at a time."""
    real = real[torch.randperm(len(real), generator=rng)]
    fake = fake[torch.randperm(len(fake), generator=rng)]
    for some_real, some_fake in zip(real.split(BATCH), fake.split(BATCH), strict=True):  # type: ignore[no-untyped-call]
        scores = cnn_logits(discriminator, torch.cat((some_real, some_fake)))
        labels = torch.cat((torch.ones(len(some_real)), torch.zeros(len(some_fake))))
        loss = functional.binary_cross_entropy_with_logits(scores, labels)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def mle_loss(generator: RnnGenerator, sentences: Sentences) -> Tensor:
    """Mean over sentences of minus the log-likelihood; logits are formed on padding too."""
    tokens = sentences.tokens
    hidden, _ = read(generator, after_start(generator, tokens[:, :-1]), None)
    losses = functional.cross_entropy(
        logits(generator, hidden).flatten(0, 1), tokens.flatten(), reduction="none"
    )
    return (losses.view_as(tokens) * sentences.mask).sum() / len(tokens)


def mle_epoch(
    generator: RnnGenerator,
    optimizer: torch.optim.Optimizer,
    sentences: Sentences,
    rng: torch.Generator,
) -> None:
    """One walk over the sentences, padded as they come."""
    order = torch.randperm(len(sentences), generator=rng)
    walk(generator, optimizer, order, lambda rows: mle_loss(generator, sentences[rows]))


def walk(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    order: Tensor,
    loss: Callable[[Tensor], Tensor],
) -> None:
    """A step down the loss of each batch of rows, in this order (n,)."""
    for rows in order.split(BATCH):  # type: ignore[no-untyped-call]
        value = loss(rows)
        optimizer.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()


def after_start(generator: RnnGenerator, tokens: Tensor) -> Tensor:
    """(B, 1 + T) the start symbol and the tokens."""
    return torch.cat((torch.full((len(tokens), 1), generator.bos), tokens), 1)


def read(generator: RnnGenerator, tokens: Tensor, memory: Memory | None) -> tuple[Tensor, Memory]:
    """Hidden states (B, T, H) after each token, and what the LSTM remembers after the last."""
    hidden, memory = generator.recurrent[0](generator.embedding(tokens), memory)
    return hidden, memory


def logits(generator: RnnGenerator, hidden: Tensor) -> Tensor:
    """(..., V) scores of the next word."""
    return functional.linear(hidden, generator.output_weight, generator.bias)
