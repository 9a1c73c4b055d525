"""What a generator promises that writes about something: the rows of the table that do."""

import pytest
import torch
from fakes import Judge, assert_likely, lists_of, seeded, sentences_of

from contracts.test_generators import CASES, LABELS, every_sentence, thing, things
from sda.models.generator import Generator, without_dropout
from sda.rewards import rollout_rewards
from sda.sampling import sample
from sda.text.context import Context
from sda.text.sentences import Sentences


@pytest.fixture(params=[name for name in CASES if "label" in name or "encoder" in name])
def generator(request: pytest.FixtureRequest) -> Generator:
    return CASES[request.param](seeded(3))


@torch.no_grad()
def test_what_a_sentence_is_about_matters_and_what_others_are_about_does_not(
    generator: Generator,
) -> None:
    alone = [every_sentence(generator, number) for number in range(LABELS)]
    with without_dropout(generator):
        apart = [generator.log_probs(sentences).sum(1) for sentences in alone]
        together = generator.log_probs(Sentences.join(alone)).sum(1)

    torch.testing.assert_close(together, torch.cat(apart), atol=1e-5, rtol=1e-5)
    assert not torch.allclose(apart[0], apart[1], atol=1e-2)
    assert not torch.allclose(apart[1], apart[2], atol=1e-2)


def test_samples_are_about_what_was_asked_for(generator: Generator) -> None:
    numbers = torch.arange(LABELS).repeat_interleave(6000)
    written = sample(generator, len(numbers), seeded(5), context=things(generator, numbers))
    for number in range(LABELS):
        mine = written[numbers == number]
        sentences = every_sentence(generator, number)
        places = {tuple(words): i for i, words in enumerate(lists_of(sentences))}
        found = torch.tensor([places[tuple(words)] for words in lists_of(mine)])
        with without_dropout(generator), torch.no_grad():
            probabilities = generator.log_probs(sentences).double().sum(1).exp()

        assert_likely(torch.bincount(found, minlength=len(places)), probabilities)
        assert mine.context is not None
        expected = thing(generator, len(mine), number)
        assert expected is not None
        assert Context.join([mine.context, expected]).numbers().std(0).max() == 0


def test_rollouts_keep_the_context_of_the_sentence_that_they_complete(generator: Generator) -> None:
    """Each sentence begins with a word that tells what it is about, so a swap would be seen."""
    numbers = torch.tensor([0, 1, 2, 1, 0])
    sentences = sentences_of(*[[int(number) + 1, 1, 1] for number in numbers])
    judge = Judge(lambda shown: torch.full((len(shown),), 0.5))
    rollout_rewards(generator, judge, sentences.about(things(generator, numbers)), 3, seeded(6))

    assert len(judge.judged) > 1
    for shown in judge.judged:
        expected = things(generator, shown.tokens[:, 0] - 1)
        assert shown.context is not None and expected is not None
        both = Context.join([shown.context, expected]).numbers()
        assert (both[: len(shown)] == both[len(shown) :]).all()


def test_a_sentence_about_nothing_is_refused(generator: Generator) -> None:
    with pytest.raises(ValueError, match="these have no"):
        generator.loss(sentences_of([1, 2, 0]))
