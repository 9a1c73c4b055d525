"""The critic keeps its bound, finds the distance, and its weights give the gradient of it."""

import pytest
import torch
from fakes import FixedGenerator, Judge, seeded, sentences_of
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from sda.models.generator import Generator
from sda.models.rnn import RnnDiscriminator
from sda.training.wasserstein import (
    Critic,
    critic_optimizer,
    criticise,
    read_features,
    update_critic,
)


def trained(first: Tensor, second: Tensor, rounds: int, seed: int = 0) -> tuple[Critic, float]:
    """A critic after so many rounds on the same features, and the last gap that it found."""
    critic = Critic(first.shape[1], seeded(seed), hidden=32)
    optimizer = critic_optimizer(critic)
    gaps = [update_critic(critic, optimizer, first, second) for _ in range(rounds)]
    return critic, gaps[-1]


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(0, 1000), st.integers(1, 12), st.sampled_from([1, 2, 10]))
def test_no_pair_is_further_apart_than_its_distance(seed: int, size: int, rounds: int) -> None:
    rng = seeded(seed)
    scale = torch.rand(size, generator=rng) * 10
    first = torch.randn(60, size, generator=rng) * scale
    second = torch.randn(60, size, generator=rng) * scale + 1
    critic, _ = trained(first, second, rounds, seed)

    a, b = (torch.randn(500, size, generator=rng) * 2 * scale for _ in range(2))
    # A pair that goes straight uphill is the hardest.
    uphill = a.clone().requires_grad_()
    critic.eval()
    (slope,) = torch.autograd.grad(critic(uphill).sum(), uphill)
    for other in (b, a + 1e-2 * slope * critic.scale.square()):
        distance = (critic.place(a) - critic.place(other)).norm(dim=1)
        difference = (critic.judge(a) - critic.judge(other)).abs()
        assert (difference <= distance * (1 + 1e-3) + 1e-5).all()


def test_the_norm_of_every_layer_is_near_one_from_the_first_update() -> None:
    rng = seeded(1)
    first, second = (torch.randn(100, 40, generator=rng) for _ in range(2))
    critic = Critic(40, rng)
    optimizer = critic_optimizer(critic)
    for _ in range(6):
        update_critic(critic, optimizer, first, second + 0.5)
        critic.eval()
        for layer in (critic.layers[0], critic.layers[2]):
            assert torch.linalg.matrix_norm(layer.weight, 2).item() == pytest.approx(1, abs=0.1)
        critic.train()


@pytest.mark.slow
def test_two_places_are_as_far_apart_as_they_are() -> None:
    first, second = torch.zeros(50, 4), torch.tensor([[0.0, 3.0, 0.0, 1.0]]).repeat(50, 1)
    critic, gap = trained(first, second, 40)

    # Standardised, the two features that differ do so by 2; over 4 features that is sqrt(8 / 4).
    assert gap == pytest.approx(2**0.5, rel=0.03)
    assert critic.judge(first).mean() > critic.judge(second).mean()


def test_equal_policies_have_no_distance() -> None:
    features = torch.randn(50, 4, generator=seeded(1))

    assert trained(features, features, 5)[1] == pytest.approx(0, abs=1e-6)


def test_features_are_standardised_and_their_number_does_not_matter() -> None:
    critic = Critic(4, seeded(0))
    critic.standardise(torch.tensor([[1.0, 0, 10, 5], [3, 0, 30, 5]]))

    placed = critic.place(torch.tensor([[1.0, 0, 10, 5], [2, 0, 40, 5]]))
    assert placed.tolist() == [[-0.5, 0, -0.5, 0], [0, 0, 1, 0]]


def test_the_seed_decides_and_nothing_else_is_drawn_from() -> None:
    before = torch.get_rng_state()
    one, same, other = (Critic(3, seeded(seed)).state_dict() for seed in (1, 1, 2))

    assert torch.equal(before, torch.get_rng_state())
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


