"""What the likelihood steps of rivals learn from."""

import pytest
import torch
from fakes import FixedGenerator, Judge, lists_of, seeded, sentences_of

from sda.buffer import Buffer
from sda.text.corpus import Corpus
from sda.text.scores import Scores
from sda.training.progress import Diverged
from sda.training.schedule import paper_schedule, same_number
from sda.training.stages import MleSettings, StageTwoSettings, TrainingSettings
from sda.training.state import TrainState
from sda.training.step_kinds import (
    BLENDED,
    CONTINUED,
    INTERLEAVED,
    MIXED,
    RANKED,
    Step,
    part_of_buffer,
)

SETTINGS = TrainingSettings(
    mle=MleSettings(batch_size=4),
    stage2=StageTwoSettings(batch_size=3, mle_batches=2, mixed_share=0.5),
)
OWN = [[9, 9, word, 0] for word in range(1, 9)]


@pytest.fixture
def state() -> TrainState:
    """A state whose buffer holds eight sentences that are no training sentences, best first."""
    generator = FixedGenerator([0.1] * 10, eos=0, max_length=6)
    optimizers = (torch.optim.SGD(generator.parameters(), 0.1) for _ in range(3))
    buffer = Buffer(8, ("a",), 0)
    scores = torch.arange(8, 0, -1, dtype=torch.float64)
    buffer.add(sentences_of(*OWN), Scores(scores, scores[:, None]), 0, seeded(0))
    judge = Judge(lambda sentences: torch.full((len(sentences),), 0.5))
    return TrainState(generator, judge, *optimizers, buffer, seeded(1))


@pytest.mark.parametrize(
    ("step", "sizes"),
    [
        (CONTINUED, [3]),
        (RANKED, [3]),
        (BLENDED, [3]),
        (INTERLEAVED, [4, 4]),
        # Ten training sentences and half of the buffer.
        (MIXED, [4, 4, 4, 2]),
    ],
)
def test_sizes(step: Step, sizes: list[int], state: TrainState, corpus: Corpus) -> None:
    found = [len(batch) for batch in step.real_batches(state, corpus, SETTINGS)]

    assert sorted(found, reverse=True) == sizes


@pytest.mark.parametrize(
    ("step", "own"),
    [
        (CONTINUED, 0),
        (RANKED, 3),
        (BLENDED, 1),
        (INTERLEAVED, 0),
        (MIXED, 4),
    ],
)
def test_where_sentences_come_from(step: Step, own: int, state: TrainState, corpus: Corpus) -> None:
    learned = [
        words for batch in step.real_batches(state, corpus, SETTINGS) for words in lists_of(batch)
    ]

    assert sum(words in OWN for words in learned) == own
    if step is MIXED:
        assert all(words in learned for words in lists_of(corpus.train))


def test_the_top_of_the_buffer_or_any_of_it(state: TrainState) -> None:
    best = part_of_buffer(state.buffer, 0.25, True, seeded(5))
    draws = [lists_of(part_of_buffer(state.buffer, 0.25, False, seeded(i))) for i in range(30)]

    assert lists_of(best) == OWN[:2]
    assert {tuple(words) for drawn in draws for words in drawn} == {tuple(words) for words in OWN}


@pytest.mark.parametrize("step", [RANKED, BLENDED])
def test_an_empty_buffer_teaches_nothing(step: Step, state: TrainState, corpus: Corpus) -> None:
    state.buffer = Buffer(8, ("a",), 0)
    with pytest.raises(Diverged, match="the buffer is empty"):
        list(step.real_batches(state, corpus, SETTINGS))


def test_only_learning_from_the_buffer_has_the_optimiser_of_stage_two(state: TrainState) -> None:
    assert RANKED.optimizer_of(state) is state.policy_optimizer
    assert BLENDED.optimizer_of(state) is state.policy_optimizer
    assert CONTINUED.optimizer_of(state) is state.mle_optimizer
    assert MIXED.optimizer_of(state) is state.mle_optimizer


def test_controls_have_as_many_steps_as_the_paper() -> None:
    steps = same_number(RANKED, 25)

    assert [len(epoch) for epoch in steps] == [len(epoch) for epoch in paper_schedule(25)]
    assert {step for epoch in steps for step in epoch} == {RANKED}
