"""That a soak does its rounds, tells what ends it, and sees memory that grows."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from . import soak as soaking
from .ground import Ground
from .soak import LARGEST_GROWTH, Soaked, soak, told

pytestmark = pytest.mark.slow


def test_each_process_does_its_rounds(ground: Ground) -> None:
    found = soak(ground, minutes=0.0, processes=2)

    assert [each.rounds for each in found] == [1, 1]
    assert all(megabytes > 10 for each in found for _, megabytes in each.curve)


def test_a_command_that_fails_ends_the_soak(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        mock.patch.object(soaking, "_round", lambda *_, seed: [("inspect", "nothing.txt")]),
        mock.patch.object(Ground, "trained"),
        mock.patch.object(Ground, "halfway"),
        pytest.raises(AssertionError, match="before its time"),
    ):
        soak(Ground(tmp_path), minutes=0.0, processes=1)
    assert "nothing.txt" in capfd.readouterr().err


def test_memory_that_grows_is_seen() -> None:
    level = Soaked(40, [(minute, 300.0 if minute > 5 else 100.0) for minute in range(40)])
    growing = Soaked(40, [(minute, 300.0 + minute) for minute in range(40)])

    assert level.growth == 0.0
    assert growing.growth > LARGEST_GROWTH
    thinned = Soaked(3, [(0.2, 1.0), (0.9, 2.0), (1.1, 3.0)]).thinned()
    assert thinned == Soaked(3, [(0.9, 2.0), (1.1, 3.0)])
    assert told([level]).splitlines()[-1].endswith("| 300 MB | +0.0% |")
