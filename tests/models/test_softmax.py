import pytest
import torch
from fakes import seeded
from torch import Tensor

from sda.models.softmax import CHUNK, linear_log_probs, linear_weighted_nll

SIZES = [1, 5, CHUNK, CHUNK + 1, 2 * CHUNK + 3]


def problem(positions: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Hidden states, weight, bias, targets and weights of some of them zero or negative."""
    rng = seeded(positions)
    hidden = torch.randn(positions, 3, generator=rng, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(7, 3, generator=rng, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(7, generator=rng, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(7, (positions,), generator=rng)
    weights = torch.randn(positions, generator=rng, dtype=torch.float64).clamp(min=-0.5)
    return hidden, weight, bias, targets, torch.where(weights > 1, 0.0, weights)


def textbook(hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
    logits = hidden @ weight.t() + bias
    return logits.log_softmax(1).gather(1, targets[:, None])[:, 0]


@pytest.mark.parametrize("positions", SIZES)
def test_log_probs_are_those_of_one_large_softmax(positions: int) -> None:
    hidden, weight, bias, targets, _ = problem(positions)

    found = linear_log_probs(hidden, weight, bias, targets)
    torch.testing.assert_close(found, textbook(hidden, weight, bias, targets))


@pytest.mark.parametrize("positions", SIZES)
def test_loss_and_gradients_are_those_of_autograd(positions: int) -> None:
    hidden, weight, bias, targets, weights = problem(positions)
    found = linear_weighted_nll(hidden, weight, bias, targets, weights)
    expected = -(textbook(hidden, weight, bias, targets) * weights).sum()

    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        torch.autograd.grad(2 * found, (hidden, weight, bias)),
        torch.autograd.grad(2 * expected, (hidden, weight, bias)),
    )


def test_huge_logits_do_not_overflow() -> None:
    hidden = torch.tensor([[1e4], [-1e4]])
    weight = torch.tensor([[1.0], [-1.0]])
    loss = linear_weighted_nll(
        hidden, weight, torch.zeros(2), torch.tensor([0, 0]), torch.tensor([1.0, 1.0])
    )

    # The first target has probability one, the second e^-20000.
    assert float(loss) == 2e4


def test_no_position_has_no_loss() -> None:
    hidden = torch.zeros(0, 3)
    none = torch.zeros(0, dtype=torch.int64)

    assert linear_log_probs(hidden, torch.ones(4, 3), torch.zeros(4), none).shape == (0,)
    loss = linear_weighted_nll(hidden, torch.ones(4, 3), torch.zeros(4), none, torch.zeros(0))
    assert float(loss) == 0
