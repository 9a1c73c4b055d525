"""Commands for a long time in processes that never end: memory must not grow."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from .calling import call
from .ground import Ground, copied, scratch

LARGEST_GROWTH = 0.05
"""Of the memory in the last quarter of the time above that in the second."""


@dataclass(frozen=True)
class Soaked:
    """One process: its rounds of commands, and its memory in megabytes by the minute it was in."""

    rounds: int
    curve: list[tuple[float, float]]

    @property
    def growth(self) -> float:
        """The last quarter above the second; the first is when all is loaded."""
        values = [megabytes for _, megabytes in self.curve]
        quarter = max(1, len(values) // 4)
        before = median(values[quarter : 2 * quarter] or values)
        return median(values[-quarter:]) / before - 1


def soak(ground: Ground, minutes: float, processes: int) -> list[Soaked]:
    """Train, sample, score, report, compare and resume in each of the processes, round by round."""
    for kind, seed in (("paper", 0), ("paper", 1)):
        ground.trained(kind, seed)
    pipes = []
    for number in range(processes):
        reader, writer = os.pipe()
        if os.fork() == 0:
            code = 70
            try:
                os.close(reader)
                found = _soak_one(ground, minutes, number)
                lines = [f"{found.rounds}", *(f"{a} {b}" for a, b in found.curve)]
                with os.fdopen(writer, "w") as file:
                    file.write("\n".join(lines))
                code = 0
            finally:
                os._exit(code)
        os.close(writer)
        pipes.append(reader)
    return [_read(reader) for reader in pipes]


def _read(reader: int) -> Soaked:
    with os.fdopen(reader) as file:
        rounds, *lines = file.read().splitlines()
    os.wait()
    curve = [(float(minute), float(size)) for minute, size in map(str.split, lines)]
    return Soaked(int(rounds), curve)


def _soak_one(ground: Ground, minutes: float, number: int) -> Soaked:
    began, curve = time.monotonic(), []
    own = Ground(ground.root / f"soak-{number}")
    own.root.mkdir()
    for done in count(1):
        with scratch(own) as folder:
            for words in _round(ground, folder, seed=done):
                told = call(*words)
                assert told.code == 0, (words, told)
        passed = (time.monotonic() - began) / 60
        curve.append((round(passed, 3), _megabytes()))
        if passed >= minutes:
            return Soaked(done, curve)
    raise AssertionError


def _round(ground: Ground, folder: Path, seed: int) -> Sequence[Sequence[object]]:
    run = folder / "run"
    copied(ground.trained("paper", 0), folder / "old")
    return (
        (*ground.words("paper"), "--out", run, "--seed", seed),
        ("sample", run, "-n", 20),
        ("evaluate", run / "samples.txt", "--test", ground.toy, "--quick"),
        ("report", run, folder / "old", "-o", folder / "page.html"),
        ("compare", run, ground.trained("paper", 1)),
        ("inspect", ground.toy),
        ("eda", ground.toy, "-o", folder / "more.txt"),
        ("resume", folder / "old", "--quiet"),
    )


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def told(found: Sequence[Soaked]) -> str:
    """The curves in a few points each, and what they say."""
    lines = ["| process | rounds | " + " | ".join(f"{n}/8" for n in range(1, 9)) + " | growth |"]
    lines.append("|---|---:|" + "---:|" * 9)
    for number, each in enumerate(found, 1):
        sizes = [each.curve[len(each.curve) * n // 8 - 1][1] for n in range(1, 9)]
        cells = " | ".join(f"{size:.0f} MB" for size in sizes)
        lines.append(f"| {number} | {each.rounds} | {cells} | {each.growth:+.1%} |")
    return "\n".join(lines)
