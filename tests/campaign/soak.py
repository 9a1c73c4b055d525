"""Commands for a long time in processes that never end: memory must not grow."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from .calling import call
from .ground import Ground, copied, scratch

LARGEST_GROWTH = 0.05
"""Of the memory in the last quarter of the time above that in the second."""
FIRST_SEED = 2
"""Of the runs that are trained; the two that all rounds have before them are of seeds 0 and 1."""


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

    def thinned(self) -> Soaked:
        """The same with one point a minute, the last of it."""
        curve = {int(minute): (minute, size) for minute, size in self.curve}
        return Soaked(self.rounds, list(curve.values()))


def soak(ground: Ground, minutes: float, processes: int) -> list[Soaked]:
    """Train, sample, score, report, compare and resume in each of the processes, round by round.

    The curve of each is in `soak-N.txt` of the ground as well, line by line as it comes.
    """
    for seed in (0, 1):
        ground.trained("paper", seed)
    for kind in ("paper", "transfer"):
        ground.halfway(kind)
    children = {}
    for number in range(1, processes + 1):
        child = os.fork()
        if child == 0:
            code = 70
            try:
                _soak_one(ground, minutes, number)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        children[number] = child
    codes = {number: os.waitpid(child, 0)[1] for number, child in children.items()}
    assert not any(codes.values()), f"a process ended before its time: {codes}"
    return [_read(_curve_file(ground, number)) for number in children]


def _curve_file(ground: Ground, number: int) -> Path:
    return ground.root / f"soak-{number}.txt"


def _read(file: Path) -> Soaked:
    curve = [(float(a), float(b)) for a, b in map(str.split, file.read_text().splitlines())]
    return Soaked(len(curve), curve)


def _soak_one(ground: Ground, minutes: float, number: int) -> None:
    began = time.monotonic()
    own = Ground(ground.root / f"soak-{number}")
    own.root.mkdir(exist_ok=True)
    with _curve_file(ground, number).open("w") as curve:
        for done in count():
            with scratch(own) as folder:
                for words in _round(ground, folder, seed=FIRST_SEED + done):
                    told = call(*words)
                    assert told.code == 0 and told.trouble is None, (words, told)
            passed = (time.monotonic() - began) / 60
            print(f"{passed:.3f} {_megabytes():.1f}", file=curve, flush=True)
            if passed >= minutes:
                return


def _round(ground: Ground, folder: Path, seed: int) -> Sequence[Sequence[object]]:
    run, old, styled = folder / "run", folder / "old", folder / "styled"
    copied(ground.halfway("paper"), old)
    copied(ground.halfway("transfer"), styled)
    return (
        (*ground.words("paper"), "--out", run, "--seed", seed),
        ("sample", run, "-n", 20),
        ("evaluate", run / "samples.txt", "--test", ground.toy, "--quick"),
        ("resume", old, "--quiet"),
        ("report", run, old, "-o", folder / "page.html"),
        ("compare", run, ground.trained("paper", 1)),
        ("inspect", ground.toy),
        ("eda", ground.toy, "-o", folder / "more.txt"),
        ("resume", styled, "--quiet"),
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
