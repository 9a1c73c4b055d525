"""What makes a decoder obey the style that it is told: the rivals' losses beside reconstruction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from sda.text.sentences import Sentences
from sda.transfer.rivals.autoencoder import Autoencoder

TEMPERATURE = 0.5  # of soft sentences; lower ones have harder words and wilder gradients


@dataclass(frozen=True)
class Batch:
    """Sentences with their styles (B,), other styles (B,), what they say, and states (B, T, H).

    `mean` and `spread` are those of a normal distribution that `content` was drawn from.
    """

    sentences: Sentences
    styles: Tensor
    others: Tensor
    content: Tensor
    mean: Tensor
    spread: Tensor
    states: Tensor


class RivalObjective(Protocol):
    """A part of the loss; `is_random` where content is drawn, as in a variational autoencoder."""

    is_random: bool

    def prepare(self, sentences: Sentences, styles: Tensor) -> None:
        """One step of what it learns from real sentences before the others are trained."""

    def loss(self, model: Autoencoder, batch: Batch) -> Tensor:
        """What is added to the reconstruction's loss."""


class Variational(nn.Module):
    """Nothing but a prior on the content: the variational autoencoder, told the style."""

    is_random = True
    weight = 0.1

    def prepare(self, sentences: Sentences, styles: Tensor) -> None:
        pass

    def loss(self, model: Autoencoder, batch: Batch) -> Tensor:
        terms = batch.mean.square() + batch.spread.exp() - batch.spread - 1
        # By word, as the reconstruction's loss is.
        return self.weight * 0.5 * terms.sum() / batch.sentences.lengths.sum()


class CrossAligned(nn.Module):
    """Shen et al.: states of the decoder on sentences that were rewritten look like those on real
    ones of the style, to a discriminator for each style."""

    is_random = False
    weight = 0.2

    def __init__(self, styles: int, hidden: int) -> None:
        super().__init__()
        self.critics = nn.ModuleList(_Critic(hidden) for _ in range(styles))
        self._optimiser = torch.optim.Adam(self.parameters(), lr=5e-4)

    def prepare(self, sentences: Sentences, styles: Tensor) -> None:
        pass

    def loss(self, model: Autoencoder, batch: Batch) -> Tensor:
        steps = batch.sentences.tokens.shape[1]
        soft = model.soften(batch.content, model.style(batch.others), steps, TEMPERATURE)
        mask = batch.sentences.mask
        self._optimiser.zero_grad()
        real = self._logits(batch.states.detach(), mask, batch.styles)
        fake = self._logits(soft.hidden.detach(), mask, batch.others)
        wrong = nn.functional.softplus(-real).mean() + nn.functional.softplus(fake).mean()
        wrong.backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        self._optimiser.zero_grad()
        for value in self.parameters():
            value.requires_grad_(False)
        found = self._logits(soft.hidden, mask, batch.others)
        for value in self.parameters():
            value.requires_grad_(True)
        return self.weight * nn.functional.softplus(-found).mean()

    def _logits(self, states: Tensor, mask: Tensor, styles: Tensor) -> Tensor:
        """(B,) high for states that look real to the critic of each row's style."""
        every = torch.stack([critic(states, mask) for critic in self.critics], 1)
        return every.gather(1, styles[:, None])[:, 0]


class _Critic(nn.Module):
    """Windows of three states, the highest of each map."""

    def __init__(self, hidden: int, maps: int = 64) -> None:
        super().__init__()
        self.windows = nn.Conv1d(hidden, maps, 3, padding=1)
        self.output = nn.Linear(maps, 1)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        found = torch.relu(self.windows((states * mask[:, :, None]).transpose(1, 2)))
        logits: Tensor = self.output(found.amax(2))
        return logits[:, 0]


