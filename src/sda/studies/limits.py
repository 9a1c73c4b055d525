"""How often one judge may ask, and how much they may send."""

from __future__ import annotations

from collections import OrderedDict

A_SECOND = 20.0
AT_ONCE = 60.0
MOST_KNOWN = 10_000


class Limiter:
    """Each name has a bucket of `AT_ONCE` requests, which fills again by `A_SECOND`."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, name: str, now: float) -> bool:
        """Whether one more request at this time, in seconds, is within the limit."""
        left, before = self._buckets.pop(name, (AT_ONCE, now))
        left = min(AT_ONCE, left + (now - before) * A_SECOND)
        is_allowed = left >= 1
        self._buckets[name] = (left - is_allowed, now)
        # Names that nobody was given must not fill the memory.
        if len(self._buckets) > MOST_KNOWN:
            self._buckets.popitem(last=False)
        return is_allowed
