"""What a sweep goes over, and what it refuses."""

import pytest

from sda.errors import UserError
from sda.runs.sweep import TEMPERATURES, Sweep


def test_a_sweep_falls_and_repeats_nothing() -> None:
    sweep = Sweep((0.5, 1.0, 0.5), (0.8, 1.0))

    assert sweep.temperatures == (1.0, 0.5)
    assert sweep.points() == [
        ("temperature", 1.0),
        ("temperature", 0.5),
        ("top-p", 1.0),
        ("top-p", 0.8),
    ]
    assert Sweep().temperatures == TEMPERATURES
    assert 1.0 in TEMPERATURES


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"temperatures": (0.0,)}, "temperature must be at least 1e-06, not 0.0"),
        ({"temperatures": (float("nan"),)}, "--temperature: nan"),
        ({"temperatures": (float("inf"),)}, "--temperature: inf"),
        ({"temperatures": ()}, "--temperature needs at least one value"),
        ({"top_p": (1.2,)}, "top_p must be above 0 and at most 1, not 1.2"),
        ({"samples": 1}, "--samples must be at least 2, not 1"),
        ({"repeats": 0}, "--repeats must be at least 1, not 0"),
    ],
)
def test_sweeps_that_cannot_be(values: dict[str, float], words: str) -> None:
    with pytest.raises(UserError, match=words):
        Sweep(**values)  # type: ignore[arg-type]
