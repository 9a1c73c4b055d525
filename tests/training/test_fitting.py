"""Discriminators fitted on what the metric accepted and rejected."""

import math
from collections.abc import Callable
from itertools import product

import pytest
import torch
from fakes import Judge, seeded
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from sda.models.cnn import CnnDiscriminator
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame
from sda.models.rnn import RnnGenerator
from sda.models.word_judge import WordJudge
from sda.sampling import sample
from sda.text.sentences import Sentences
from sda.training.fitting import accepted, auc, fit, parts, race
from sda.training.stages import JudgeSettings

WORDS = 6
QUICK = JudgeSettings(updates=400, check_every=20, patience=5, rate=0.01)


def cut(scores: list[float], share: float = 0.5) -> list[bool]:
    return [bool(value) for value in accepted(torch.tensor(scores, dtype=torch.float64), share)]


def test_a_metric_that_says_yes_or_no_has_one_cut() -> None:
    assert cut([0, 0, 0, 0, 1]) == [False] * 4 + [True]
    assert cut([1, 1, 1, 0]) == [True, True, True, False]


def test_the_cut_is_nearest_to_the_share_and_between_different_scores() -> None:
    assert cut([5, 1, 4, 2, 3, 6]) == [True, False, True, False, False, True]
    assert cut([5, 1, 4, 2, 3, 6], share=0.2) == [False] * 5 + [True]
    # Three of five have the best score: the cut above them would leave none.
    assert cut([2, 2, 2, 1, 0]) == [True, True, True, False, False]
    assert cut([2, 2, 1, 0, 0]) == [True, True, False, False, False]


def test_what_is_ruled_out_is_rejected() -> None:
    assert cut([-math.inf, 0.5, 0.5]) == [False, True, True]


def test_nothing_to_tell_apart_accepts_all() -> None:
    assert cut([0.3, 0.3]) == [True, True]
    assert cut([]) == []


@given(st.lists(st.integers(0, 4), min_size=2), st.floats(0.05, 0.95))
def test_both_sides_have_sentences_and_the_accepted_score_higher(
    scores: list[int], share: float
) -> None:
    values = torch.tensor(scores).double()
    above = accepted(values, share)
    if len(set(scores)) == 1:
        assert bool(above.all())
        return

    assert 0 < int(above.sum()) < len(scores)
    assert values[above].min() > values[~above].max()


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=12))
def test_auc_is_how_often_a_real_one_is_above(pairs: list[tuple[int, bool]]) -> None:
    scores = torch.tensor([score for score, _ in pairs]).float()
    is_real = torch.tensor([real for _, real in pairs])
    found = auc(scores, is_real)
    real, others = scores[is_real].tolist(), scores[~is_real].tolist()
    if not real or not others:
        assert math.isnan(found)
        return
    won = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in product(real, others))

    assert found == pytest.approx(won / (len(real) * len(others)))


def generator() -> RnnGenerator:
    return RnnGenerator(Frame(WORDS, 0, 8), seeded(1), embedding=8, hidden=8, init_std=0.5)


def has_a_pair(tokens: Tensor) -> Tensor:
    """Whether word 2 ever comes right after word 1: local, so that words can be judged alone."""
    return ((tokens[:, :-1] == 1) & (tokens[:, 1:] == 2)).any(1)


def test_a_judge_of_words_learns_what_is_wrong_in_one_place() -> None:
    writer = generator()
    written = sample(writer, 1200, seeded(2))
    judge = WordJudge(writer, written, seeded(3), hidden=32, dropout=0.0)
    torch.manual_seed(0)
    found = fit(judge, written, ~has_a_pair(written.tokens), QUICK, 4)

    assert found.auc > 0.95
    assert found.updates <= QUICK.updates
    fresh = sample(writer, 500, seeded(5))
    with torch.no_grad():
        logits = judge.eval().real_logit(fresh)
    assert auc(logits, ~has_a_pair(fresh.tokens)) > 0.9


