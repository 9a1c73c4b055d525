"""What sentences earn, by each of the rewards."""

import pytest
import torch
from fakes import FixedGenerator, Judge, seeded, sentences_of
from torch import Tensor

from sda.buffer import Buffer
from sda.models.generator import Generator
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.sampling import sample
from sda.text.sentences import Sentences
from sda.training.progress import Diverged
from sda.training.reward import (
    constant_reward,
    distance_from_start,
    make_reward,
    metric_reward,
    penalise_distance,
)
from sda.training.stages import StageTwoSettings
from sda.training.state import TrainState

GENERATOR = FixedGenerator([0.4, 0.3, 0.2, 0.1], eos=0, max_length=6)
FAKE = sentences_of([1, 2, 0], [3, 0], [2, 2, 1, 0])


class Lengths(ReferenceMetric):
    """The number of tokens; sentences of two are ruled out."""

    name = "lengths"

    def __call__(self, sentences: Sentences) -> Tensor:
        lengths = sentences.lengths.double()
        return torch.where(lengths == 2, -torch.inf, lengths)


METRIC = WeightedSum([(0.5, Lengths())])


def make_state(generator: Generator) -> TrainState:
    judge = Judge(lambda sentences: torch.full((len(sentences),), 0.25))
    optimizers = (torch.optim.SGD(generator.parameters(), 0.1) for _ in range(3))
    return TrainState(generator, judge, *optimizers, Buffer(4, (), 0), seeded(1))


@pytest.fixture
def state() -> TrainState:
    return make_state(FixedGenerator([0.4, 0.3, 0.2, 0.1], eos=0, max_length=6))


def test_a_constant_is_one_on_every_token() -> None:
    assert constant_reward(GENERATOR, FAKE).tolist() == [[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]]


def test_the_metric_is_on_every_token_and_what_it_rules_out_earns_the_least() -> None:
    rewards = metric_reward(METRIC)(GENERATOR, FAKE)

    assert rewards.tolist() == [[1.5, 1.5, 1.5, 0], [1.5, 1.5, 0, 0], [2, 2, 2, 2]]


def test_a_batch_that_is_ruled_out_has_nothing_to_teach() -> None:
    with pytest.raises(Diverged, match="rules out all 1 sentences of a batch"):
        metric_reward(METRIC)(GENERATOR, FAKE[1:2])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("prob", 0.25), ("gail", 0.28768), ("words", 0.25), ("constant", 1.0), ("metric", 2.0)],
)
def test_the_settings_name_the_reward(kind: str, expected: float, state: TrainState) -> None:
    settings = StageTwoSettings.model_validate({"reward": kind, "rollouts": 0})
    rewards = make_reward(state, METRIC, settings)(state.generator, FAKE)

    assert rewards[2].tolist() == pytest.approx([expected] * 4, rel=1e-4)


def test_tokens_of_completions_are_counted() -> None:
    # Without an end symbol: each of the 2 completions of the 3 beginnings of 1 to 3 tokens is
    # filled up to 4.
    state = make_state(FixedGenerator([0.5, 0.5], eos=None, max_length=4))
    fake = sample(state.generator, 5, seeded(0))
    make_reward(state, METRIC, StageTwoSettings(rollouts=2))(state.generator, fake)

    assert state.written == 5 * 2 * (3 + 2 + 1)


def test_the_penalty_is_the_weight_times_what_a_word_gained(state: TrainState) -> None:
    generator = state.generator
    assert isinstance(generator, FixedGenerator)
    reward = penalise_distance(constant_reward, state, 0.5)
    # At the start nothing has changed.
    assert torch.equal(reward(generator, FAKE), constant_reward(GENERATOR, FAKE))

    with torch.no_grad():
        generator.logits.copy_(torch.tensor([0.1, 0.2, 0.3, 0.4]).log())
    now = {word: p.item() for word, p in enumerate(generator.logits.exp())}
    before = [0.4, 0.3, 0.2, 0.1]
    expected = [1 - 0.5 * (torch.tensor(now[w]) / before[w]).log().item() for w in (1, 2, 0)]

    assert reward(generator, FAKE)[0].tolist() == pytest.approx([*expected, 0.0], abs=1e-6)
    assert generator.logits.exp().tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_the_mean_penalty_is_the_divergence(state: TrainState) -> None:
    generator = state.generator
    assert isinstance(generator, FixedGenerator)
    penalise_distance(constant_reward, state, 1.0)(generator, FAKE)
    with torch.no_grad():
        generator.logits.copy_(torch.tensor([0.25, 0.25, 0.25, 0.25]).log())
    fake = sample(generator, 20_000, seeded(3))
    found = distance_from_start(state, fake).sum() / fake.lengths.sum()
    exact = sum(0.25 * torch.tensor(0.25 / p).log().item() for p in (0.4, 0.3, 0.2, 0.1))

    assert found.item() == pytest.approx(exact, abs=0.02)


def test_the_start_is_part_of_the_state(state: TrainState) -> None:
    assert not any(name.startswith("start.") for name in state.tensors())
    penalise_distance(constant_reward, state, 1.0)(state.generator, FAKE)
    other = make_state(FixedGenerator([0.1, 0.2, 0.3, 0.4], eos=0, max_length=6))
    other.load(state.tensors(), state.counters())

    assert torch.equal(other.start["logits"], state.start["logits"])
