"""Batches of sentences that are about equally long, so that little of them is padding."""

from __future__ import annotations

import torch
from torch import Tensor

POOL = 50  # batches that are sorted by length together


def length_batches(lengths: Tensor, size: int, rng: torch.Generator) -> list[Tensor]:
    """All rows once, in random batches of about one length, which are in random order."""
    order = torch.randperm(len(lengths), generator=rng)
    pools = [pool[lengths[pool].argsort(stable=True)] for pool in torch.split(order, size * POOL)]
    batches = [batch for pool in pools for batch in torch.split(pool, size)]
    return [batches[i] for i in torch.randperm(len(batches), generator=rng).tolist()]