def test_judging_changes_nothing() -> None:
    critic, _ = trained(torch.zeros(10, 3), torch.ones(10, 3), 1)
    before = {name: value.clone() for name, value in critic.state_dict().items()}
    first = critic.judge(torch.eye(3))

    assert torch.equal(critic.judge(torch.eye(3)), first)
    assert critic.training
    assert all(torch.equal(before[name], value) for name, value in critic.state_dict().items())


def test_weights_are_less_the_mean_of_the_others() -> None:
    critic = Critic(2, seeded(0))
    features = torch.tensor([[0.0, 1.0], [2.0, 0.0], [1.0, 5.0]])
    a, b, c = critic.judge(features).tolist()

    assert criticise(critic, features).tolist() == pytest.approx(
        [a - (b + c) / 2, b - (a + c) / 2, c - (a + b) / 2], abs=1e-6
    )
    assert criticise(critic, features[:1]).tolist() == [0.0]


def test_features_are_read_without_gradient_and_without_dropout() -> None:
    sentences = sentences_of([1, 2], [3])
    judge = Judge(lambda s: s.lengths.double())
    assert read_features(judge, sentences).tolist() == [[2], [1]]

    discriminator = RnnDiscriminator(5, seeded(0), embedding=3, hidden=3, dropout=0.9)
    features = read_features(discriminator, sentences)
    assert not features.requires_grad
    assert torch.equal(features, read_features(discriminator, sentences))


PAIRS = [[a, b] for a in range(3) for b in range(3)]


def gradient(policy: Generator, weights: Tensor) -> Tensor:
    """What a step with these weights (B,) of all nine sentences of two words moves the logits."""
    sentences = sentences_of(*PAIRS)
    policy.zero_grad()
    policy.loss(sentences, weights[:, None].expand(-1, 2)).backward()  # type: ignore[no-untyped-call]
    (parameter,) = policy.parameters()
    assert parameter.grad is not None
    return -parameter.grad * len(PAIRS)


def test_the_weights_give_the_gradient_of_the_gap() -> None:
    """Over all sentences of a tiny vocabulary, and both policies, against differentiation."""
    first = FixedGenerator([0.5, 0.3, 0.2], max_length=2)
    second = FixedGenerator([0.2, 0.2, 0.6], max_length=2)
    discriminator = RnnDiscriminator(3, seeded(0), embedding=4, hidden=4)
    features = read_features(discriminator, sentences_of(*PAIRS))
    critic, _ = trained(features[:5], features[4:], 10)
    values = critic.judge(features)

    def probabilities(policy: Generator) -> Tensor:
        return policy.log_probs(sentences_of(*PAIRS)).sum(1).exp()

    gap = (probabilities(first) * values).sum() - (probabilities(second) * values).sum()
    exact = torch.autograd.grad(gap, [first.logits, second.logits])
    for policy, sign, derivative in zip((first, second), (1.0, -1.0), exact, strict=True):
        chance = probabilities(policy).detach()
        found = gradient(policy, sign * chance * (values - (chance * values).sum()))
        assert torch.allclose(found, derivative, atol=1e-6)


def test_the_gradient_of_samples_is_right_on_average() -> None:
    """All 81 batches of two sentences: leaving one out has no bias."""
    policy = FixedGenerator([0.5, 0.3, 0.2], max_length=2)
    discriminator = RnnDiscriminator(3, seeded(0), embedding=4, hidden=4)
    features = read_features(discriminator, sentences_of(*PAIRS))
    critic, _ = trained(features[:5], features[4:], 10)
    values = critic.judge(features)
    chance = policy.log_probs(sentences_of(*PAIRS)).sum(1).exp()
    (exact,) = torch.autograd.grad((chance * values).sum(), policy.logits)

    mean = torch.zeros(3)
    for i in range(9):
        for j in range(9):
            both = criticise(critic, features[[i, j]])
            weights = torch.zeros(9).index_add(0, torch.tensor([i, j]), both)
            # The loss of a batch is a mean over two sentences.
            mean += (chance[i] * chance[j]).item() * gradient(policy, weights) / 2
    assert torch.allclose(mean, exact, atol=1e-6)
