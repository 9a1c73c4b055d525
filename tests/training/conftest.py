from collections.abc import Callable

import pytest
import torch
from fakes import seeded

from sda.models.generator import Frame
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.text.corpus import Corpus
from sda.training.state import TrainState
from training.states import state_of


@pytest.fixture
def build(corpus: Corpus) -> Callable[[int], TrainState]:
    """Small models with dropout, and an empty buffer for scores of two parts, from a seed."""

    def build(seed: int) -> TrainState:
        rng = seeded(seed)
        words = len(corpus.vocabulary)
        generator = RnnGenerator(
            Frame(words, corpus.vocabulary.eos, corpus.max_length),
            rng,
            embedding=8,
            hidden=8,
            dropout=0.2,
        )
        discriminator = RnnDiscriminator(words, rng, embedding=8, hidden=8)
        torch.manual_seed(seed)
        return state_of(generator, discriminator, ("bleu-2", "likelihood"), rng)

    return build


@pytest.fixture
def state(build: Callable[[int], TrainState]) -> TrainState:
    return build(3)
