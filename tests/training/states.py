"""States of training small enough to be saved after every epoch, and what resuming must give."""

import json
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from sda.buffer import Buffer
from sda.models.discriminator import Discriminator
from sda.models.generator import Generator
from sda.training import stages
from sda.training.progress import Progress
from sda.training.schedule import paper_schedule, stage_one
from sda.training.state import Json, TrainState

SETTINGS = stages.TrainingSettings(
    mle=stages.MleSettings(batch_size=4),
    discriminator_phase=stages.DiscriminatorSettings(
        batch_size=8, first_passes=1, first_sentences=8, rounds=1, passes=1, sentences=8
    ),
    buffer=stages.BufferSettings(candidates=10, first_fill=20),
    stage2=stages.StageTwoSettings(batch_size=4, rollouts=2),
)
PHASES = stage_one(epochs=4, rounds=2, alternations=2)
SCHEDULE = paper_schedule(2, first=2, every=1)

Train = Callable[[TrainState], Iterator[Progress]]


def state_of(
    generator: Generator, discriminator: Discriminator, parts: tuple[str, ...], rng: torch.Generator
) -> TrainState:
    """Both models with optimisers of their own, and an empty buffer for scores of these parts."""
    return TrainState(
        generator,
        discriminator,
        torch.optim.Adam(generator.parameters(), 0.01),
        torch.optim.Adam(generator.parameters(), 0.005),
        torch.optim.Adam(discriminator.parameters(), 0.01),
        Buffer(5, parts, generator.eos),
        rng,
    )


def saved(state: TrainState) -> tuple[dict[str, Tensor], Json]:
    """What a file would hold."""
    tensors = {name: value.clone() for name, value in state.tensors().items()}
    return tensors, json.loads(json.dumps(state.counters(), allow_nan=False))


def assert_goes_on(
    whole: TrainState, build: Callable[[], TrainState], train: Train
) -> list[Progress]:
    """The progress of `whole` to its end; what is loaded after any entry of it ends the same."""
    snapshots, progress = [saved(whole)], []
    for entry in train(whole):
        progress.append(entry)
        snapshots.append(saved(whole))
    expected, expected_counters = snapshots[-1]

    for done, (tensors, counters) in enumerate(snapshots):
        resumed = build()
        resumed.load(tensors, counters)
        assert list(train(resumed)) == progress[done:]
        found, found_counters = saved(resumed)
        assert found_counters == expected_counters
        assert found.keys() == expected.keys()
        for name, value in found.items():
            assert torch.equal(value, expected[name]), f"{name} after {done} epochs"
    return progress
