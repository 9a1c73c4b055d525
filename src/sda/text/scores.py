"""What sentences scored: the bridge between the metric, which gives scores, and the buffer."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Scores:
    """What sentences scored: `total` (B,), and the weighted `parts` (B, P) that add up to it."""

    total: Tensor
    parts: Tensor
