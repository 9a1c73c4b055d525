"""Sentences chosen after they were written."""

import pytest
import torch
from fakes import FixedGenerator, Judge, assert_likely, lists_of, seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from sda.baselines import selection
from sda.baselines.selection import Accepted, BestOf, Fresh, Kept, Rejection, kept_rows
from sda.errors import UserError
from sda.models.discriminator import Discriminator
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.sampling import sample
from sda.text.context import Context, labels_of
from sda.text.sentences import Flat, Sentences


class First(ReferenceMetric):
    """The first word; zero is ruled out."""

    name = "first"

    def __call__(self, sentences: Sentences) -> Tensor:
        first = sentences.tokens[:, 0].double()
        return torch.where(first == 0, -torch.inf, first)


METRIC = WeightedSum([(1.0, First())])


class Tape:
    """Writes these first words, one after the other."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def __call__(self, n: int, copies: int = 1) -> Sentences:
        taken, self.left = self.left[:n], self.left[n:]
        assert len(taken) == n
        return sentences_of(*([word] for word in taken))


def firsts(sentences: Sentences) -> list[int]:
    return [words[0] for words in lists_of(sentences)]


def test_the_best_of_each_group() -> None:
    tape = Tape(1, 3, 2, 5, 4, 4, 0, 0, 1)

    assert firsts(BestOf(METRIC, candidates=3)(tape, 3)) == [3, 5, 1]


def test_groups_without_a_sentence_that_passes_are_written_again() -> None:
    tape = Tape(0, 0, 2, 1, 0, 7)

    assert firsts(BestOf(METRIC, candidates=2)(tape, 2)) == [2, 7]


def test_filters_that_nothing_passes_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST_TRIES", 5)
    with pytest.raises(UserError, match="let 0 of 12 sentences pass, and 2 are wanted"):
        BestOf(METRIC, candidates=3)(Tape(*[0] * 30), 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BestOf(METRIC, 0), "candidates must be at least 1, not 0"),
        (lambda: BestOf(WeightedSum([])), "needs a metric"),
        (lambda: Rejection(Judge(lambda s: s.lengths * 1.0), seeded(0), 0), "first must be"),
    ],
)
def test_settings_that_make_no_sense(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=message):
        make()


DATA, MODEL = torch.tensor([0.1, 0.2, 0.3, 0.4]), [0.4, 0.3, 0.2, 0.1]


def ideal(sentences: Sentences) -> Tensor:
    """The best D there is for one-word sentences of the model against the data."""
    data, model = DATA[sentences.tokens[:, 0]], torch.tensor(MODEL)[sentences.tokens[:, 0]]
    return data / (data + model)


def test_what_an_ideal_discriminator_accepts_is_distributed_like_the_data() -> None:
    generator = FixedGenerator(MODEL, eos=None, max_length=1)
    rng = seeded(2)
    accept = Rejection(Judge(ideal), seeded(3), first=500)
    accepted = accept(lambda n, _=1: sample(generator, n, rng), 10_000)

    assert len(accepted) == 10_000
    assert_likely(torch.bincount(accepted.tokens[:, 0], minlength=4), DATA)


def test_the_same_lots_accept_the_same_sentences() -> None:
    def accepted(seed: int) -> list[list[int]]:
        generator, rng = FixedGenerator(MODEL, eos=None, max_length=1), seeded(2)
        accept = Rejection(Judge(ideal), seeded(seed), first=10)
        return lists_of(accept(lambda n, _=1: sample(generator, n, rng), 50))

    assert accepted(1) == accepted(1)
    assert accepted(1) != accepted(2)


def test_a_discriminator_that_accepts_nothing_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST_TRIES", 300)

    def one_is_all(sentences: Sentences) -> Tensor:
        return torch.where(sentences.tokens[:, 0] == 1, 1 - 1e-12, 1e-12)

    words = iter([1])

    def write(n: int, _: int = 1) -> Sentences:
        return sentences_of(*([next(words, 2)] for _ in range(n)))

    with pytest.raises(UserError, match="the discriminator let 0 of 512 sentences pass"):
        Rejection(Judge(one_is_all), seeded(0), first=10)(write, 1)


def test_candidates_of_one_sentence_are_about_the_same() -> None:
    """The metric prefers a label; the best candidate has the one that was asked for."""
    generator = FixedGenerator(MODEL, eos=None, max_length=1)
    asked: list[tuple[int, int]] = []

    class Labels(ReferenceMetric):
        name = "labels"

        def __call__(self, sentences: Sentences) -> Tensor:
            return labels_of(sentences.context).double()

    def write(n: int, copies: int = 1) -> Sentences:
        asked.append((n, copies))
        about = Context(torch.arange(n // copies) % 2).repeated(copies)
        return sample(generator, n, seeded(1), context=about)

    chosen = BestOf(WeightedSum([(1.0, Labels())]), candidates=3)(write, 6)

    assert asked == [(18, 3)]
    assert labels_of(chosen.context).tolist() == [0, 1, 0, 1, 0, 1]


def test_what_the_metric_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "LEAST_BATCH", 1)
    tape = Tape(1, 3, 2, 5, 0, 4)

    assert firsts(Accepted(METRIC, above=2)(tape, 3)) == [3, 5, 4]


class FirstWord(Discriminator):
    """The first word is the logit."""

    def features(self, sentences: Sentences) -> Tensor:
        return sentences.tokens[:, :1].float()

    def real_logit(self, sentences: Sentences) -> Tensor:
        return sentences.tokens[:, 0].float()


def test_the_better_half_is_kept_in_the_order_of_writing() -> None:
    tape = Tape(3, 9, 1, 7, 5, 2, 8, 4)

    assert firsts(Kept(FirstWord(), keep=0.5, first=8)(tape, 3)) == [9, 7, 5]


def test_short_and_long_sentences_are_kept_alike() -> None:
    lengths = torch.tensor([2, 2, 2, 2, 9, 9, 9, 9])
    verdicts = torch.tensor([8.0, 7.0, 6.0, 5.0, 1.0, 2.0, 3.0, 4.0])

    assert kept_rows(verdicts, lengths, 0.5).tolist() == [0, 1, 6, 7]
    assert kept_rows(verdicts, lengths, 1.0).tolist() == list(range(8))
    assert kept_rows(verdicts, torch.full((8,), 3), 0.25).tolist() == [0, 1]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 9)), min_size=1), st.floats(0.05, 1))
def test_enough_are_kept_and_a_better_one_of_equal_length_is_never_left(
    pairs: list[tuple[int, int]], keep: float
) -> None:
    verdicts, lengths = (torch.tensor(column) for column in zip(*pairs, strict=True))
    rows = kept_rows(verdicts.double(), lengths, keep)
    left = sorted(set(range(len(pairs))) - set(rows.tolist()))

    assert keep * len(pairs) <= len(rows) <= keep * len(pairs) + 4
    for one in left:
        same = [row for row in rows.tolist() if lengths[row] == lengths[one]]
        assert all(verdicts[row] >= verdicts[one] for row in same)


def test_few_sentences_have_the_bar_of_many() -> None:
    assert firsts(Kept(FirstWord(), keep=0.5, first=4)(Tape(1, 2, 3, 4), 1)) == [3]
    assert firsts(Kept(FirstWord(), keep=0.25, first=1)(Tape(1, 2, 9, 4), 1)) == [9]


def test_all_is_kept_where_all_is_wanted_or_nothing_is_better() -> None:
    assert firsts(Kept(FirstWord(), keep=1.0, first=3)(Tape(3, 1, 2), 3)) == [3, 1, 2]
    assert firsts(Kept(FirstWord(), keep=0.5, first=4)(Tape(2, 2, 2, 2), 2)) == [2, 2]


def plain(sentences: Sentences) -> Flat:
    return sentences.flat(None)


def test_no_sentence_comes_twice_and_none_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "LEAST_BATCH", 1)
    known = sentences_of([3]).flat(None)
    tape = Tape(1, 3, 1, 2, 4, 5, 6)

    assert firsts(Fresh(plain, known=known)(tape, 4)) == [1, 2, 4, 5]
    assert firsts(Fresh(plain, known=known, unique=False)(Tape(1, 3, 1, 2), 3)) == [1, 1, 2]
    chosen = Fresh(plain, Kept(FirstWord(), 0.5, first=4), unique=True)

    assert firsts(chosen(Tape(1, 4, 3, 2), 2)) == [4, 3]


def test_nothing_new_to_say_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST_TRIES", 3)
    monkeypatch.setattr(selection, "LEAST_BATCH", 1)
    with pytest.raises(UserError, match="let 1 of 6 sentences pass, and 2 are wanted"):
        Fresh(plain)(Tape(*[7] * 6), 2)
