"""Training of every generator goes on from a checkpoint as if nothing had happened."""

from pathlib import Path

import pytest
import torch
from fakes import seeded

from contracts.test_generators import CASES, WORDS, every_sentence, parameters
from sda.buffer import Buffer
from sda.models.rnn import RnnDiscriminator
from sda.runs.checkpoint import Checkpoint, Checkpoints
from sda.training.gradients import part_of
from sda.training.progress import Meter
from sda.training.state import Learner, TrainState
from sda.training.steps import update_generator


@pytest.mark.parametrize("name", [name for name in CASES if "oracle" not in name])
def test_training_taken_up_again_ends_bit_for_bit_the_same(name: str, tmp_path: Path) -> None:
    def fresh(seed: int) -> TrainState:
        rng = seeded(seed)
        torch.manual_seed(seed)
        generator = CASES[name](rng)
        discriminator = RnnDiscriminator(WORDS, rng, embedding=2, hidden=2)
        mle, policy, judging = (
            torch.optim.Adam(model.parameters(), 0.01, fused=True)
            for model in (generator, generator, discriminator)
        )
        buffer = Buffer(1, (), None)
        return TrainState(generator, discriminator, mle, policy, judging, buffer, rng)

    def train(state: TrainState) -> None:
        for _ in range(2):
            sentences = every_sentence(state.generator)
            learner = Learner(state.generator, state.mle_optimizer)
            loss = part_of(sentences, state.generator.loss)
            update_generator(state, learner, len(sentences), loss, 5.0, Meter())

    one, other = fresh(3), fresh(4)
    checkpoints = Checkpoints(tmp_path)
    train(one)
    checkpoints.save("middle", Checkpoint(one.tensors(), {"counters": one.counters()}))
    train(one)
    saved = checkpoints.load("middle")
    other.load(saved.tensors, saved.values["counters"])
    train(other)

    for value, expected in zip(parameters(other.generator), parameters(one.generator), strict=True):
        assert torch.equal(value, expected)
