"""LeakRNN as a textbook writes it: plain, slow, easy to check.

The discriminator reads every prefix afresh, padded to the full length; the worker makes a matrix
(V, goal size) for every sentence, which is multiplied with the embedded goal; a rollout begins at
the first word. All layers are those of the models of `sda`, so that results can be compared. Every
sentence has the full length, as in LeakGAN.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.textbook_models import BATCH, walk
from sda.models.cnn import CnnDiscriminator
from sda.models.leak import LeakGenerator


class TextbookLeak(nn.Module):
    """The layers of a LeakGenerator; its output is copied into a linear layer from H to V * 16."""

    def __init__(self, generator: LeakGenerator) -> None:
        super().__init__()
        self.bos = generator.bos
        self.max_length = generator.max_length
        self.block = generator.block
        self.manager, self.goal = generator.manager, generator.goal
        self.first_goal = generator.first_goal
        self.goal_embedding = generator.goal_embedding
        self.embedding, self.worker = generator.embedding, generator.worker
        words, goal_size = generator.vocabulary_size, generator.goal_embedding.out_features
        self.matrix = nn.Linear(generator.hidden, words * goal_size)
        output = generator.output.detach().view(words, generator.hidden + 1, goal_size)
        with torch.no_grad():
            self.matrix.weight.copy_(output[:, :-1].transpose(1, 2).flatten(0, 1))
            self.matrix.bias.copy_(output[:, -1].flatten())

    def logits(self, hidden: Tensor, goal: Tensor) -> Tensor:
        """(B, V) from the worker's state (B, H) and the active goal (B, F)."""
        embedded = functional.normalize(self.goal_embedding(goal.detach()), dim=1)
        matrix = self.matrix(hidden).view(len(hidden), -1, embedded.shape[1])
        return torch.bmm(matrix, embedded[:, :, None])[:, :, 0]


class Reading:
    """A walk over sentences, the manager and the worker a word at a time."""

    def __init__(self, model: TextbookLeak, rows: int) -> None:
        self.model = model
        self.goal = model.first_goal.expand(rows, -1)
        self.hidden = torch.empty(0)
        self._goals: list[Tensor] = []
        self._manager: tuple[Tensor, Tensor] | None = None
        self._worker: tuple[Tensor, Tensor] | None = None

    def step(self, features: Tensor, tokens: Tensor) -> None:
        """Read the features (B, F) of the prefix and its last token (B,)."""
        model = self.model
        if len(self._goals) == model.block:
            self.goal = torch.stack(self._goals).sum(0)
            self._goals.clear()
        read, self._manager = model.manager(features[:, None], self._manager)
        self._goals.append(functional.normalize(model.goal(read[:, 0]), dim=1))
        written, self._worker = model.worker(model.embedding(tokens[:, None]), self._worker)
        self.hidden = written[:, 0]


@torch.no_grad()
def prefix_features(discriminator: CnnDiscriminator, tokens: Tensor, t: int) -> Tensor:
    """(B, F) of the first t words: one pass of the CNN over the prefix, padded to (B, T)."""
    padded = tokens.clone()
    padded[:, t:] = discriminator.pad
    missing = max(discriminator.widths) - tokens.shape[1]
    image = discriminator.embedding(functional.pad(padded, (0, missing), value=discriminator.pad))
    layers = cast(list[nn.Linear], list(discriminator.filters))
    biases = discriminator.filter_bias.split([layer.out_features for layer in layers])  # type: ignore[no-untyped-call]
    pools = []
    for width, layer, bias in zip(discriminator.widths, layers, biases, strict=True):
        filters = layer.weight.view(layer.out_features, 1, width, image.shape[2])
        maps = torch.relu(functional.conv2d(image[:, None], filters, bias))[..., 0]
        # Windows within the prefix count, or the first one where there is none.
        pools.append(maps[:, :, : max(1, t - width + 1)].amax(2))
    pooled = torch.cat(pools, 1)
    gate = torch.sigmoid(discriminator.gate(pooled))
    return gate * torch.relu(discriminator.transform(pooled)) + (1 - gate) * pooled


