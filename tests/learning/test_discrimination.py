"""A discriminator learns to tell sentences from noise, and which of the two is real."""

from collections.abc import Callable

import pytest
import torch
from fakes import FixedGenerator, seeded

from sda.models.cnn import CnnDiscriminator
from sda.models.discriminator import Discriminator
from sda.models.oracle import random_oracle
from sda.models.rnn import RnnDiscriminator
from sda.rewards import judge
from sda.sampling import sample
from sda.text.corpus import batches
from sda.training.steps import discriminator_loss

pytestmark = pytest.mark.slow

WORDS, LENGTH = 12, 6

Build = Callable[[torch.Generator], Discriminator]
CASES: dict[str, Build] = {
    "rnn": lambda rng: RnnDiscriminator(WORDS, rng, embedding=12, hidden=12),
    "cnn": lambda rng: CnnDiscriminator(WORDS, rng, 12, widths=(1, 2, 3), maps=(8, 8, 8)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(4))
def test_unseen_sentences_are_told_from_unseen_noise(case: str, seed: int) -> None:
    rng = seeded(seed)
    torch.manual_seed(seed)
    oracle = random_oracle(WORDS, LENGTH, 8, rng)
    noise = FixedGenerator([1 / WORDS] * WORDS, max_length=LENGTH)
    discriminator = CASES[case](rng)
    optimizer = torch.optim.Adam(discriminator.parameters(), 0.005)
    real, fake = sample(oracle, 1000, rng), sample(noise, 1000, rng)
    for _ in range(10):
        for some_real, some_fake in zip(
            batches(real, 100, rng), batches(fake, 100, rng), strict=True
        ):
            logits = discriminator.real_logit(some_real), discriminator.real_logit(some_fake)
            optimizer.zero_grad()
            discriminator_loss(*logits).backward()  # type: ignore[no-untyped-call]
            optimizer.step()

    on_real = judge(discriminator, sample(oracle, 1000, rng))
    on_fake = judge(discriminator, sample(noise, 1000, rng))
    assert on_real.mean() > 0.6 and on_fake.mean() < 0.4
    # A right guess for real and for fake is worth half each; chance has a deviation of 0.011.
    accuracy = ((on_real > 0.5).double().mean() + (on_fake < 0.5).double().mean()) / 2
    assert accuracy > 0.65
