"""Two policies: who learns when, how they are kept together, and that they go on after a stop."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from fakes import seeded
from loops import walk
from torch import Tensor, nn
from training.states import assert_goes_on

from sda.baselines.two_policy import TwoPolicies
from sda.buffer import Buffer
from sda.models.cnn import CnnDiscriminator
from sda.models.generator import Frame
from sda.models.leak import LeakGenerator
from sda.models.rnn import RnnGenerator
from sda.reference.likelihood import Likelihood
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.training.progress import Progress
from sda.training.schedule import paper_schedule
from sda.training.stages import (
    BufferSettings,
    DiscriminatorSettings,
    StageTwoSettings,
    TrainingSettings,
)
from sda.training.state import SecondPolicy, TrainState
from sda.training.step_kinds import AUGMENTED, TRAINING, Step
from sda.training.wasserstein import Critic, critic_optimizer

T, A = TRAINING, AUGMENTED
SCHEDULE = paper_schedule(3, first=2, every=1)


class Length:
    name = "length"
    depends_on_generator = False

    def __call__(self, sentences: Sentences) -> Tensor:
        return sentences.lengths.double()


def settings(**two: Any) -> TrainingSettings:
    values = {"lambda_w": 0.5, "entropy": 0.1, "batch_size": 4, "rollouts": 2} | two
    return TrainingSettings(
        discriminator_phase=DiscriminatorSettings(batch_size=8, rounds=1, passes=1, sentences=8),
        buffer=BufferSettings(candidates=10, first_fill=20),
        stage2=StageTwoSettings(two_policy=True, **values),
    )


def build(
    corpus: Corpus, seed: int, adam: bool = True, leak: bool = False, second: bool = True
) -> TrainState:
    rng = seeded(seed)
    vocabulary, longest = corpus.vocabulary, corpus.max_length
    words = len(vocabulary)
    discriminator = CnnDiscriminator(words, rng, 4, widths=(1, 2), maps=(4, 3), dropout=0.0)

    def generator() -> LeakGenerator | RnnGenerator:
        if leak:
            return LeakGenerator(
                Frame(words, vocabulary.eos, longest),
                rng,
                discriminator,
                embedding=6,
                hidden=6,
                block=2,
            )
        return RnnGenerator(Frame(words, vocabulary.eos, longest), rng, embedding=8, hidden=8)

    def optimizer(model: nn.Module) -> torch.optim.Optimizer:
        make = torch.optim.Adam if adam else torch.optim.SGD
        return make(model.parameters(), 0.01)

    first = generator()
    state = TrainState(
        first,
        discriminator,
        optimizer(first),
        optimizer(first),
        optimizer(discriminator),
        Buffer(5, ("metric",), vocabulary.eos),
        seeded(seed),
    )
    if second:
        other, critic = generator(), Critic(7, rng, hidden=8)
        state.second = SecondPolicy(other, optimizer(other), critic, critic_optimizer(critic))
    torch.manual_seed(seed)
    return state


def train(
    state: TrainState,
    corpus: Corpus,
    schedule: list[list[Step]] = SCHEDULE,
    metric: ReferenceMetric | None = None,
    **two: Any,
) -> Iterator[Progress]:
    total = WeightedSum([(1.0, metric or Length())])
    all_settings = settings(**two)
    return walk(
        state,
        corpus,
        total,
        [],
        schedule,
        all_settings,
        policies=TwoPolicies(state, corpus, schedule, all_settings.stage2),
    )


def weights(model: nn.Module) -> Tensor:
    return torch.cat([value.detach().flatten().clone() for value in model.parameters()])


def policies(state: TrainState) -> tuple[Tensor, Tensor]:
    assert state.second is not None
    return weights(state.generator), weights(state.second.generator)


@pytest.mark.slow
@pytest.mark.parametrize("leak", [False, True])
@pytest.mark.parametrize("hand_over", [False, True])
def test_a_saved_state_goes_on_as_if_nothing_had_happened(
    corpus: Corpus, leak: bool, hand_over: bool
) -> None:
    def go_on(state: TrainState) -> Iterator[Progress]:
        metric = Likelihood(state.generator)
        return train(state, corpus, metric=metric, hand_over=hand_over)

    whole = build(corpus, 3, leak=leak)
    progress = assert_goes_on(whole, lambda: build(corpus, 4, leak=leak), go_on)

    assert [(entry.stage, entry.epoch) for entry in progress] == [
        ("imitation", 1),
        ("imitation", 2),
        ("imitation", 3),
    ]
    for start in ("second.", "critic.", "second_optimizer.", "critic_optimizer."):
        assert any(name.startswith(start) for name in whole.tensors())


def test_without_penalty_and_entropy_every_update_is_one_of_algorithm_1(corpus: Corpus) -> None:
    # Without moments: each policy has its own, and Algorithm 1 one set for all steps.
    one = build(corpus, 3, adam=False, second=False)
    two = build(corpus, 3, adam=False)
    plain = settings(lambda_w=0.0, entropy=0.0)
    total = WeightedSum([(1.0, Length())])
    assert not torch.equal(*policies(two))
    list(walk(one, corpus, total, [], SCHEDULE, plain))
    list(train(two, corpus, lambda_w=0.0, entropy=0.0))

    # The last step was an augmented one, so pi_1 is the newest.
    assert torch.equal(policies(two)[1], weights(one.generator))
    assert not torch.equal(policies(two)[0], weights(one.generator))
    assert torch.equal(two.rng.get_state(), one.rng.get_state())


@pytest.mark.parametrize("step", [T, A])
def test_each_step_teaches_one_policy(corpus: Corpus, step: Step) -> None:
    state = build(corpus, 3)
    start = weights(state.generator)
    list(train(state, corpus, [[step, step]]))
    first, second = policies(state)

    assert torch.equal(first, start) == (step is A)
    assert torch.equal(second, start) == (step is T)


@pytest.mark.slow
def test_a_turn_begins_with_what_the_other_left(corpus: Corpus) -> None:
    def distance(hand_over: bool) -> float:
        """Between pi after its second turn and pi_1, which it may have started from."""
        state = build(corpus, 3)
        list(train(state, corpus, [[T, T], [A] * 6, [T]], hand_over=hand_over))
        first, second = policies(state)
        return (first - second).norm().item()

    assert distance(True) < 0.5 * distance(False)


@pytest.mark.parametrize("step", [T, A])
def test_the_critic_pulls_the_policies_in_opposite_senses(
    corpus: Corpus, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    excess = torch.tensor([1.0, -2.0, 0.5, 0.5])
    given: list[Tensor] = []
    loss = RnnGenerator.loss

    def noting(self: RnnGenerator, sentences: Sentences, weights: Tensor) -> Tensor:
        given.append(weights)
        return loss(self, sentences, weights)

    monkeypatch.setattr(RnnGenerator, "loss", noting)
    monkeypatch.setattr(TwoPolicies, "_excess", lambda *_: excess)
    for pull in (1e-9, 3.0):
        list(train(build(corpus, 3), corpus, [[step]], entropy=0.0, lambda_w=pull))

    plain, pulled = given
    mask = plain != 0
    sign = 1.0 if step is A else -1.0
    assert mask.any()
    assert torch.allclose(pulled - plain, sign * 3 * excess[:, None] * mask, atol=1e-5)


def test_figures_have_the_distance(corpus: Corpus) -> None:
    with_it, without = (
        list(train(build(corpus, 3), corpus, [[T, A]], lambda_w=weight))[-1].values
        for weight in (0.5, 0.0)
    )

    assert "w1" in with_it
    assert with_it.keys() - {"w1"} == without.keys()


def test_a_state_of_one_policy_is_refused(corpus: Corpus) -> None:
    with pytest.raises(ValueError, match="no second policy"):
        next(train(build(corpus, 3, second=False), corpus))
