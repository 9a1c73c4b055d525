"""Discriminators that know what a sentence is said to be about."""

import pytest
import torch
from fakes import seeded, sentences_of
from torch import Tensor

from sda.models.cnn import CnnDiscriminator
from sda.models.discriminator import Discriminator
from sda.models.generator import without_dropout
from sda.models.rnn import RnnDiscriminator
from sda.text.context import Context
from sda.text.sentences import Sentences

WORDS = sentences_of([1, 2, 3, 0], [4, 4, 0], [1, 2, 3, 0], [5, 1, 2, 6, 0])


@pytest.fixture(params=["rnn", "cnn"])
def discriminator(request: pytest.FixtureRequest) -> Discriminator:
    if request.param == "rnn":
        return RnnDiscriminator(9, seeded(3), embedding=5, hidden=4, init_std=0.8, labels=3)
    return CnnDiscriminator(9, seeded(3), 5, widths=(1, 2), maps=(3, 4), labels=3)


def about(sentences: Sentences, *labels: int) -> Sentences:
    return sentences.about(Context(torch.tensor(labels)))


def logits(discriminator: Discriminator, sentences: Sentences) -> Tensor:
    with without_dropout(discriminator), torch.no_grad():
        return discriminator.real_logit(sentences)


def test_the_same_words_are_judged_by_their_label(discriminator: Discriminator) -> None:
    found = logits(discriminator, about(WORDS, 0, 1, 2, 0))

    assert not torch.isclose(found[0], found[2], atol=1e-3)
    torch.testing.assert_close(
        logits(discriminator, about(WORDS[2:3], 2)), found[2:3], atol=1e-5, rtol=1e-5
    )


def test_completions_are_judged_by_their_own_labels(discriminator: Discriminator) -> None:
    completions = about(
        sentences_of([1, 2, 3, 0], [1, 2, 4, 0], [5, 6, 1, 0], [5, 6, 2, 0]), 0, 1, 2, 0
    )
    prefixes = torch.tensor([[1, 2], [5, 6]])
    with without_dropout(discriminator), torch.no_grad():
        shared = discriminator.completed_logit(prefixes, completions)

    torch.testing.assert_close(shared, logits(discriminator, completions), atol=1e-5, rtol=1e-5)


def test_gradients_reach_the_labels_that_were_seen(discriminator: Discriminator) -> None:
    discriminator.real_logit(about(WORDS, 0, 2, 2, 0)).sum().backward()  # type: ignore[no-untyped-call]
    table = discriminator.get_parameter("labels.weight")

    assert table.grad is not None
    assert table.grad.any(1).tolist() == [True, False, True]


def test_a_sentence_without_a_label_is_refused(discriminator: Discriminator) -> None:
    with pytest.raises(ValueError, match="these have no label"):
        discriminator.real_logit(WORDS)


def test_without_labels_nothing_is_drawn_for_them() -> None:
    plain, labelled = (CnnDiscriminator(9, seeded(3), 5, labels=n).state_dict() for n in (0, 2))

    assert labelled.keys() - plain.keys() == {"labels.weight"}
    assert all(torch.equal(value, labelled[name]) for name, value in plain.items())
