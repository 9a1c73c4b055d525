"""The gradient of a batch's loss, in one piece or in parts that processes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from sda.ranks import Values
from sda.text.sentences import Sentences
from sda.training.progress import check_finite
from sda.training.state import TrainState


class PartLoss(NamedTuple):
    """The share that some rows have in the loss of a batch, and in figures that are summed."""

    loss: Tensor
    figures: Tensor = torch.zeros(0)


LossOf = Callable[[slice], PartLoss]


def part_of(batch: Sentences, mean: Callable[..., Tensor], weights: Tensor | None = None) -> LossOf:
    """A loss that is a mean over the sentences of the batch, as the share of some rows in it.

    Weights (B, T) of the tokens are handed to it with their sentences, where there are any.
    """

    def loss(rows: slice) -> PartLoss:
        is_whole = rows == slice(0, len(batch))
        some = batch if is_whole else batch[rows]
        if weights is None:
            found = mean(some)
        else:
            found = mean(some, weights if is_whole else weights[rows])
        return PartLoss(found * (len(some) / len(batch)))

    return loss


def add_gradients(
    state: TrainState,
    optimizer: torch.optim.Optimizer,
    size: int,
    loss: LossOf,
    name: str,
    penalty: Callable[[], Tensor | float] = lambda: 0.0,
) -> tuple[float, Tensor]:
    """All that the optimiser moves has the gradient of the loss of `size` rows and of the penalty.

    Returns the value of the loss, without the penalty, and the figures. In parts each draws what
    it drops out from random numbers of its own, and sums are taken in the order of the parts.
    """
    optimizer.zero_grad(set_to_none=True)
    if state.shares.parts == 1:
        found = loss(slice(0, size))
        value = found.loss.item()
        check_finite(name, value)
        (found.loss + penalty()).backward()  # type: ignore[no-untyped-call]
        return value, found.figures
    moved = [one for group in optimizer.param_groups for one in group["params"]]
    seeds = state.shares.seeds(state.rng)
    on = [state.device] if state.device.type == "cuda" else []

    def work(rows: slice, part: int) -> Values:
        if rows.start == rows.stop:
            return {}
        optimizer.zero_grad(set_to_none=True)
        with torch.random.fork_rng(devices=on):
            torch.manual_seed(seeds[part])
            found = loss(rows)
            (found.loss + (penalty() if part == 0 else 0.0)).backward()  # type: ignore[no-untyped-call]
        has = torch.tensor([one.grad is not None for one in moved])
        gradients = {
            str(n): torch.zeros_like(one) if one.grad is None else one.grad
            for n, one in enumerate(moved)
        }
        value = found.loss.detach().double()
        return {"loss": value, "figures": found.figures, **gradients, "has": has}

    # With a row for each part all have the same to send; what has no rows is left out.
    each = state.shares.each(size, work, are_alike=size >= state.shares.parts)
    parts = [found for found in each if found]
    value = sum(float(found["loss"]) for found in parts)
    check_finite(name, value)
    optimizer.zero_grad(set_to_none=True)
    for number, one in enumerate(moved):
        gradients = [found[str(number)] for found in parts if found["has"][number]]
        if gradients:
            total = gradients[0].clone()
            for gradient in gradients[1:]:
                total += gradient
            one.grad = total.to(one.device)
    return value, torch.stack([found["figures"] for found in parts]).sum(0)
