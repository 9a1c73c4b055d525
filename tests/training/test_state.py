import json
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from fakes import seeded
from loops import walk

from sda.reference.bleu import Bleu
from sda.reference.likelihood import Likelihood
from sda.reference.metric import WeightedSum
from sda.text.corpus import Corpus
from sda.training.progress import Progress
from sda.training.stages import MleSettings
from sda.training.state import TrainState
from training.states import PHASES, SCHEDULE, SETTINGS, assert_goes_on, saved

STOPPING = SETTINGS.model_copy(
    update={"mle": MleSettings(batch_size=4, patience=1, rate_drops=9, keep_best=True)}
)

Build = Callable[[int], TrainState]


def train(state: TrainState, corpus: Corpus) -> Iterator[Progress]:
    metric = WeightedSum(
        [
            (1.0, Bleu(corpus.vocabulary, corpus.train, seeded(0), order=2)),
            (0.01, Likelihood(state.generator)),
        ]
    )
    return walk(state, corpus, metric, PHASES, SCHEDULE, STOPPING)


@pytest.mark.slow
def test_a_saved_state_goes_on_as_if_nothing_had_happened(build: Build, corpus: Corpus) -> None:
    whole = build(3)
    whole.mle_optimizer.param_groups[0]["lr"] = 0.5  # too fast, so that it is lowered on the way
    progress = assert_goes_on(whole, lambda: build(4), lambda state: train(state, corpus))

    assert len(progress) == len(PHASES) + len(SCHEDULE)
    assert whole.rate_drops > 0


@pytest.mark.slow
def test_the_seed_decides_everything(build: Build, corpus: Corpus) -> None:
    one, same, other = (list(train(build(seed), corpus)) for seed in (3, 3, 4))

    assert one == same
    assert one != other


def test_counters_are_plain_json_from_the_first_moment(state: TrainState) -> None:
    text = json.dumps(state.counters(), allow_nan=False)

    assert json.loads(text)["best_nll"] is None
    state.load(state.tensors(), json.loads(text))
    assert state.best_nll == float("inf")


def test_learning_rates_are_saved(build: Build) -> None:
    one, other = build(3), build(4)
    one.policy_optimizer.param_groups[0]["lr"] = 0.123
    other.load(*saved(one))

    assert other.policy_optimizer.param_groups[0]["lr"] == 0.123
    assert other.mle_optimizer.param_groups[0]["lr"] == 0.01


def test_the_two_optimisers_of_the_generator_are_apart(build: Build, corpus: Corpus) -> None:
    state = build(3)
    list(islice(train(state, corpus), len(PHASES)))
    names = saved(state)[0]

    assert any(name.startswith("mle_optimizer.") for name in names)
    assert not any(name.startswith("policy_optimizer.") for name in names)
