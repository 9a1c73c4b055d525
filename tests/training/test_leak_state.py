"""A generator that reads the discriminator goes on as if nothing had happened, too."""

import json
from collections.abc import Iterator
from itertools import islice

import pytest
import torch
from fakes import seeded
from torch import Tensor

from sda.algorithm import self_data_augmentation
from sda.buffer import Buffer
from sda.models.cnn import CnnDiscriminator
from sda.models.leak import LeakGenerator, WorkerReward
from sda.reference.likelihood import Likelihood
from sda.reference.metric import WeightedSum
from sda.text.corpus import Corpus
from sda.training.progress import Progress
from sda.training.schedule import Phase, paper_schedule, stage_one
from sda.training.stages import (
    BufferSettings,
    DiscriminatorSettings,
    MleSettings,
    StageTwoSettings,
    TrainingSettings,
)
from sda.training.state import Json, TrainState
from sda.training.walk import expecting

SETTINGS = TrainingSettings(
    mle=MleSettings(batch_size=4),
    discriminator_phase=DiscriminatorSettings(
        batch_size=8, first_passes=1, first_sentences=8, rounds=1, passes=1, sentences=8
    ),
    buffer=BufferSettings(candidates=10, first_fill=20),
    stage2=StageTwoSettings(batch_size=4, rollouts=2, rollout_every=2, rescale="rank"),
)
PHASES = stage_one(epochs=4, rounds=2, alternations=2)
SCHEDULE = paper_schedule(2, first=2, every=1)


def build(
    seed: int, corpus: Corpus, worker_reward: WorkerReward, cache_megabytes: int = 1
) -> TrainState:
    rng = seeded(seed)
    words = len(corpus.vocabulary)
    discriminator = CnnDiscriminator(words, rng, 4, widths=(1, 2, 4), maps=(4, 3, 3))
    generator = LeakGenerator(
        words,
        corpus.vocabulary.eos,
        corpus.max_length,
        rng,
        discriminator,
        embedding=6,
        hidden=6,
        block=2,
        dropout=0.2,
        worker_reward=worker_reward,
        cache_megabytes=cache_megabytes,
    )
    torch.manual_seed(seed)
    return TrainState(
        generator,
        discriminator,
        torch.optim.Adam(generator.parameters(), 0.01),
        torch.optim.Adam(generator.parameters(), 0.005),
        torch.optim.Adam(discriminator.parameters(), 0.01),
        Buffer(5, ("likelihood",), corpus.vocabulary.eos),
        rng,
    )


def train(state: TrainState, corpus: Corpus) -> Iterator[Progress]:
    metric = WeightedSum([(1.0, Likelihood(state.generator))])
    loop = self_data_augmentation(
        state=state,
        corpus=corpus,
        metric=metric,
        phases=PHASES,
        schedule=SCHEDULE,
        settings=SETTINGS,
    )
    return expecting(loop, state, corpus, len(PHASES))


def saved(state: TrainState) -> tuple[dict[str, Tensor], Json]:
    """What a file would hold."""
    tensors = {name: value.clone() for name, value in state.tensors().items()}
    return tensors, json.loads(json.dumps(state.counters()))


@pytest.mark.parametrize("worker_reward", ["q", "intrinsic"])
@pytest.mark.parametrize("cache_megabytes", [0, 1])
def test_a_saved_state_goes_on_as_if_nothing_had_happened(
    corpus: Corpus, worker_reward: WorkerReward, cache_megabytes: int
) -> None:
    """Two epochs come between rounds of the discriminator, so one stop is between two of a turn."""
    whole = build(3, corpus, worker_reward, cache_megabytes)
    snapshots, progress = [saved(whole)], []
    for entry in train(whole, corpus):
        progress.append(entry)
        snapshots.append(saved(whole))
    expected, _ = snapshots[-1]
    assert len(progress) == len(PHASES) + len(SCHEDULE)

    for done, (tensors, counters) in enumerate(snapshots):
        resumed = build(4, corpus, worker_reward, cache_megabytes)
        resumed.load(tensors, counters)
        assert list(train(resumed, corpus)) == progress[done:]
        found, _ = saved(resumed)
        assert found.keys() == expected.keys()
        for name, value in found.items():
            assert torch.equal(value, expected[name]), f"{name} after {done} epochs"


def test_kept_features_change_nothing_but_rounding(corpus: Corpus) -> None:
    with_cache, without = (
        list(islice(train(build(3, corpus, "q", megabytes), corpus), len(PHASES)))
        for megabytes in (1, 0)
    )
    for one, other in zip(with_cache, without, strict=True):
        assert one.values == pytest.approx(other.values, abs=1e-4)


def test_each_phase_of_stage_one_changes_one_model_alone(corpus: Corpus) -> None:
    state = build(3, corpus, "q")
    before, _ = saved(state)
    for phase, _ in zip(PHASES, train(state, corpus), strict=False):
        after, _ = saved(state)
        changed = {
            name.partition(".")[0]
            for name, value in after.items()
            if name.startswith(("generator.", "discriminator."))
            and not torch.equal(value, before[name])
        }
        assert changed == {"generator" if phase is Phase.GENERATOR else "discriminator"}
        before = after