class Controlled(Variational):
    """Hu et al.: a classifier finds the wanted style in soft sentences, and reading these again
    finds their content."""

    style_weight = 0.2
    content_weight = 0.01

    def __init__(self, size: int, styles: int, embedding: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(size, embedding)
        self.windows = nn.ModuleList(
            nn.Conv1d(embedding, 64, width, padding=width // 2) for width in (1, 3)
        )
        self.output = nn.Linear(128, styles)
        self._optimiser = torch.optim.Adam(self.parameters(), lr=1e-3)

    def prepare(self, sentences: Sentences, styles: Tensor) -> None:
        self._optimiser.zero_grad()
        words = self.embedding(sentences.tokens) * sentences.mask[:, :, None]
        loss = nn.functional.cross_entropy(self._judge(words), styles)
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        self._optimiser.zero_grad()

    def loss(self, model: Autoencoder, batch: Batch) -> Tensor:
        steps = batch.sentences.tokens.shape[1]
        soft = model.soften(batch.content, model.style(batch.others), steps, TEMPERATURE)
        words = soft.probs @ self.embedding.weight.detach() * soft.alive[:, :, None]
        style = nn.functional.cross_entropy(self._judge(words), batch.others)
        self.zero_grad(set_to_none=True)
        again, _ = model.read(soft)
        content = (again - batch.content.detach()).square().sum(1).mean()
        prior = super().loss(model, batch)
        return prior + self.style_weight * style + self.content_weight * content

    def _judge(self, words: Tensor) -> Tensor:
        """(B, styles) logits, of words as vectors (B, T, E)."""
        turned = words.transpose(1, 2)
        peaks = [torch.relu(window(turned)).amax(2) for window in self.windows]
        logits: Tensor = self.output(torch.cat(peaks, 1))
        return logits


class LanguageModels(nn.Module):
    """Yang et al.: a language model of the wanted style finds soft sentences likely.

    The models learn real sentences beforehand and stay as they are, which that paper found enough.
    """

    is_random = False
    weight = 0.3

    def __init__(self, size: int, styles: int, embedding: int, hidden: int) -> None:
        super().__init__()
        self.start = size
        self.models = nn.ModuleList(_Model(size, embedding, hidden) for _ in range(styles))
        self._optimiser = torch.optim.Adam(self.parameters(), lr=1.5e-3)

    def prepare(self, sentences: Sentences, styles: Tensor) -> None:
        self._optimiser.zero_grad()
        first = torch.full_like(sentences.tokens[:, :1], self.start)
        before = torch.cat((first, sentences.tokens[:, :-1]), 1)
        total = torch.zeros(())
        for style, model in enumerate(self.models):
            rows = styles == style
            if rows.any():
                assert isinstance(model, _Model)
                logs = model(model.embedding(before[rows]))
                own = logs.gather(2, sentences.tokens[rows][:, :, None])[:, :, 0]
                total = total - own[sentences.mask[rows]].sum()
        loss = total / sentences.lengths.sum()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        self._optimiser.zero_grad()

    def loss(self, model: Autoencoder, batch: Batch) -> Tensor:
        for value in self.parameters():
            value.requires_grad_(False)
        steps = batch.sentences.tokens.shape[1]
        soft = model.soften(batch.content, model.style(batch.others), steps, TEMPERATURE)
        total = torch.zeros(())
        for style, judge in enumerate(self.models):
            rows = batch.others == style
            if rows.any():
                assert isinstance(judge, _Model)
                probs = soft.probs[rows]
                words = probs[:, :-1] @ judge.embedding.weight[: self.start]
                first = judge.embedding.weight[self.start].expand(len(words), 1, -1)
                logs = judge(torch.cat((first, words), 1))
                surprise = -(probs * logs).sum(2)
                total = total + (surprise * soft.alive[rows]).sum()
        for value in self.parameters():
            value.requires_grad_(True)
        return self.weight * total / soft.alive.sum()


class _Model(nn.Module):
    """Log-probabilities (B, T, V) of each next word, after words as vectors (B, T, E)."""

    def __init__(self, size: int, embedding: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(size + 1, embedding)
        self.states = nn.GRU(embedding, hidden, batch_first=True)
        self.output = nn.Linear(hidden, size)

    def forward(self, words: Tensor) -> Tensor:
        states, _ = self.states(words)
        return torch.log_softmax(self.output(states), 2)
