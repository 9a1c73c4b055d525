"""A toy oracle and training on its sentences, small enough for a second or two."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import mean, stdev

import torch
from fakes import seeded
from loops import walk

from sda.buffer import Buffer
from sda.models.generator import Frame, Generator
from sda.models.oracle import random_oracle
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.sampling import sample
from sda.text.corpus import Corpus
from sda.text.vocabulary import NumberVocabulary
from sda.training.schedule import stage_one
from sda.training.stages import (
    BufferSettings,
    DiscriminatorSettings,
    StageTwoSettings,
    TrainingSettings,
)
from sda.training.state import TrainState
from sda.training.step_kinds import Step

WORDS, LENGTH = 12, 6
SEEDS = 6
STUDENT = 3.365  # exceeded by chance once in a hundred times, at six seeds

SETTINGS = TrainingSettings(
    discriminator_phase=DiscriminatorSettings(
        batch_size=100, first_passes=1, first_sentences=150, rounds=1, passes=1, sentences=100
    ),
    buffer=BufferSettings(candidates=100, first_fill=400),
    stage2=StageTwoSettings(rollouts=2, rollout_every=2),
)


@dataclass(frozen=True)
class Toy:
    """A generator that has learned 150 sentences of an oracle by maximum likelihood."""

    oracle: Generator
    state: TrainState
    corpus: Corpus

    @staticmethod
    def after_stage_one(seed: int) -> Toy:
        """A copy of its own: Stage I is the same for every test, and is trained once."""
        toy, drawn = Toy._trained(seed)
        torch.set_rng_state(drawn)
        return copy.deepcopy(toy)

    @staticmethod
    @cache
    def _trained(seed: int) -> tuple[Toy, torch.Tensor]:
        """And what torch draws next."""
        rng = seeded(seed)
        torch.manual_seed(seed)
        oracle = random_oracle(WORDS, LENGTH, 8, rng)
        data = sample(oracle, 200, rng)
        generator = RnnGenerator(Frame(WORDS, None, LENGTH), rng, embedding=12, hidden=12)
        discriminator = RnnDiscriminator(WORDS, rng, embedding=12, hidden=12)
        state = TrainState(
            generator,
            discriminator,
            torch.optim.Adam(generator.parameters(), 0.01),
            torch.optim.Adam(generator.parameters(), 0.01),
            torch.optim.Adam(discriminator.parameters(), 0.005),
            Buffer(100, ("metric",), None),
            rng,
        )
        corpus = Corpus(NumberVocabulary(WORDS), data[:150], data[150:], LENGTH)
        phases = stage_one(epochs=10, rounds=5)
        list(walk(state, corpus, WeightedSum([]), phases, [], SETTINGS))
        return Toy(oracle, state, corpus), torch.get_rng_state()

    def stage_two(self, metric: ReferenceMetric, schedule: Sequence[Sequence[Step]]) -> None:
        total = WeightedSum([(1.0, metric)])
        list(walk(self.state, self.corpus, total, [], schedule, SETTINGS))


def assert_rises(gain: Callable[[int], float]) -> None:
    """Student's one-sided test over the seeds: the mean gain is above zero, at one per cent."""
    gains = [gain(seed) for seed in range(SEEDS)]
    assert mean(gains) / (stdev(gains) / math.sqrt(SEEDS)) > STUDENT, gains
