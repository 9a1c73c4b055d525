"""A score, and the signature that says what was measured and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sda import __version__


@dataclass(frozen=True)
class Convention:
    """How texts were cut into words, and which were taken; part of every signature.

    Where sets are scored by the same number of sentences, `draw` is the seed that they are drawn
    by, and None says that each set was taken whole.
    """

    tokenizer: str = "whitespace"
    lowercase: bool = False
    draw: int | None = None

    def sign(self, **facts: object) -> str:
        """A signature of the facts in the order given, the convention and the version.

        >>> Convention().sign(refs=10, hyps=5)  # doctest: +ELLIPSIS
        'refs:10|hyps:5|tok:whitespace|case:kept|version:...'
        """
        parts = {
            **facts,
            "tok": self.tokenizer,
            "case": "lower" if self.lowercase else "kept",
            **({} if self.draw is None else {"draw": self.draw}),
            "version": __version__,
        }
        return "|".join(f"{name}:{value}" for name, value in parts.items())


PLAIN = Convention()


@dataclass(frozen=True)
class Score:
    """One measured number, with all that is needed to compare it with another.

    `higher_is_better` is None where neither direction is good in itself, as for length.
    `standard_error` is that of a mean over independent samples, None for any other number;
    `interval` is the 95 % interval, None where nothing was drawn (`evaluation/interval.py`).
    """

    name: str
    value: float
    higher_is_better: bool | None
    signature: str
    standard_error: float | None = None
    interval: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Numbers are plain floats, whoever measured them: a NumPy one prints its type."""
        object.__setattr__(self, "value", float(self.value))
        if self.standard_error is not None:
            object.__setattr__(self, "standard_error", float(self.standard_error))
        if self.interval is not None:
            low, high = self.interval
            object.__setattr__(self, "interval", (float(low), float(high)))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Score:
        """The score that `as_dict` wrote down."""
        interval = data.get("interval")
        return cls(**{**data, "interval": None if interval is None else tuple(interval)})

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "name": self.name,
            "value": self.value,
            "higher_is_better": self.higher_is_better,
            "signature": self.signature,
            "standard_error": self.standard_error,
            "interval": None if self.interval is None else list(self.interval),
        }


def standard_error(values: NDArray[np.float64]) -> float | None:
    """The standard error of the mean of `values` (B,), None for fewer than two."""
    if len(values) < 2:
        return None
    return float(values.std(ddof=1) / np.sqrt(len(values)))
