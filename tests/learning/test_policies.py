"""Two toy policies move together under the Wasserstein penalty, over several seeds."""

import pytest
import torch
from fakes import FixedGenerator, seeded

from learning.toy import assert_rises
from sda.models.rnn import RnnDiscriminator
from sda.sampling import sample
from sda.training.wasserstein import (
    Critic,
    critic_optimizer,
    criticise,
    read_features,
    update_critic,
)

pytestmark = pytest.mark.slow

STEPS, BATCH = 5, 64


def overlap(first: FixedGenerator, second: FixedGenerator) -> float:
    """The probability that the two distributions of a word share."""
    return torch.minimum(first.logits.softmax(0), second.logits.softmax(0)).sum().item()


def follow(seed: int, pulls: tuple[float, float]) -> float:
    """The overlap gained in some steps with nothing but the critic's pull on each policy."""
    rng = seeded(seed)
    first = FixedGenerator([0.6, 0.2, 0.1, 0.1], max_length=3)
    second = FixedGenerator([0.1, 0.1, 0.2, 0.6], max_length=3)
    discriminator = RnnDiscriminator(4, rng, embedding=8, hidden=8, init_std=0.5)
    critic = Critic(16, rng, hidden=32)
    learning = critic_optimizer(critic)
    optimizers = [torch.optim.Adam(policy.parameters(), 0.03) for policy in (first, second)]
    before = overlap(first, second)
    for _ in range(STEPS):
        ours, theirs = (
            read_features(discriminator, sample(policy, 5 * BATCH, rng))
            for policy in (first, second)
        )
        update_critic(critic, learning, ours, theirs)
        for policy, optimizer, pull in zip((first, second), optimizers, pulls, strict=True):
            fake = sample(policy, BATCH, rng)
            weights = pull * criticise(critic, read_features(discriminator, fake))
            optimizer.zero_grad()
            policy.loss(fake, weights[:, None] * fake.mask).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return overlap(first, second) - before


@pytest.mark.parametrize("pulls", [(-1.0, 1.0), (-1.0, 0.0), (0.0, 1.0)])
def test_the_penalty_moves_policies_together(pulls: tuple[float, float]) -> None:
    assert_rises(lambda seed: follow(seed, pulls))


def test_the_other_sign_moves_them_apart() -> None:
    assert_rises(lambda seed: -follow(seed, (1.0, -1.0)))
