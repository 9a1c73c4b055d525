"""Algorithm 1 in the paper's order, told by collaborators that write down when they are called."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import torch
from fakes import FixedGenerator, Judge, seeded
from loops import walk
from torch import Tensor

from sda import algorithm
from sda.buffer import Buffer
from sda.models.generator import Generator
from sda.reference.metric import WeightedSum
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.training import reward
from sda.training.gradients import LossOf
from sda.training.progress import Progress
from sda.training.schedule import Phase, same_number
from sda.training.stages import (
    BufferSettings,
    DiscriminatorSettings,
    MleSettings,
    StageTwoSettings,
    TrainingSettings,
)
from sda.training.state import Learner, TrainState
from sda.training.step_kinds import AUGMENTED, INTERLEAVED, TRAINING, Step

SETTINGS = TrainingSettings(
    mle=MleSettings(batch_size=5),
    discriminator_phase=DiscriminatorSettings(rounds=2, sentences=7, passes=3, first_sentences=9),
    buffer=BufferSettings(candidates=30, first_fill=40),
    stage2=StageTwoSettings(batch_size=4, rollouts=6),
)
T, A = TRAINING, AUGMENTED


@dataclass
class Scribe:
    """A state whose collaborators note each call in `events`, and run Algorithm 1 on it."""

    corpus: Corpus
    state: TrainState
    metric: WeightedSum
    events: list[str] = field(default_factory=list)

    def run(
        self, phases: list[Phase], schedule: list[list[Step]], settings: TrainingSettings = SETTINGS
    ) -> list[Progress]:
        return list(
            walk(
                self.state,
                self.corpus,
                self.metric,
                phases,
                schedule,
                settings,
                objective=self.objective,
            )
        )

    def objective(self, generator: Generator, real: Sentences) -> Tensor:
        self.events.append(f"likelihood of {len(real)}")
        return generator.loss(real)


class Length:
    """Longer is better; says whether it depends on the generator as it is told."""

    name = "length"

    def __init__(self, events: list[str], depends_on_generator: bool) -> None:
        self._events = events
        self.depends_on_generator = depends_on_generator

    def __call__(self, sentences: Sentences) -> Tensor:
        self._events.append(f"score {len(sentences)}")
        return sentences.lengths.double()


@pytest.fixture(params=[False])
def scribe(
    request: pytest.FixtureRequest, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> Scribe:
    generator = FixedGenerator([0.1] * 10, eos=0, max_length=6)
    discriminator = Judge(lambda sentences: torch.full((len(sentences),), 0.5))
    mle, policy, other = (torch.optim.SGD(generator.parameters(), 0.1) for _ in range(3))
    buffer = Buffer(8, ("length",), 0)
    state = TrainState(generator, discriminator, mle, policy, other, buffer, seeded(0))
    events: list[str] = []
    metric = WeightedSum([(1.0, Length(events, depends_on_generator=request.param))])

    def note(owner: Any, name: str, tell: Callable[..., str], instead: Any = None) -> None:
        """The call is noted, and carried out unless there is something to return instead."""
        real = getattr(owner, name)

        def noting(*arguments: Any, **keywords: Any) -> Any:
            events.append(tell(*arguments))
            return real(*arguments, **keywords) if instead is None else instead(*arguments)

        monkeypatch.setattr(owner, name, noting)

    def discriminate(
        _: object, source: object, __: object, n: int, passes: int, *___: object
    ) -> str:
        names = {id(buffer): "buffer", id(corpus): "corpus"}
        return f"discriminate {names.get(id(source), 'unseen')} {n} x {passes}"

    def update(_: object, learner: Learner, size: int, loss: LossOf, *__: object) -> str:
        loss(slice(0, size))
        is_policy = learner.optimizer is state.policy_optimizer
        return "policy gradient" if is_policy else "mle gradient"

    note(algorithm, "write_in_parts", lambda _, n, *__: f"write {n}")
    note(algorithm, "discriminator_phase", discriminate, instead=lambda *_: 0)
    note(reward, "rollout_rewards", lambda *a: f"rewards of {len(a[2])} by {a[3]}")
    note(algorithm, "update_generator", update, instead=lambda *_: 0)
    note(algorithm, "check_validation", lambda *_: "validate", instead=lambda *_: 1.0)
    note(buffer, "add", lambda s, _, epoch, __: f"keep the best of {len(s)} in {epoch}")
    note(buffer, "rescore", lambda _: "rescore")
    note(buffer, "expire", lambda epoch: f"drop what is too old in {epoch}")
    return Scribe(corpus, state, metric, events)


def test_stage_one_is_likelihood_then_discrimination(scribe: Scribe) -> None:
    progress = scribe.run([Phase.GENERATOR, Phase.DISCRIMINATOR, Phase.GENERATOR], [])

    epoch = ["likelihood of 5", "mle gradient"] * 2 + ["validate"]
    assert scribe.events == [*epoch, "discriminate corpus 9 x 3", *epoch]
    assert [(p.stage, p.epoch) for p in progress] == [
        ("mle", 1),
        ("discriminator", 1),
        ("mle", 2),
    ]


def test_unseen_sentences_take_the_place_of_the_training_ones(scribe: Scribe) -> None:
    scribe.corpus = replace(scribe.corpus, unseen=scribe.corpus.train[:3])
    scribe.run([Phase.DISCRIMINATOR], [[T, A]])

    judged = [event for event in scribe.events if event.startswith("discriminate")]
    first = ["discriminate unseen 9 x 3"]
    assert judged == [
        *first,
        *["discriminate unseen 7 x 3"] * 2,
        *["discriminate buffer 7 x 3"] * 2,
    ]


def step(source: str, epoch: int) -> list[str]:
    """Lines 8 to 18: write and keep, then the discriminator, then the generator."""
    return [
        "write 30",
        "score 30",
        f"keep the best of 30 in {epoch}",
        *[f"discriminate {source} 7 x 3"] * 2,
        "write 4",
        "rewards of 4 by 6",
        "policy gradient",
    ]


FIRST_FILL = ["write 40", "score 40", "keep the best of 40 in 0"]


def test_stage_two_fills_the_buffer_and_imitates_in_turn(scribe: Scribe) -> None:
    progress = scribe.run([], [[T, T, A], [T, A]])

    assert scribe.events == [
        *FIRST_FILL,
        "drop what is too old in 1",
        *step("corpus", 1),
        *step("corpus", 1),
        *step("buffer", 1),
        "validate",
        "drop what is too old in 2",
        *step("corpus", 2),
        *step("buffer", 2),
        "validate",
    ]
    assert [(p.stage, p.epoch) for p in progress] == [("imitation", 1), ("imitation", 2)]


def test_likelihood_steps_are_some_batches_and_nothing_else(scribe: Scribe) -> None:
    settings = SETTINGS.model_copy(update={"stage2": StageTwoSettings(mle_batches=1)})
    scribe.run([], [[INTERLEAVED]], settings)

    assert scribe.events == [
        *FIRST_FILL,
        "drop what is too old in 1",
        "likelihood of 5",
        "mle gradient",
        "validate",
    ]


@pytest.mark.parametrize("scribe", [True], indirect=True)
def test_scores_that_depend_on_the_generator_are_renewed_each_epoch(scribe: Scribe) -> None:
    scribe.run([], [[A], [A]])

    assert scribe.events == [
        *FIRST_FILL,
        "drop what is too old in 1",
        *step("buffer", 1),
        "validate",
        "score 8",
        "rescore",
        "drop what is too old in 2",
        *step("buffer", 2),
        "validate",
    ]


def test_the_baseline_writes_nothing_for_the_buffer(scribe: Scribe) -> None:
    settings = SETTINGS.model_copy(update={"buffer": BufferSettings(candidates=0, first_fill=0)})
    progress = scribe.run([], same_number(T, 2, first=1), settings)

    assert len(scribe.state.buffer) == 0
    assert scribe.events.count("discriminate corpus 7 x 3") == 2 * 2 * 2
    assert "discriminate buffer 7 x 3" not in scribe.events
    assert not any(name.startswith("buffer") for name in progress[-1].values)


def test_no_schedule_is_plain_mle(scribe: Scribe) -> None:
    scribe.run([Phase.GENERATOR], [])

    assert not any(event.startswith(("write", "score", "keep")) for event in scribe.events)


def test_after_an_early_stop_only_the_discriminator_goes_on(scribe: Scribe) -> None:
    # The validation loss is 1 in every epoch, so that the second is the last.
    settings = SETTINGS.model_copy(update={"mle": MleSettings(patience=1, rate_drops=0)})
    g, d = Phase.GENERATOR, Phase.DISCRIMINATOR
    progress = scribe.run([g, g, g, d, g, d, g], [], settings)

    assert [p.stage for p in progress] == ["mle", "mle", "discriminator", "discriminator"]
    assert scribe.state.stopped_early and scribe.state.mle_epoch == 2


def test_rewards_weight_the_sentences_they_were_given_for_without_dropout(
    scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = scribe.state.generator
    dropout = torch.nn.Dropout(0.5)
    generator.add_module("dropout", dropout)
    judged: list[Sentences] = []
    learned: list[tuple[Sentences, Tensor | None]] = []

    def rewards(_: object, __: object, fake: Sentences, *___: object) -> Tensor:
        judged.append(fake)
        return torch.rand(fake.tokens.shape, generator=seeded(1)) * fake.mask

    def loss(sentences: Sentences, weights: Tensor | None = None) -> Tensor:
        learned.append((sentences, weights))
        assert not dropout.training
        return Generator.loss(generator, sentences, weights)

    monkeypatch.setattr(reward, "rollout_rewards", rewards)
    monkeypatch.setattr(generator, "loss", loss)
    scribe.run([], [[T]])

    (sentences, weights), fake = learned[0], judged[0]
    assert sentences is fake and weights is not None
    assert torch.equal(weights, rewards(None, None, fake))
    assert dropout.training
