"""Sampling, rollouts and training epochs at SeqGAN's sizes, against the same from a textbook.

Long jobs are timed on a part and scaled: all batches cost the same. Where a side trains, it has
models of its own.

The rows come in the order of a run, because memory remembers: the first epochs of maximum
likelihood find a small heap, and the textbook, which asks for the logits of a whole batch at a
time, spends a third of its time on pages that the kernel gives and takes back. After large work in
the same process that cost is gone, and ours is about 1.5 times as fast at the MLE epoch, not 2.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from benchmarks import textbook_models as textbook
from benchmarks.harness import Row, compare
from sda.buffer import Buffer
from sda.models.cnn import CnnDiscriminator
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame, Generator
from sda.models.rnn import RnnGenerator
from sda.rewards import rollout_rewards
from sda.sampling import sample
from sda.text.corpus import batches
from sda.text.sentences import Sentences
from sda.training.gradients import part_of
from sda.training.progress import Meter
from sda.training.state import Learner, TrainState
from sda.training.steps import nll, update_discriminator, update_generator

VOCABULARY = 5000
LENGTH = 20
SENTENCES = 10_000
ROLLOUTS = 16
WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20)
MAPS = (100, 200, 200, 200, 200, 100, 100, 100, 100, 100, 160, 160)
# What is timed of a long job: whole batches.
SAMPLING_PART = 10 * textbook.BATCH
DISCRIMINATOR_PART = 20 * textbook.BATCH
MLE_PART = 40 * textbook.BATCH


def rows() -> list[Row]:
    rng = torch.Generator().manual_seed(0)
    return [
        mle_row(rng),
        *padding_rows(rng),
        sampling_row(rng),
        discriminator_row(rng),
        rollout_row(rng),
    ]


def mle_row(rng: torch.Generator) -> Row:
    sentences = random_sentences(torch.full((MLE_PART,), LENGTH), LENGTH, rng)
    ours_seconds, textbook_seconds = compare(
        MleEpoch(rnn_state(rng), sentences), TextbookEpoch(sentences, rng)
    )
    scale = SENTENCES / MLE_PART
    return Row(
        "MLE epoch",
        ours_seconds * scale,
        textbook_seconds * scale,
        1.7,
        f"{SENTENCES:,} x {LENGTH} of {VOCABULARY:,} words, small heap; timed on {MLE_PART:,}",
    )


def padding_rows(rng: torch.Generator) -> list[Row]:
    """Lengths as of COCO captions, mean 11: what padding costs the textbook, and us."""
    lengths = 9 + torch.empty(MLE_PART).exponential_(1 / 2, generator=rng).round().long()
    narrow = random_sentences(lengths.clamp(max=32), 32, rng)
    wide = random_sentences(lengths.clamp(max=32), 64, rng)
    ours_seconds, textbook_seconds = compare(
        MleEpoch(rnn_state(rng), narrow), TextbookEpoch(narrow, rng)
    )
    wide_seconds, narrow_seconds = compare(
        MleEpoch(rnn_state(rng), wide), MleEpoch(rnn_state(rng), narrow), rounds=7
    )
    scale = SENTENCES / MLE_PART
    size = f"{SENTENCES:,} of mean length {narrow.lengths.double().mean():.1f}"
    return [
        Row(
            "MLE epoch, padded",
            ours_seconds * scale,
            textbook_seconds * scale,
            3.5,
            f"{size} padded to 32; timed on {MLE_PART:,}",
        ),
        Row(
            "padding costs nothing",
            wide_seconds * scale,
            narrow_seconds * scale,
            0.95,
            f"{size}; ours padded to 64 against ours padded to 32; timed on {MLE_PART:,}",
        ),
    ]


def sampling_row(rng: torch.Generator) -> Row:
    generator = make_generator(rng)
    ours_seconds, textbook_seconds = compare(
        lambda: sample(generator, SENTENCES, rng),
        lambda: textbook.sample(generator, SAMPLING_PART, rng),
    )
    return Row(
        "sampling",
        ours_seconds,
        textbook_seconds * SENTENCES / SAMPLING_PART,
        8.0,
        f"{SENTENCES:,} x {LENGTH} of {VOCABULARY:,} words; textbook timed on {SAMPLING_PART}",
    )


def discriminator_row(rng: torch.Generator) -> Row:
    state, discriminator = rnn_state(rng), make_discriminator(rng)
    optimizer = torch.optim.Adam(discriminator.parameters(), 1e-4)
    full = torch.full((DISCRIMINATOR_PART,), LENGTH)
    real, fake = (random_sentences(full, LENGTH, rng) for _ in range(2))

    def ours() -> None:
        pairs = (batches(sentences, textbook.BATCH, rng) for sentences in (real, fake))
        for some_real, some_fake in zip(*pairs, strict=True):
            update_discriminator(state, some_real, some_fake, "real", Meter())

    ours_seconds, textbook_seconds = compare(
        ours,
        lambda: textbook.discriminator_epoch(
            discriminator, optimizer, real.tokens, fake.tokens, rng
        ),
    )
    scale = SENTENCES / DISCRIMINATOR_PART
    return Row(
        "discriminator epoch",
        ours_seconds * scale,
        textbook_seconds * scale,
        1.6,
        f"{SENTENCES:,} + {SENTENCES:,} x {LENGTH}, SeqGAN's CNN; timed on {DISCRIMINATOR_PART:,}",
    )


def rollout_row(rng: torch.Generator) -> Row:
    generator, discriminator = make_generator(rng), make_discriminator(rng).eval()
    sentences = random_sentences(torch.full((textbook.BATCH,), LENGTH), LENGTH, rng)
    ours_seconds, textbook_seconds = compare(
        lambda: rollout_rewards(generator, discriminator, sentences, ROLLOUTS, rng),
        lambda: textbook.rollout_rewards(generator, discriminator, sentences.tokens, 1, rng),
    )
    return Row(
        "rollout rewards",
        ours_seconds,
        textbook_seconds * ROLLOUTS,
        4.0,
        f"{len(sentences)} x {LENGTH}, {ROLLOUTS} rollouts, SeqGAN's CNN; textbook timed on one",
    )


class MleEpoch:
    """One epoch of Stage I as a run does it."""

    def __init__(self, state: TrainState, sentences: Sentences) -> None:
        self.state = state
        self.sentences = sentences

    def __call__(self) -> None:
        state = self.state
        for real in batches(self.sentences, textbook.BATCH, state.rng):
            learner = Learner(state.generator, state.mle_optimizer)
            loss = part_of(real, partial(nll, state.generator))
            update_generator(state, learner, len(real), loss, textbook.CLIP, Meter())


class TextbookEpoch:
    """The textbook's epoch on a model of its own."""

    def __init__(self, sentences: Sentences, rng: torch.Generator) -> None:
        self.generator = make_generator(rng)
        self.optimizer = torch.optim.Adam(self.generator.parameters(), 1e-3)
        self.sentences = sentences
        self.rng = rng

    def __call__(self) -> None:
        textbook.mle_epoch(self.generator, self.optimizer, self.sentences, self.rng)


