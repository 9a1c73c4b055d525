"""Where real sentences come from: drawn at random, or walked in batches.

There is no test split here, on purpose: training code is handed a `Corpus` and can reach no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import torch
from torch import Tensor

from sda.text.context import Context
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary

POOL = 16
"""Batches among which sentences are sorted by length."""


class Source(Protocol):
    """Anything that sentences can be drawn from."""

    def __len__(self) -> int: ...

    def draw(self, n: int, rng: torch.Generator) -> Sentences: ...


def draw(sentences: Sentences, n: int, rng: torch.Generator) -> Sentences:
    """`n` sentences at random, trimmed; none comes twice before all have come once."""
    if n and not len(sentences):
        raise ValueError("there is no sentence to draw")
    orders: list[Tensor] = [torch.zeros(0, dtype=torch.int64)]
    left = n
    while left > 0:
        orders.append(_shuffled(len(sentences), rng)[:left])
        left -= len(orders[-1])
    return _taken(sentences, torch.cat(orders))


def draw_contexts(
    sentences: Sentences, n: int, rng: torch.Generator, copies: int = 1
) -> Context | None:
    """What `n` sentences are about, each `copies` in a row about what one drawn at random is; None,
    and nothing drawn, where they are about nothing."""
    if sentences.context is None:
        return None
    drawn = draw(sentences, n // copies, rng).context
    return drawn if drawn is None or copies == 1 else drawn.repeated(copies)


@dataclass(frozen=True)
class Pool:
    """Sentences to draw from, and nothing else."""

    sentences: Sentences

    def __len__(self) -> int:
        return len(self.sentences)

    def draw(self, n: int, rng: torch.Generator) -> Sentences:
        return draw(self.sentences, n, rng)


def batches(
    sentences: Sentences,
    size: int,
    rng: torch.Generator,
    pool: int = 1,
    limit: int | None = None,
) -> Iterator[Sentences]:
    """Every sentence once, in random order, `size` at a time, each batch trimmed.

    The last batch holds what is left and may be smaller. With a `pool`, sentences of like length
    share a batch: each run of so many batches is sorted by length, cut, and its batches shuffled.
    With a `limit` only so many sentences come, drawn at random.
    """
    if size < 1:
        raise ValueError(f"a batch of {size} sentences")
    order = _shuffled(len(sentences), rng)[:limit]
    for start in range(0, len(order), size * pool):
        part = order[start : start + size * pool]
        if pool > 1:
            part = part[sentences.lengths[part].cpu().argsort(stable=True)]
        firsts = range(0, len(part), size)
        turns = _shuffled(len(firsts), rng).tolist() if pool > 1 else range(len(firsts))
        for turn in turns:
            yield _taken(sentences, part[firsts[turn] : firsts[turn] + size])


@dataclass(frozen=True)
class Corpus:
    """The sentences that training may see, with the vocabulary that writes them.

    `max_length` is the most tokens a model must be able to write, the end symbol counted. `walk` is
    how many training sentences one epoch sees, drawn at random; all of them unless it is given. It
    keeps the number of updates when the training sentences become more. `unseen` are sentences that
    the generator never learns by likelihood, kept for the discriminator. `labels` are the names of
    the labels that sentences have in their context, in the order of their numbers.
    """

    vocabulary: Vocabulary
    train: Sentences
    valid: Sentences
    max_length: int
    walk: int | None = None
    unseen: Sentences | None = None
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = (self.train, self.valid, *([] if self.unseen is None else [self.unseen]))
        longest = int(torch.cat([sentences.lengths for sentences in known]).max())
        if longest > self.max_length:
            raise ValueError(f"a sentence of {longest} tokens where max_length = {self.max_length}")

    def __len__(self) -> int:
        """The number of training sentences."""
        return len(self.train)

    @property
    def real(self) -> Source:
        """What the discriminator takes for real: unseen sentences, or else those of training."""
        return self if self.unseen is None else Pool(self.unseen)

    def draw(self, n: int, rng: torch.Generator) -> Sentences:
        """`n` training sentences at random; none comes twice before all have come once."""
        return draw(self.train, n, rng)

    def contexts(self, n: int, rng: torch.Generator) -> Context | None:
        """What `n` sentences to be written are about, drawn as training sentences are; None where
        these are about nothing."""
        return draw_contexts(self.train, n, rng)

    def to(self, device: torch.device | str) -> Corpus:
        """The same sentences on the device."""
        unseen = None if self.unseen is None else self.unseen.to(device)
        train, valid = self.train.to(device), self.valid.to(device)
        return replace(self, train=train, valid=valid, unseen=unseen)

    def batches(self, size: int, rng: torch.Generator) -> Iterator[Sentences]:
        """One epoch: each training sentence once, or `walk` of them, `size` of like length at a
        time, in random order.

        Unlike lengths would cost a third of the time for padding.
        """
        return batches(self.train, size, rng, POOL, self.walk)


def _shuffled(n: int, rng: torch.Generator) -> Tensor:
    return torch.randperm(n, generator=rng)


def _taken(sentences: Sentences, index: Tensor) -> Sentences:
    return sentences[index.to(sentences.tokens.device)].trimmed()
