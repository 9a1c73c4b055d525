"""The judge in the metric's place."""

import pytest
import torch
from fakes import seeded
from hypothesis import given
from hypothesis import strategies as st

from sda.archive import TRIAL, Answered
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.models.word_judge import WordJudge
from sda.rewards import judge as judge_of
from sda.sampling import sample
from sda.text.sentences import Sentences
from sda.training.fitting import auc
from sda.training.judging import Judge, asked_in
from sda.training.stages import JudgeSettings

WORDS = 5
QUICK = JudgeSettings(updates=120, check_every=20, patience=3, rate=0.02, members=3)
WRITER = RnnGenerator(Frame(WORDS, 0, 6), seeded(1), embedding=6, hidden=6, init_std=0.5)


def made(settings: JudgeSettings = QUICK) -> Judge:
    def states(number: int) -> Discriminator:
        return WordJudge(WRITER, sample(WRITER, 1, seeded(0)), seeded(3 + number), hidden=16)

    def rnn(number: int) -> Discriminator:
        return RnnDiscriminator(WORDS, seeded(3 + number), 2, 2)

    return Judge({"states": states, "rnn": rnn}, settings)


def scores_of(sentences: Sentences) -> torch.Tensor:
    """How few threes there are: none is best."""
    return -((sentences.tokens == 3) & sentences.mask).sum(1).double()


def answered(sentences: Sentences, epoch: int = 0) -> Answered:
    scores = scores_of(sentences)
    return Answered(sentences, scores, scores[:, None], torch.full((len(sentences),), epoch))


@pytest.fixture(scope="module")
def judge() -> Judge:
    torch.manual_seed(0)
    fitted = made()
    written = sample(WRITER, 400, seeded(2))
    assert fitted.learn(answered(written), seeded(4))
    return fitted


def test_it_ranks_what_it_never_saw_as_the_metric_would(judge: Judge) -> None:
    fresh = sample(WRITER, 300, seeded(9))
    verdicts = judge(fresh)

    assert auc(verdicts, scores_of(fresh) == 0) > 0.9
    assert ((verdicts >= 0) & (verdicts <= 1)).all()
    assert len(judge(fresh[:0])) == 0


def test_the_one_with_the_lowest_held_out_loss_judges(judge: Judge) -> None:
    losses = {name: found.loss for name, found in judge.fits.items()}

    assert set(losses) == {"states", "rnn"}
    assert judge.name == min(losses, key=lambda name: losses[name])
    assert judge.figures() == {"judge_auc": judge.fits[judge.name].auc}


def test_it_is_the_same_after_saving_and_loading(judge: Judge) -> None:
    fresh = sample(WRITER, 50, seeded(9))
    other = made()
    other.load(judge.tensors(), judge.facts())

    assert other.name == judge.name and other.fits == judge.fits
    assert torch.equal(other(fresh), judge(fresh))


def test_it_tells_what_it_would_have_said_of_what_it_learned(judge: Judge) -> None:
    learned = answered(sample(WRITER, 400, seeded(2)))
    rows, verdicts = judge.unseen(learned)

    # Three members, a tenth unseen by each.
    assert len(rows) == len(rows.unique()) == 120
    of_first = judge_of(judge.model.each()[0], learned.sentences[rows[:40]])
    torch.testing.assert_close(verdicts[:40], of_first.double())
    other = made()
    other.load(judge.tensors(), judge.facts())
    assert torch.equal(other.unseen(learned)[1], verdicts)


def test_what_was_asked_after_the_fit_is_not_what_it_learned(judge: Judge) -> None:
    more = answered(sample(WRITER, 450, seeded(2)))

    assert judge.unseen(more)[0].max() < 400


def test_it_knows_nothing_before_it_is_fitted() -> None:
    untaught = made()
    empty = made()
    empty.load(untaught.tensors(), untaught.facts())

    assert not untaught.is_fitted and not empty.is_fitted
    assert untaught.figures() == {}
    with pytest.raises(RuntimeError, match="not fitted"):
        untaught(sample(WRITER, 1, seeded(0)))


def test_a_metric_that_says_the_same_of_all_teaches_nothing() -> None:
    untaught = made()
    written = sample(WRITER, 40, seeded(2))

    same = torch.ones(40, dtype=torch.float64)
    assert not untaught.learn(Answered(written, same, same[:, None], same.long()), seeded(4))
    assert not untaught.is_fitted


def test_what_the_metric_was_tried_on_teaches_nothing() -> None:
    written = sample(WRITER, 40, seeded(2))

    assert not made().learn(answered(written, TRIAL), seeded(4))


def test_the_seed_decides_the_fit() -> None:
    written = sample(WRITER, 80, seeded(2))
    found = []
    for _ in range(2):
        torch.manual_seed(0)
        one = made(JudgeSettings(updates=20, check_every=10, patience=3, rate=0.02, members=2))
        one.learn(answered(written), seeded(4))
        found.append(one(written))

    assert torch.equal(*found)


def test_the_metric_is_asked_at_the_start_and_then_evenly() -> None:
    rounds = JudgeSettings(asked=10, rounds=3)

    assert [asked_in(epoch, 6, rounds) for epoch in range(1, 7)] == [3, 0, 3, 0, 4, 0]
    assert [asked_in(epoch, 6, JudgeSettings(asked=10)) for epoch in range(1, 4)] == [10, 0, 0]


@given(st.integers(1, 50), st.integers(1, 12), st.integers(1, 500))
def test_all_that_may_be_asked_is_asked(epochs: int, rounds: int, asked: int) -> None:
    settings = JudgeSettings(asked=asked, rounds=rounds)

    assert sum(asked_in(epoch, epochs, settings) for epoch in range(1, epochs + 1)) == asked
    assert asked_in(1, epochs, settings) > 0 or asked < rounds
