"""Quantiles and tails of Student's t, for degrees of freedom that need not be whole."""

from __future__ import annotations

from functools import cache
from math import exp, lgamma, log

_STEPS = 200
_TINY = 1e-30


def t_tail(t: float, df: float) -> float:
    """The probability of a value further from zero than `t`, on both sides."""
    x = df / (df + t * t)
    return _incomplete_beta(df / 2, 0.5, x)


@cache
def t_quantile(df: float, level: float = 0.95) -> float:
    """What holds `level` of the distribution between minus and plus itself."""
    low, high = 0.0, 1.0
    while t_tail(high, df) > 1 - level:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, df) > 1 - level else (low, middle)
    return (low + high) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by Lentz's continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d = 1 / _not_zero(1 + part * d)
            c = _not_zero(1 + part / c)
            found *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * found


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
