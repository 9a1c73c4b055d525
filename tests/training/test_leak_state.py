"""A generator that reads the discriminator goes on as if nothing had happened, too."""

from collections.abc import Iterator
from itertools import islice

import pytest
import torch
from fakes import seeded
from loops import walk

from sda.models.cnn import CnnDiscriminator
from sda.models.generator import Frame
from sda.models.leak import LeakGenerator, WorkerReward
from sda.reference.likelihood import Likelihood
from sda.reference.metric import WeightedSum
from sda.text.corpus import Corpus
from sda.training.progress import Progress
from sda.training.schedule import Phase
from sda.training.stages import StageTwoSettings
from sda.training.state import TrainState
from sda.training.walk import expecting
from training.states import PHASES, SCHEDULE, SETTINGS, assert_goes_on, saved, state_of

LEAK = SETTINGS.model_copy(
    update={
        "stage2": StageTwoSettings(batch_size=4, rollouts=2, rollout_every=2, rescale="rank"),
    }
)


def build(
    seed: int, corpus: Corpus, worker_reward: WorkerReward, cache_megabytes: int = 1
) -> TrainState:
    rng = seeded(seed)
    words = len(corpus.vocabulary)
    discriminator = CnnDiscriminator(words, rng, 4, widths=(1, 2, 4), maps=(4, 3, 3))
    generator = LeakGenerator(
        Frame(words, corpus.vocabulary.eos, corpus.max_length),
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
    return state_of(generator, discriminator, ("likelihood",), rng)


def train(state: TrainState, corpus: Corpus) -> Iterator[Progress]:
    metric = WeightedSum([(1.0, Likelihood(state.generator))])
    loop = walk(state, corpus, metric, PHASES, SCHEDULE, LEAK)
    return expecting(loop, state, corpus, len(PHASES))


@pytest.mark.parametrize("worker_reward", ["q", "intrinsic"])
@pytest.mark.parametrize("cache_megabytes", [0, 1])
def test_a_saved_state_goes_on_as_if_nothing_had_happened(
    corpus: Corpus, worker_reward: WorkerReward, cache_megabytes: int
) -> None:
    """Two epochs come between rounds of the discriminator, so one stop is between two of a turn."""
    progress = assert_goes_on(
        build(3, corpus, worker_reward, cache_megabytes),
        lambda: build(4, corpus, worker_reward, cache_megabytes),
        lambda state: train(state, corpus),
    )

    assert len(progress) == len(PHASES) + len(SCHEDULE)


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
