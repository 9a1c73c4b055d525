"""The generator knows which sentences Stage I walks, while it walks them and no longer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fakes import FixedGenerator, Judge, seeded
from torch.optim import SGD

from sda.buffer import Buffer
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.training.progress import Progress
from sda.training.state import TrainState
from sda.training.walk import expecting


class Attentive(FixedGenerator):
    """Notes what it is told to expect."""

    expected: Sentences | None = None

    def expect(self, sentences: Sentences | None) -> None:
        self.expected = sentences


@pytest.fixture
def generator() -> Attentive:
    return Attentive([0.5, 0.5])


@pytest.fixture
def state(generator: Attentive) -> TrainState:
    optimizer = SGD(generator.parameters(), 0.1)
    judge = Judge(lambda sentences: sentences.lengths * 0.5)
    return TrainState(
        generator, judge, optimizer, optimizer, optimizer, Buffer(1, (), None), seeded(0)
    )


def walk(state: TrainState, phases: int) -> Iterator[Progress]:
    """The phases that are left, then two epochs of Stage II."""
    while state.phase < phases:
        state.phase += 1
        yield Progress("mle", state.phase, {})
    for epoch in (1, 2):
        yield Progress("imitation", epoch, {})


@pytest.mark.parametrize("done", [0, 1, 2, 3])
def test_sentences_are_expected_until_stage_one_is_done(
    generator: Attentive, state: TrainState, corpus: Corpus, done: int
) -> None:
    state.phase = done
    seen = []

    def loop() -> Iterator[Progress]:
        for progress in walk(state, 3):
            seen.append(generator.expected is corpus.train)
            yield progress

    told = [progress.stage for progress in expecting(loop(), state, corpus, 3)]

    assert told == ["mle"] * (3 - done) + ["imitation"] * 2
    assert seen == [True] * (3 - done) + [False] * 2
    assert generator.expected is None


def test_an_enlarged_corpus_is_not_expected(
    generator: Attentive, state: TrainState, corpus: Corpus
) -> None:
    part = replace(corpus, walk=2)
    for _ in expecting(walk(state, 2), state, part, 2):
        assert generator.expected is None