def test_the_judge_ends_as_it_was_at_its_best() -> None:
    writer = generator()
    written = sample(writer, 60, seeded(2))
    random = torch.rand(60, generator=seeded(6)) < 0.5
    judge = CnnDiscriminator(WORDS, seeded(3), 5, widths=(1, 2), maps=(8, 8), dropout=0.0)
    torch.manual_seed(0)
    # Nothing can be learned of the held-out part, so training on longer makes it worse.
    found = fit(judge, written, random, QUICK, 4, member=2)
    # A tenth is unseen: the third tenth by the third member.
    order = torch.randperm(60, generator=torch.Generator().manual_seed(4))[12:18]
    with torch.no_grad():
        logits = judge.eval().real_logit(written[order])
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, random[order].float())

    assert float(loss) == pytest.approx(found.loss, abs=1e-5)
    assert found.updates < QUICK.updates


class Stubborn(Judge):
    """D is the same for every sentence, whatever it is taught."""

    def __init__(self, real: float) -> None:
        super().__init__(lambda sentences: torch.full((len(sentences),), real))
        self.idle = nn.Parameter(torch.zeros(1))

    def real_logit(self, sentences: Sentences) -> Tensor:
        return (super().real_logit(sentences) + 0 * self.idle).float()


def test_a_clearly_worse_kind_leaves_the_race_and_the_best_has_all_members() -> None:
    writer = generator()
    written = sample(writer, 600, seeded(2))
    made: list[str] = []

    def states(number: int) -> Discriminator:
        made.append(f"states {number}")
        return WordJudge(writer, written, seeded(3 + number), hidden=32)

    def blind(number: int) -> Discriminator:
        made.append(f"blind {number}")
        return Stubborn(0.01)

    torch.manual_seed(0)
    settings = QUICK.model_copy(update={"members": 3, "unseen": 0.2})
    candidates = {"blind": blind, "states": states}
    told: list[tuple[int, int]] = []
    best, members, fits = race(
        candidates,
        written,
        ~has_a_pair(written.tokens),
        settings,
        4,
        lambda done, total: told.append((done, total)),
    )

    # The kind that left is not waited for.
    assert told == [(0, 6), (1, 6), (2, 4), (3, 4), (4, 4)]
    assert best == "states" and len(members) == 3
    assert made == ["blind 0", "states 0", "states 1", "states 2"]
    assert fits["states"].loss < fits["blind"].loss


def test_kinds_that_are_close_stay_and_the_mean_decides() -> None:
    writer = generator()
    written = sample(writer, 100, seeded(2))
    # All are real, so the loss is -log D: higher for the first kind at first, lower in all.
    values = {"first": [0.80, 0.90], "second": [0.81, 0.80]}
    asked: list[tuple[str, int]] = []

    def maker(name: str) -> Callable[[int], Discriminator]:
        def make(number: int) -> Discriminator:
            asked.append((name, number))
            return Stubborn(values[name][number])

        return make

    everything = torch.ones(100, dtype=torch.bool)
    settings = QUICK.model_copy(update={"members": 2, "unseen": 0.2})
    best, _, fits = race({name: maker(name) for name in values}, written, everything, settings, 4)

    assert asked == [("first", 0), ("second", 0), ("first", 1), ("second", 1)]
    assert best == "first"
    assert fits["second"].loss == pytest.approx(-(math.log(0.81) + math.log(0.80)) / 2, abs=1e-5)


@given(st.integers(5, 60), st.integers(1, 5))
def test_five_fifths_are_each_row_once(fifths: int, members: int) -> None:
    count = 5 * fifths
    unseen = [parts(count, 0.2, 7, member) for member in range(members)]

    rows = torch.cat([part for part, _ in unseen])
    assert len(rows) == len(rows.unique()) == members * fifths
    for part, rest in unseen:
        assert sorted([*part.tolist(), *rest.tolist()]) == list(range(count))
