"""Unlikelihood objectives do what they are for, on toy data and over several seeds."""

from collections.abc import Callable

import pytest
import torch
from fakes import seeded
from torch import Tensor

from learning.toy import assert_rises
from sda.baselines.unlikelihood import RareWords, Repetition, Tokens, VocabularyKl
from sda.evaluation.diversity import repetition
from sda.models.generator import Frame
from sda.models.rnn import RnnGenerator
from sda.sampling import sample
from sda.text.corpus import batches
from sda.text.sentences import Sentences
from sda.text.vocabulary import NumberVocabulary
from sda.training.steps import Objective, nll

pytestmark = pytest.mark.slow

WORDS, LENGTH = 60, 8
Make = Callable[[Sentences, torch.Generator], Objective]


def sentences_by_zipf(rng: torch.Generator, words: int) -> Sentences:
    """300 sentences of independent words, of which a few are common and most are rare."""
    shares = 1 / torch.arange(1, words + 1) ** 1.5
    tokens = torch.multinomial(shares, 300 * LENGTH, replacement=True, generator=rng)
    return Sentences(tokens.view(300, LENGTH), torch.full((300,), LENGTH))


def trained(seed: int, words: int, make: Make) -> tuple[Sentences, Sentences]:
    """The training sentences, and what a generator writes that learned them by the objective."""
    train = sentences_by_zipf(seeded(seed), words)
    rng = seeded(seed + 100)
    generator = RnnGenerator(Frame(words, None, LENGTH), rng, embedding=8, hidden=8)
    objective = make(train, rng)
    optimizer = torch.optim.Adam(generator.parameters(), 0.01)
    for _ in range(6):
        for batch in batches(train, 30, rng):
            optimizer.zero_grad()
            objective(generator, batch).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return train, sample(generator, 3000, seeded(1))


def plain(train: Sentences, rng: torch.Generator) -> Objective:
    return nll


def assert_raises(figure: Callable[[Sentences, Sentences], float], words: int, make: Make) -> None:
    """The figure of (train, samples) is higher than by maximum likelihood."""
    assert_rises(
        lambda seed: figure(*trained(seed, words, make)) - figure(*trained(seed, words, plain))
    )


def test_rare_words_are_written_more_often() -> None:
    def share_of_rare(train: Sentences, samples: Sentences) -> float:
        counts: Tensor = torch.bincount(train.tokens.flatten(), minlength=WORDS)
        is_rare = (counts > 0) & (counts < 10)
        return is_rare[samples.tokens].double().mean().item()

    vocabulary = NumberVocabulary(WORDS)
    assert_raises(
        share_of_rare, WORDS, lambda train, rng: RareWords(vocabulary, train, threshold=10)
    )


def few_repeats(train: Sentences, samples: Sentences) -> float:
    return -repetition(samples.flat(None), 3).value


def test_fewer_trigrams_are_repeated() -> None:
    assert_raises(few_repeats, 4, lambda train, rng: Repetition(rng))


def test_fewer_words_come_back() -> None:
    def share_of_new(train: Sentences, samples: Sentences) -> float:
        return -repetition(samples.flat(None), 1).value

    assert_raises(share_of_new, 12, lambda train, rng: Tokens())


def test_an_overused_word_is_given_up_sooner() -> None:
    def share(seed: int, make: Make) -> float:
        """Of word 0 after ten updates of a generator that began with far too much of it."""
        train = sentences_by_zipf(seeded(seed), 12)
        rng = seeded(seed + 100)
        generator = RnnGenerator(Frame(12, None, LENGTH), rng, embedding=8, hidden=8)
        with torch.no_grad():
            generator.bias[0] += 5
        objective = make(train, rng)
        # Steps that grow with the gradient, unlike Adam's.
        optimizer = torch.optim.SGD(generator.parameters(), 0.01)
        for batch in batches(train, 30, rng):
            optimizer.zero_grad()
            objective(generator, batch).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        return (sample(generator, 3000, seeded(1)).tokens == 0).double().mean().item()

    vocabulary = NumberVocabulary(12)
    assert_rises(
        lambda seed: (
            share(seed, plain) - share(seed, lambda train, rng: VocabularyKl(vocabulary, rng))
        )
    )
