"""What the theory of the paper says in formulas, on spaces small enough to write down.

Rewards, occupancies and policies are vectors over a handful of states and actions.
"""

import math

import pytest
import torch
from fakes import Judge, seeded, sentences_of
from torch import Tensor

from sda.rewards import judge


def occupancy(seed: int, size: int = 6) -> Tensor:
    return torch.rand(size, generator=seeded(seed), dtype=torch.float64).softmax(0)


def g(x: Tensor) -> Tensor:
    """GAIL's convex function: finite below zero alone."""
    return torch.where(x < 0, -x - torch.log1p(-torch.exp(x)), torch.inf)


def capacity_regulariser(reward: Tensor, expert: Tensor) -> Tensor:
    """psi_1 with the cost -r in the place where the paper prints r (decision 0002)."""
    return (expert * g(-reward)).sum()


@pytest.mark.parametrize("seed", range(5))
def test_capacity_regulariser_turns_eq_14_into_eq_29(seed: int) -> None:
    expert, policy = occupancy(seed), occupancy(seed + 100)
    fake = torch.rand(6, generator=seeded(seed), dtype=torch.float64)  # the appendix's D
    reward = -fake.log()

    regularised = (expert * reward).sum() - capacity_regulariser(reward, expert)
    assert regularised.item() == pytest.approx((expert * (1 - fake).log()).sum().item())

    whole = ((expert - policy) * reward).sum() - capacity_regulariser(reward, expert)
    gail = (policy * fake.log()).sum() + (expert * (1 - fake).log()).sum()
    assert whole.item() == pytest.approx(gail.item())


def test_capacity_regulariser_as_printed_is_infinite_everywhere() -> None:
    reward = torch.tensor([0.0, 0.1, 3.0], dtype=torch.float64)

    assert g(reward).isinf().all()
    assert g(-reward[1:]).isfinite().all()


def test_best_discriminator_of_eq_30_is_the_share_of_the_policy() -> None:
    expert, policy = occupancy(1), occupancy(2)
    logit = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([logit], 0.1)
    for _ in range(500):
        optimizer.zero_grad()
        fake = torch.sigmoid(logit)
        (-(policy * fake.log()).sum() - (expert * (1 - fake).log()).sum()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    assert torch.allclose(torch.sigmoid(logit), policy / (policy + expert), atol=1e-4)


@pytest.mark.parametrize("real", [0.1, 0.5, 0.9])
def test_reward_of_the_appendix_is_the_gail_reward(real: float) -> None:
    """Its D is high on generated text: 1 - D of the main text; its reward is -log D."""
    discriminator = Judge(lambda sentences: torch.full((len(sentences),), real))
    found = judge(discriminator, sentences_of([1, 2]), "gail")

    assert found.item() == pytest.approx(-math.log(1 - real))
    assert judge(discriminator, sentences_of([1, 2])).item() == pytest.approx(real)


def test_factor_2_makes_the_objective_blind_to_a_constant() -> None:
    """Eq. 11 weighs rho twice; plugging the regularisers in gives it once (decision 0004)."""
    expert, best, policy = occupancy(1), occupancy(2), occupancy(3)
    reward = occupancy(4)

    def objective(reward: Tensor, factor: float) -> float:
        return ((best + expert - factor * policy) * reward).sum().item()

    assert objective(reward + 5, 2.0) == pytest.approx(objective(reward, 2.0))
    assert objective(reward + 5, 1.0) == pytest.approx(objective(reward, 1.0) + 5)


def test_eq_13_has_no_bound_without_a_regulariser() -> None:
    """However large the objective, twice the reward doubles it (decision 0003)."""
    best, policy = occupancy(2), occupancy(3)
    reward = best - policy
    value = ((best - policy) * reward).sum()

    assert value > 0
    assert ((best - policy) * 2 * reward).sum() == 2 * value


def wasserstein(first: Tensor, second: Tensor, places: Tensor) -> Tensor:
    """Of two distributions on a line: the area between the cumulative sums."""
    return ((first - second).cumsum(0)[:-1].abs() * places.diff()).sum()


def best_critic(first: Tensor, second: Tensor, places: Tensor) -> Tensor:
    """Its slope is one, downwards wherever the first has more mass on the left."""
    slopes = (first - second).cumsum(0)[:-1].sign()
    return torch.cat((torch.zeros(1), -(slopes * places.diff()).cumsum(0))).double()


@pytest.mark.parametrize("seed", range(5))
def test_theorem_1_needs_no_second_term(seed: int) -> None:
    """The score-function term alone is the derivative of the distance (Eq. 28, decision 0007)."""
    places = torch.rand(6, generator=seeded(seed), dtype=torch.float64).sort().values
    logits = torch.randn(6, generator=seeded(seed + 50), dtype=torch.float64, requires_grad=True)
    other = occupancy(seed)
    policy = logits.softmax(0)
    distance = wasserstein(policy, other, places)
    (exact,) = torch.autograd.grad(distance, logits, retain_graph=True)

    critic = best_critic(policy.detach(), other, places)
    assert (policy @ critic - other @ critic).item() == pytest.approx(distance.item())
    surrogate = (policy.detach() * critic * policy.log()).sum()
    (found,) = torch.autograd.grad(surrogate, logits)
    assert torch.allclose(found, exact)
