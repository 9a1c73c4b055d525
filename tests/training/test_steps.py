import math
from collections.abc import Callable
from functools import partial

import pytest
import torch
from fakes import FixedGenerator, seeded, sentences_of
from torch import Tensor

from sda.models.generator import Frame, without_dropout
from sda.models.rnn import RnnGenerator
from sda.sampling import sample
from sda.text.corpus import Corpus
from sda.text.scores import Scores
from sda.text.sentences import Sentences
from sda.training import steps
from sda.training.gradients import PartLoss, part_of
from sda.training.progress import Diverged, Meter
from sda.training.state import Learner, TrainState
from sda.training.steps import (
    discriminator_loss,
    discriminator_phase,
    mean_nll,
    nll,
    update_discriminator,
    update_generator,
)


@pytest.fixture
def write(state: TrainState) -> Callable[[int], Sentences]:
    return lambda n, _=None: sample(state.generator, n, state.rng)


def weights(model: torch.nn.Module) -> Tensor:
    return torch.cat([value.detach().flatten().clone() for value in model.parameters()])


def test_an_update_lowers_the_loss(state: TrainState, corpus: Corpus) -> None:
    meter = Meter()
    before = mean_nll(state.generator, corpus.train)
    for _ in range(20):
        loss = part_of(corpus.train, partial(nll, state.generator))
        size = len(corpus.train)
        learner = Learner(state.generator, state.mle_optimizer)
        update_generator(state, learner, size, loss, 5.0, meter)

    assert mean_nll(state.generator, corpus.train) < before - 0.1
    assert meter.means().keys() == {"g_loss"}


@pytest.mark.parametrize(("clip", "norm"), [(0.001, 0.001), (1e9, None)])
def test_gradients_are_cut_at_their_norm(
    state: TrainState, corpus: Corpus, clip: float, norm: float | None
) -> None:
    torch.manual_seed(1)
    nll(state.generator, corpus.train).backward()  # type: ignore[no-untyped-call]
    uncut = gradient_norm(state)
    torch.manual_seed(1)
    loss = part_of(corpus.train, partial(nll, state.generator))
    learner = Learner(state.generator, state.mle_optimizer)
    update_generator(state, learner, len(corpus.train), loss, clip, Meter())

    # A second call that added to the first gradients would have twice their norm.
    assert gradient_norm(state) == pytest.approx(uncut if norm is None else norm, rel=1e-3)


def gradient_norm(state: TrainState) -> float:
    gradients = [v.grad for v in state.generator.parameters() if v.grad is not None]
    return float(torch.cat([gradient.flatten() for gradient in gradients]).norm())


def test_a_loss_that_is_no_number_stops_training_and_changes_nothing(state: TrainState) -> None:
    before = weights(state.generator)
    loss = next(state.generator.parameters()).sum() * float("nan")
    learner = Learner(state.generator, state.mle_optimizer)
    with pytest.raises(Diverged, match="the generator's loss became nan"):
        update_generator(state, learner, 1, lambda _: PartLoss(loss), 5.0, Meter())

    assert torch.equal(weights(state.generator), before)


def test_discriminator_loss_is_equation_6() -> None:
    real, fake = torch.tensor([0.9, 0.6]), torch.tensor([0.2, 0.1, 0.5])
    by_hand = -(math.log(0.9) + math.log(0.6)) / 2
    by_hand -= (math.log(0.8) + math.log(0.9) + math.log(0.5)) / 3

    assert discriminator_loss(real.logit(), fake.logit()).item() == pytest.approx(by_hand)


def test_the_discriminator_learns_which_is_real(state: TrainState) -> None:
    real, fake = sentences_of([1, 2, 0], [1, 3, 0]), sentences_of([4, 5, 0], [6, 5, 5, 0])
    meter = Meter()
    for _ in range(60):
        update_discriminator(state, real, fake, "real", meter)
    with without_dropout(state.discriminator):
        assert (state.discriminator.real_logit(real) > 0).all()
        assert (state.discriminator.real_logit(fake) < 0).all()

    assert meter.means().keys() == {"d_loss", "d_accuracy_real", "d_accuracy_fake"}
    assert meter.means()["d_accuracy_real"] > 0.7


def test_the_discriminators_update_leaves_the_generator_alone(state: TrainState) -> None:
    before = weights(state.generator)
    update_discriminator(state, sentences_of([1]), sentences_of([2]), "real", Meter())

    assert torch.equal(weights(state.generator), before)


@pytest.mark.parametrize(
    ("asked", "size", "expected"),
    [(10, 8, [4, 4, 2]), (6, 4, [2, 2, 2]), (99, 8, [4, 4, 2]), (3, 1, [1, 1, 1])],
)
def test_a_phase_walks_equally_many_of_both(
    state: TrainState,
    corpus: Corpus,
    write: Callable[[int], Sentences],
    monkeypatch: pytest.MonkeyPatch,
    asked: int,
    size: int,
    expected: list[int],
) -> None:
    seen: list[tuple[int, int, str]] = []

    def record(
        state: TrainState, real: Sentences, fake: Sentences, label: str, meter: Meter
    ) -> None:
        seen.append((len(real), len(fake), label))

    monkeypatch.setattr(steps, "update_discriminator", record)
    discriminator_phase(state, corpus, write, asked, 2, size, Meter())

    # The corpus has ten sentences; half of a batch is real.
    assert seen == [(n, n, "real") for n in expected] * 2


def test_a_phase_on_the_buffer_is_told_so(
    state: TrainState, write: Callable[[int], Sentences]
) -> None:
    score = torch.ones(2, dtype=torch.float64)
    sentences = sentences_of([1, 0], [2, 0])
    state.buffer.add(sentences, Scores(score, score[:, None].expand(2, 2) / 2), 1, state.rng)
    meter = Meter()
    discriminator_phase(state, state.buffer, write, 10, 1, 8, meter)

    assert meter.means().keys() == {"d_loss", "d_accuracy_buffer", "d_accuracy_fake"}


def test_an_empty_buffer_is_explained(state: TrainState, write: Callable[[int], Sentences]) -> None:
    with pytest.raises(Diverged, match=r"the buffer is empty: .* filters"):
        discriminator_phase(state, state.buffer, write, 10, 1, 8, Meter())


def test_mean_nll_counts_every_token(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = FixedGenerator([0.5, 0.25, 0.25], eos=0)
    sentences = sentences_of([0], [1, 0], [2, 1, 0])
    bits = (1 + 3 + 5) / 6
    assert mean_nll(generator, sentences) == pytest.approx(bits * math.log(2))
    monkeypatch.setattr(steps, "CHUNK", 2)

    assert mean_nll(generator, sentences) == pytest.approx(bits * math.log(2))


def test_mean_nll_is_without_dropout() -> None:
    generator = RnnGenerator(Frame(5, 0, 4), seeded(0), dropout=0.5)
    sentences = sentences_of([1, 2, 0])

    assert mean_nll(generator, sentences) == mean_nll(generator, sentences)
