"""LeakRNN learns the same from sentences that it expects as from any others."""

import pytest
import torch
from fakes import seeded, sentences_of

from models.leak_by_hand import ROWS, SENTENCES, gradients, make_generator, random_rewards
from sda.models.cnn import CnnDiscriminator
from sda.models.leak import LeakGenerator
from sda.models.prefix_cache import PrefixCache
from sda.text.sentences import Sentences


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the cache knew the sentences, for each time that it was asked."""
    answers: list[bool] = []
    features = PrefixCache.features

    def record(self: PrefixCache, sentences: Sentences) -> torch.Tensor | None:
        answer = features(self, sentences)
        answers.append(answer is not None)
        return answer

    monkeypatch.setattr(PrefixCache, "features", record)
    return answers


@pytest.mark.parametrize("rows", [[0, 1, 2, 3, 4], [2], [4, 1], [3, 2]])
def test_losses_and_gradients_are_the_same(
    generator: LeakGenerator, rows: list[int], asked: list[bool]
) -> None:
    batch = SENTENCES[torch.tensor(rows)].trimmed()
    expected = generator.loss(batch)
    without = gradients(generator, expected)
    generator.expect(SENTENCES)
    loss = generator.loss(batch)

    assert asked == [True]
    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=1e-5)
    for name, value in gradients(generator, loss).items():
        torch.testing.assert_close(value, without[name], atol=1e-5, rtol=1e-5, msg=name)


def test_it_follows_the_discriminator(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    generator.expect(SENTENCES)
    before = generator.loss(SENTENCES)
    optimizer = torch.optim.Adam(discriminator.parameters(), 0.05, fused=True)
    discriminator.real_logit(SENTENCES).sum().backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    after = generator.loss(SENTENCES)
    generator.expect(None)

    assert not torch.isclose(after, before)
    torch.testing.assert_close(after, generator.loss(SENTENCES), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("worker_reward", ["q", "intrinsic"])
def test_only_maximum_likelihood_asks(
    discriminator: CnnDiscriminator, worker_reward: str, asked: list[bool]
) -> None:
    generator = make_generator(discriminator, worker_reward=worker_reward)
    generator.expect(SENTENCES)
    generator.loss(SENTENCES, random_rewards())
    generator.log_probs(SENTENCES)
    assert asked == []
    generator.loss(SENTENCES)
    generator.loss(sentences_of([5, 5, 5]))
    assert asked == [True, False]
    generator.expect(None)
    generator.loss(SENTENCES)
    assert asked == [True, False]


def test_sentences_that_do_not_fit_are_not_kept(
    discriminator: CnnDiscriminator, asked: list[bool]
) -> None:
    """With blocks of two a sentence of three words has prefixes of 0, 1, 2 and 3, and 12 features.

    One megabyte has room for 20,833 prefixes and thus for 5,208 sentences; one entry is of zeros.
    """
    generator = make_generator(discriminator, cache_megabytes=1)
    tokens = torch.randint(7, (5209, 3), generator=seeded(0))
    many = Sentences(tokens, torch.full((5209,), 3))
    generator.expect(many[:5208])
    generator.loss(many[:4])
    assert asked == [True]
    generator.expect(many)
    generator.loss(many[:4])
    assert asked == [True]


def test_without_a_cache_all_is_as_before(
    generator: LeakGenerator, discriminator: CnnDiscriminator, asked: list[bool]
) -> None:
    without = make_generator(discriminator, cache_megabytes=0)
    without.expect(SENTENCES)

    assert torch.equal(without.loss(SENTENCES), generator.loss(SENTENCES))
    assert asked == []


def test_it_is_no_part_of_the_weights(generator: LeakGenerator) -> None:
    names = set(generator.state_dict())
    generator.expect(sentences_of(*ROWS))
    generator.loss(SENTENCES)

    assert set(generator.state_dict()) == names
