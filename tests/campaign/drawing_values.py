"""Values that hypothesis makes up, the same for a case whenever it is run."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

AT_ONCE = 100
"""Values that are made up together: to begin is what takes the time."""
SERVED = 1000
"""Cases that share them, each with chances of its own: a value may take longer than a case."""

# Every character, those of a half pair among them, and again those that mean something somewhere.
CHARACTERS = st.one_of(
    st.characters(codec="utf-8"),
    st.sampled_from(list("\t\r\n\0\x1b\x85\u2028\ufeff\u202e\u0301\"'\\,;|<>&{}[]%$#_^~ .!?ß")),
)
TEXTS = st.text(CHARACTERS, max_size=40)
LONG_TEXTS = st.builds(
    lambda text, times: text * times, TEXTS, st.sampled_from([1, 1, 1, 40, 3000])
)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        TEXTS,
        st.sampled_from(["\ud800", "text", "label", 10**30]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(TEXTS | st.just("text"), inner, max_size=4)
    ),
    max_leaves=8,
)
LINES = st.lists(LONG_TEXTS | st.just("the red cat sat near dog"), max_size=30)
ROWS = st.lists(st.lists(TEXTS, max_size=5), max_size=12)
FORMS = st.dictionaries(
    st.sampled_from(["page", "version", "key", "comment", "answer-fluency", "answer-", "x"])
    | TEXTS,
    TEXTS | st.integers(-5, 20).map(str) | st.sampled_from(["1e3", "٣", "0x1", " 1", "1" * 5000]),
    max_size=8,
)
STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    "texts": LONG_TEXTS,
    "lines": LINES,
    "json": JSON,
    "objects": st.lists(JSON, max_size=12),
    "rows": ROWS,
    "bytes": st.binary(max_size=300),
    "forms": FORMS,
}


def drawn(name: str, number: int) -> Any:
    """The value with this number of the strategy with this name."""
    values = _batch(name, number // SERVED)
    return values[number % SERVED % len(values)]


@lru_cache(maxsize=32)
def _batch(name: str, batch: int) -> list[Any]:
    values: list[Any] = []

    @seed(batch)
    @settings(
        max_examples=AT_ONCE,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(STRATEGIES[name])
    def collect(value: Any) -> None:
        values.append(value)

    run: Callable[[], None] = collect
    run()
    return values