def judge(discriminator: CnnDiscriminator, tokens: Tensor) -> Tensor:
    """(B,) D of whole sentences; the caller puts the discriminator into evaluation mode."""
    features = prefix_features(discriminator, tokens, tokens.shape[1])
    score: Tensor = discriminator.output(discriminator.dropout(features))
    return score[:, 0].sigmoid()


@torch.no_grad()
def sample(
    model: TextbookLeak, discriminator: CnnDiscriminator, n: int, rng: torch.Generator
) -> Tensor:
    """(n, T) sentences, a batch of them written to the end before the next."""
    nothing = torch.zeros(n, 0, dtype=torch.int64)
    parts = nothing.split(BATCH)  # type: ignore[no-untyped-call]
    return torch.cat([complete(model, discriminator, prefixes, rng) for prefixes in parts])


@torch.no_grad()
def complete(
    model: TextbookLeak, discriminator: CnnDiscriminator, prefixes: Tensor, rng: torch.Generator
) -> Tensor:
    """(B, T) sentences that begin with the prefixes (B, t), which are read from their start."""
    known = prefixes.shape[1]
    tokens = functional.pad(prefixes, (0, model.max_length - known))
    reading = Reading(model, len(tokens))
    word = torch.full((len(tokens),), model.bos)
    for t in range(model.max_length):
        reading.step(prefix_features(discriminator, tokens, t), word)
        if t >= known:
            likely = model.logits(reading.hidden, reading.goal).softmax(1)
            tokens[:, t] = torch.multinomial(likely, 1, generator=rng)[:, 0]
        word = tokens[:, t]
    return tokens


@torch.no_grad()
def rollout_rewards(
    model: TextbookLeak,
    discriminator: CnnDiscriminator,
    tokens: Tensor,
    rollouts: int,
    rng: torch.Generator,
) -> Tensor:
    """(B, T) each block has the mean of D over completions of its end; the last has D itself."""
    rewards = judge(discriminator, tokens)[:, None].repeat(1, tokens.shape[1])
    for t in range(model.block, tokens.shape[1], model.block):
        total = torch.zeros(len(tokens))
        for _ in range(rollouts):
            finished = complete(model, discriminator, tokens[:, :t], rng)
            total += judge(discriminator, finished)
        rewards[:, t - model.block : t] = total[:, None] / rollouts
    return rewards


def loss(
    model: TextbookLeak,
    discriminator: CnnDiscriminator,
    tokens: Tensor,
    weights: Tensor | None = None,
) -> Tensor:
    """The worker's cross-entropy and minus the manager's cosines, weighted, per sentence."""
    weights = torch.ones(tokens.shape) if weights is None else weights
    length = tokens.shape[1]
    features = [prefix_features(discriminator, tokens, t) for t in range(length + 1)]
    reading = Reading(model, len(tokens))
    word = torch.full((len(tokens),), model.bos)
    total = torch.zeros(())
    for t in range(length):
        reading.step(features[t], word)
        word = tokens[:, t]
        logits = model.logits(reading.hidden, reading.goal)
        losses = functional.cross_entropy(logits, word, reduction="none")
        if t % model.block == 0:
            change = features[min(t + model.block, length)] - features[t]
            losses = losses - functional.cosine_similarity(change, reading.goal)
        total = total + (weights[:, t] * losses).sum()
    return total / len(tokens)


def mle_epoch(
    model: TextbookLeak,
    discriminator: CnnDiscriminator,
    optimizer: torch.optim.Optimizer,
    tokens: Tensor,
    rng: torch.Generator,
) -> None:
    """One walk over the sentences (n, T)."""
    order = torch.randperm(len(tokens), generator=rng)
    walk(model, optimizer, order, lambda rows: loss(model, discriminator, tokens[rows]))
