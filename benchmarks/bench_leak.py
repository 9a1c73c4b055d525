"""LeakRNN at LeakGAN's sizes for synthetic sentences, against the same from a textbook.

Long jobs are timed on a part and scaled: all batches cost the same. Where a side trains, it has
models of its own.

Most of our time goes into two products that the textbook needs as well, at the speed of the
machine: the highway of each prefix and the output layer. In an MLE epoch by itself they leave room
for a ratio of about 5, not more. The highway's is done once for all epochs between two rounds of
the discriminator, so the epoch that counts is the mean of such a turn.
"""

from __future__ import annotations

import torch

from benchmarks import textbook_leak as textbook
from benchmarks.bench_models import (
    LENGTH,
    SENTENCES,
    VOCABULARY,
    MleEpoch,
    make_discriminator,
    make_state,
    random_sentences,
)
from benchmarks.harness import Row, compare, least_cpu_seconds
from benchmarks.textbook_models import BATCH
from sda.models.cnn import CnnDiscriminator
from sda.models.generator import Frame
from sda.models.leak import LeakGenerator
from sda.rewards import rollout_rewards
from sda.sampling import sample
from sda.text.sentences import Sentences
from sda.training.state import TrainState

ROLLOUTS = 4
RATE = 0.0015
TURN = 8  # epochs between two rounds of the discriminator: LeakGAN's 80 come in ten turns
SIZE = f"{LENGTH} of {VOCABULARY:,} words, LeakGAN's sizes"
# What is timed of a long job: whole batches.
SAMPLING_PART = 10 * BATCH
MLE_PART = 10 * BATCH
TEXTBOOK_PART = BATCH


def rows() -> list[Row]:
    rng = torch.Generator().manual_seed(0)
    return [*mle_rows(rng), sampling_row(rng), rollout_row(rng)]


def mle_rows(rng: torch.Generator) -> list[Row]:
    sentences = fixed_sentences(MLE_PART, rng)
    turn, epoch = MleTurn(sentences, rng), MleEpoch(leak_state(rng), sentences)
    textbook_epoch = TextbookEpoch(sentences[:TEXTBOOK_PART], rng)
    turn_seconds, textbook_seconds = compare(turn, textbook_epoch)
    epoch_seconds = least_cpu_seconds(epoch)
    reference_seconds = textbook_seconds * SENTENCES / TEXTBOOK_PART
    what = f"{SENTENCES:,} x {SIZE}"
    parts = f"timed on {MLE_PART}, textbook on {TEXTBOOK_PART}"
    return [
        Row(
            "LeakRNN MLE epoch",
            turn_seconds / TURN * SENTENCES / MLE_PART,
            reference_seconds,
            6.0,
            f"{what}; mean of the {TURN} epochs between two rounds of the discriminator, in which"
            f" leaked features are computed once; {parts}",
        ),
        Row(
            "LeakRNN MLE epoch, nothing kept",
            epoch_seconds * SENTENCES / MLE_PART,
            reference_seconds,
            None,
            f"{what}; features computed in each epoch; {parts}",
        ),
    ]


def sampling_row(rng: torch.Generator) -> Row:
    generator, discriminator = make_models(rng)
    model = textbook.TextbookLeak(generator)
    ours_seconds, textbook_seconds = compare(
        lambda: sample(generator, SAMPLING_PART, rng),
        lambda: textbook.sample(model, discriminator, TEXTBOOK_PART, rng),
    )
    return Row(
        "LeakRNN sampling",
        ours_seconds * SENTENCES / SAMPLING_PART,
        textbook_seconds * SENTENCES / TEXTBOOK_PART,
        4.0,
        f"{SENTENCES:,} x {SIZE}; timed on {SAMPLING_PART}, textbook on {TEXTBOOK_PART}",
    )


def rollout_row(rng: torch.Generator) -> Row:
    generator, discriminator = make_models(rng)
    discriminator.eval()
    model = textbook.TextbookLeak(generator)
    sentences = fixed_sentences(BATCH, rng)
    ours_seconds, textbook_seconds = compare(
        lambda: rollout_rewards(
            generator, discriminator, sentences, ROLLOUTS, rng, every=generator.block
        ),
        lambda: textbook.rollout_rewards(model, discriminator, sentences.tokens, 1, rng),
    )
    return Row(
        "LeakRNN rollout rewards",
        ours_seconds,
        textbook_seconds * ROLLOUTS,
        6.0,
        f"{len(sentences)} x {SIZE}, {ROLLOUTS} rollouts of every {generator.block}th beginning;"
        " textbook timed on one",
    )


class MleTurn:
    """The epochs of Stage I between two rounds of the discriminator, as a run does them."""

    def __init__(self, sentences: Sentences, rng: torch.Generator) -> None:
        self.epoch = MleEpoch(leak_state(rng), sentences)
        self.epoch.state.generator.expect(sentences)

    @torch.no_grad()
    def renew(self) -> None:
        """The discriminator is another one than in the turn before."""
        for weights in self.epoch.state.discriminator.parameters():
            weights.mul_(0.999)

    def __call__(self) -> None:
        self.renew()
        for _ in range(TURN):
            self.epoch()


class TextbookEpoch:
    """The textbook's epoch on models of its own."""

    def __init__(self, sentences: Sentences, rng: torch.Generator) -> None:
        generator, self.discriminator = make_models(rng)
        self.model = textbook.TextbookLeak(generator)
        self.optimizer = torch.optim.Adam(self.model.parameters(), RATE)
        self.tokens = sentences.tokens
        self.rng = rng

    def __call__(self) -> None:
        textbook.mle_epoch(self.model, self.discriminator, self.optimizer, self.tokens, self.rng)


def make_models(rng: torch.Generator) -> tuple[LeakGenerator, CnnDiscriminator]:
    discriminator = make_discriminator(rng)
    return LeakGenerator(Frame(VOCABULARY, None, LENGTH), rng, discriminator), discriminator


def leak_state(rng: torch.Generator) -> TrainState:
    return make_state(*make_models(rng), rng, RATE)


def fixed_sentences(n: int, rng: torch.Generator) -> Sentences:
    return random_sentences(torch.full((n,), LENGTH), LENGTH, rng)
