from collections.abc import Callable

import pytest
import torch
from fakes import seeded

from sda.buffer import Buffer
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.text.corpus import Corpus
from sda.training.state import TrainState


@pytest.fixture
def build(corpus: Corpus) -> Callable[[int], TrainState]:
    """Small models with dropout, and an empty buffer for scores of two parts, from a seed."""

    def build(seed: int) -> TrainState:
        rng = seeded(seed)
        words = len(corpus.vocabulary)
        generator = RnnGenerator(
            words, corpus.vocabulary.eos, corpus.max_length, rng, embedding=8, hidden=8, dropout=0.2
        )
        discriminator = RnnDiscriminator(words, rng, embedding=8, hidden=8)
        torch.manual_seed(seed)
        return TrainState(
            generator,
            discriminator,
            torch.optim.Adam(generator.parameters(), 0.01),
            torch.optim.Adam(generator.parameters(), 0.005),
            torch.optim.Adam(discriminator.parameters(), 0.01),
            Buffer(5, ("bleu-2", "likelihood"), corpus.vocabulary.eos),
            rng,
        )

    return build


@pytest.fixture
def state(build: Callable[[int], TrainState]) -> TrainState:
    return build(3)
