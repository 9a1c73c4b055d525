"""A figure over seeds: mean, standard deviation, and an interval by Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import mean, stdev
from typing import Any

# Two-sided 95 % quantiles for 1, 2, ... degrees of freedom.
# fmt: off
_QUANTILES = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)
# fmt: on


def quantile(degrees: int) -> float:
    """How many standard errors the 95 % interval reaches to either side.

    Beyond the table that of its end, which is slightly too wide and never too narrow.
    """
    if degrees < 1:
        raise ValueError("one value has no interval")
    return _QUANTILES[min(degrees, len(_QUANTILES)) - 1]


@dataclass(frozen=True)
class SeedSummary:
    """What the values of several seeds say together; one value has no spread."""

    count: int
    mean: float
    sd: float | None
    interval: tuple[float, float] | None

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return asdict(self)


def summarize(values: Sequence[float]) -> SeedSummary | None:
    """Mean, standard deviation and 95 % interval of the mean; None of no values."""
    if not values:
        return None
    middle = mean(values)
    if len(values) == 1:
        return SeedSummary(1, middle, None, None)
    sd = stdev(values)
    reach = quantile(len(values) - 1) * sd / math.sqrt(len(values))
    return SeedSummary(len(values), middle, sd, (middle - reach, middle + reach))
