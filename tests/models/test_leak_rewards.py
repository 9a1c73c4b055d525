"""What rewards do to LeakRNN: each weighs its own block and its own words."""

import math

import pytest
import torch
from fakes import Judge, seeded, sentences_of
from torch import Tensor

from models.leak_by_hand import (
    BLOCK,
    LONGEST,
    ROWS,
    WORDS,
    cosines,
    gradients,
)
from sda.models.cnn import CnnDiscriminator
from sda.models.leak import LeakGenerator
from sda.rewards import rescale, rollout_rewards, subtract_baseline
from sda.sampling import sample
from sda.text.sentences import Sentences


@pytest.mark.parametrize("kind", ["none", "rank"])
def test_swapping_two_rewards_changes_both_gradients(generator: LeakGenerator, kind: str) -> None:
    """In LeakGAN's release the manager's would not: the sum of the rewards is the same."""
    fake = sentences_of([1, 2, 3, 4], [5, 6, 0, 2], [3, 3, 1, 0])
    rewards = torch.tensor([[0.9, 0.9, 0.2, 0.2], [0.1, 0.1, 0.6, 0.6], [0.4, 0.4, 0.5, 0.5]])
    one, other = (
        gradients(generator, generator.loss(fake, rescale(values, fake.mask, kind)))  # type: ignore[arg-type]
        for values in (rewards, rewards[[1, 0, 2]])
    )

    for name, value in one.items():
        difference = (value - other[name]).norm() / value.norm()
        assert difference > 1e-2, name


def test_a_constant_reward_is_maximum_likelihood_of_the_own_sentences(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    with torch.no_grad():
        for value in discriminator.output.parameters():
            value.zero_()
    fake = sample(generator, 6, seeded(0))
    rewards = rollout_rewards(generator, discriminator, fake, 2, seeded(0), every=BLOCK)
    assert rewards.eq(0.5).all()
    plain = gradients(generator, generator.loss(fake))
    for name, gradient in gradients(generator, generator.loss(fake, rewards)).items():
        assert torch.equal(gradient, plain[name] / 2), name

    ranked = rescale(rewards, fake.mask, "rank")
    share = 1 / (1 + math.exp(-12 * (0.5 - 3.5 / 6)))
    for name, gradient in gradients(generator, generator.loss(fake, ranked)).items():
        torch.testing.assert_close(gradient, plain[name] * share, msg=name)

    nothing = subtract_baseline(rewards, fake.mask, "batch_mean")
    found = gradients(generator, generator.loss(fake, nothing))
    assert not any(value.any() for value in found.values())


def test_rewards_of_blocks_depend_on_the_own_sentence_only(generator: LeakGenerator) -> None:
    judge = Judge(lambda sentences: (sentences.tokens[:, 0] + 1) / 10)
    fake = sample(generator, 8, seeded(0))
    found = rollout_rewards(generator, judge, fake, 3, seeded(0), every=4)

    expected = (fake.tokens[:, :1] + 1) / 10
    torch.testing.assert_close(found, expected.expand(8, LONGEST).double())
    # The sentences, then three completions of each beginning of four and of eight words.
    assert [len(shown) for shown in judge.judged] == [8, 24, 24]
    for shown, t in zip(judge.judged[1:], (4, 8), strict=True):
        begins = fake.tokens[:, :t].repeat_interleave(3, 0)
        assert torch.equal(shown.tokens[:, :t], begins)


def test_a_block_has_the_reward_of_the_beginning_that_it_completes(
    generator: LeakGenerator,
) -> None:
    """D is high for sentences that begin with eight zeros."""
    fake = Sentences(torch.zeros(1, LONGEST, dtype=torch.int64), torch.tensor([LONGEST]))

    def leading_zeros(shown: Sentences) -> Tensor:
        return ((shown.tokens == 0).cumprod(1).sum(1) >= 8) * 0.5 + 0.25

    found = rollout_rewards(generator, Judge(leading_zeros), fake, 400, seeded(0), every=4)[0]
    chance = generator.log_probs(fake)[0, 4:8].sum().exp().item()

    assert found[:4].eq(found[0]).all()
    assert found[0].item() == pytest.approx(0.25 + 0.5 * chance, abs=0.5 * 6 * 0.5 / 20)
    assert found[4:].tolist() == [0.75] * 5


@pytest.mark.parametrize("place", [0, BLOCK, LONGEST - 1])
def test_the_rewarded_word_becomes_likelier(generator: LeakGenerator, place: int) -> None:
    """Only the word at one place has a reward, and only where it is word 1."""
    fake = Sentences(torch.full((WORDS, LONGEST), 2), torch.full((WORDS,), LONGEST))
    fake.tokens[:, place] = torch.arange(WORDS)
    weights = torch.zeros(WORDS, LONGEST)
    weights[1, place] = 1.0
    before = generator.log_probs(fake)[:, place].detach()
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    generator.loss(fake, weights).backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    after = generator.log_probs(fake)[:, place].detach()

    torch.testing.assert_close(before.exp().sum(), torch.tensor(1.0))
    assert after[1] > before[1]


def test_a_rewarded_block_makes_the_manager_aim_where_it_went(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    words = ROWS[0]
    weights = torch.zeros(1, len(words))
    weights[0, BLOCK] = 1.0
    before = cosines(generator, discriminator, words)[1].item()
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    generator.loss(sentences_of(words), weights).backward()  # type: ignore[no-untyped-call]
    optimizer.step()

    assert cosines(generator, discriminator, words)[1].item() > before
