"""The kinds of steps that Stage II is made of. A new kind is one more value in `KINDS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Literal

import torch

from sda.buffer import Buffer
from sda.text.corpus import POOL, Corpus, Source, batches
from sda.text.sentences import Sentences
from sda.training.progress import Diverged
from sda.training.stages import TrainingSettings
from sda.training.state import TrainState

Batches = Callable[[Source, TrainState, Corpus, TrainingSettings], Iterator[Sentences]]
"""The batches of a step, one for each update, from what it learns from."""


class Loss(Enum):
    """How a step learns."""

    IMITATION = "imitation"
    """The discriminator is told to call the source real, and judges what is written (Eq. 7)."""
    LIKELIHOOD = "likelihood"
    """The likelihood of the source's sentences is raised (Eq. 5)."""


@dataclass(frozen=True)
class Halves:
    """Two sources of which each gives half of what is drawn."""

    first: Source
    second: Source

    def __len__(self) -> int:
        """No sentence can be drawn where one of them is empty."""
        return len(self.first) and len(self.second) and len(self.first) + len(self.second)

    def draw(self, n: int, rng: torch.Generator) -> Sentences:
        half = n // 2
        first = self.first.draw(n - half, rng)
        # A buffer stands on the CPU, training sentences where the models are.
        second = self.second.draw(half, rng).to(first.tokens.device)
        return Sentences.join([first, second])


def _real(_: TrainState, corpus: Corpus) -> Source:
    return corpus.real


def _training(_: TrainState, corpus: Corpus) -> Source:
    return corpus


def _buffer(state: TrainState, _: Corpus) -> Source:
    return state.buffer


def _both(state: TrainState, corpus: Corpus) -> Source:
    return Halves(corpus, state.buffer)


def _one_batch(
    source: Source, state: TrainState, _: Corpus, settings: TrainingSettings
) -> Iterator[Sentences]:
    if not len(source):
        raise Diverged("the buffer is empty: nothing written so far passes the filters")
    yield source.draw(settings.stage2.batch_size, state.rng)


def _some_of_a_walk(
    _: Source, state: TrainState, corpus: Corpus, settings: TrainingSettings
) -> Iterator[Sentences]:
    walk = corpus.batches(settings.mle.batch_size, state.rng)
    return islice(walk, settings.stage2.mle_batches)


def _walk_with_part_of_buffer(
    _: Source, state: TrainState, corpus: Corpus, settings: TrainingSettings
) -> Iterator[Sentences]:
    two, rng = settings.stage2, state.rng
    part = part_of_buffer(state.buffer, two.mixed_share, two.mixed_top, rng)
    mixed = Sentences.join([corpus.train, part.to(corpus.train.tokens.device)])
    return batches(mixed, settings.mle.batch_size, rng, POOL)


def part_of_buffer(buffer: Buffer, share: float, top: bool, rng: torch.Generator) -> Sentences:
    """That share of the buffer, rounded: the best of it, or any."""
    count = round(share * len(buffer))
    return buffer.entries.sentences[:count] if top else buffer.draw(count, rng)


@dataclass(frozen=True)
class Step:
    """One kind of step: what it learns from, how, with which optimiser, and in which batches."""

    name: str
    loss: Loss
    source: Callable[[TrainState, Corpus], Source]
    """What it is told to call real, or raises the likelihood of."""
    optimizer: Literal["mle_optimizer", "policy_optimizer"] = "policy_optimizer"
    """What continues Stage I continues its optimiser. Learning from the buffer begins with a fresh
    one at the rate of Stage II, as imitation does (decision 0114)."""
    batches: Batches = _one_batch
    """Of a likelihood step; imitation shows the discriminator as much as its settings say."""
    reads_buffer: bool = False
    """Whether it needs a buffer: where no step does, nothing is written for one."""
    writes: bool = True
    """Whether sentences are written for the buffer first, and the step's figures are logged."""
    once: bool = False
    """Whether an epoch has one such step, in place of as many as the paper's schedule has."""

    def __repr__(self) -> str:
        return f"Step({self.name})"

    def optimizer_of(self, state: TrainState) -> torch.optim.Optimizer:
        found: torch.optim.Optimizer = getattr(state, self.optimizer)
        return found

    def real_batches(
        self, state: TrainState, corpus: Corpus, settings: TrainingSettings
    ) -> Iterator[Sentences]:
        """What the step raises the likelihood of, a batch for each update."""
        return self.batches(self.source(state, corpus), state, corpus, settings)


TRAINING = Step("training", Loss.IMITATION, _real)
"""Imitate the training data: they are what the discriminator is told to call real."""
AUGMENTED = Step("augmented", Loss.IMITATION, _buffer, reads_buffer=True)
"""Imitate the buffer."""
CONTINUED = Step("likelihood", Loss.LIKELIHOOD, _training, "mle_optimizer")
"""One batch of maximum likelihood on sentences drawn from the training data."""
RANKED = Step("buffer", Loss.LIKELIHOOD, _buffer, reads_buffer=True)
"""One batch of maximum likelihood on sentences drawn from the buffer."""
BLENDED = Step("blended", Loss.LIKELIHOOD, _both, reads_buffer=True)
"""One batch of maximum likelihood, half of it from the training data, half from the buffer."""
MIXED = Step(
    "mixed",
    Loss.LIKELIHOOD,
    _both,
    "mle_optimizer",
    _walk_with_part_of_buffer,
    reads_buffer=True,
    once=True,
)
"""Maximum likelihood on all training data and a part of the buffer."""
INTERLEAVED = Step(
    "interleaved", Loss.LIKELIHOOD, _training, "mle_optimizer", _some_of_a_walk, writes=False
)
"""Some batches of maximum likelihood on the training data, between others; the paper has none."""

KINDS = {step.name: step for step in (TRAINING, AUGMENTED, CONTINUED, RANKED, BLENDED, MIXED)}
"""The kinds that `stage2.steps` can name, each for a Stage II made of nothing else."""
