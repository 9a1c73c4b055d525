import torch

from sda.models.branching import State, select


def test_rows_of_every_tensor_are_taken_in_order_and_repeatedly() -> None:
    numbers = torch.tensor([[0.0], [1.0], [2.0]])
    state: State = (numbers, (numbers + 10, (numbers + 20,)))
    taken = select(state, torch.tensor([2, 0, 2]))

    expected = torch.tensor([[2.0], [0.0], [2.0]])
    torch.testing.assert_close(taken, (expected, (expected + 10, (expected + 20,))))


def test_nothing_taken_keeps_the_shape() -> None:
    taken = select(torch.zeros(3, 5), torch.zeros(0, dtype=torch.int64))

    assert isinstance(taken, torch.Tensor) and taken.shape == (0, 5)