def make_generator(rng: torch.Generator) -> RnnGenerator:
    return RnnGenerator(Frame(VOCABULARY, None, LENGTH), rng)


def make_discriminator(rng: torch.Generator) -> CnnDiscriminator:
    return CnnDiscriminator(VOCABULARY, rng, widths=WIDTHS, maps=MAPS)


def rnn_state(rng: torch.Generator) -> TrainState:
    return make_state(make_generator(rng), make_discriminator(rng), rng)


def make_state(
    generator: Generator, discriminator: Discriminator, rng: torch.Generator, rate: float = 1e-3
) -> TrainState:
    """Both models with the optimisers that a run gives them; Stage I has the rate."""
    return TrainState(
        generator,
        discriminator,
        torch.optim.Adam(generator.parameters(), rate, fused=True),
        torch.optim.Adam(generator.parameters(), 1e-4, fused=True),
        torch.optim.Adam(discriminator.parameters(), 1e-4, fused=True),
        Buffer(1, (), None),
        rng,
    )


def random_sentences(lengths: Tensor, width: int, rng: torch.Generator) -> Sentences:
    """Sentences of the given lengths (B,), every word equally likely, padded to the width."""
    words = torch.randint(VOCABULARY, (len(lengths), width), generator=rng)
    return Sentences(words * (torch.arange(width) < lengths[:, None]), lengths)
