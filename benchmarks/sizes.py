"""Time and memory of commands on large texts, at a quarter, a half and the whole of a size.

    python -m benchmarks.sizes --lines 2000000

Each command is a process of its own; its seconds of CPU and its largest memory are those that the
system counted. `train` is measured up to where its first epoch begins. The figures are written to
`sizes.json` beside this file, with machine and the commit of each; `--only` keeps those of other
commands.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.__main__ import FOLDER, circumstances, commit

WORDS = 20_000
"""Different words of a text, some of them far more frequent than others."""
MANY_WORDS = 500_000
LONG_LINE = 10_000_000
PARTS = (0.25, 0.5, 1.0)
FILE = "{file}"
SDA = (sys.executable, "-m", "sda")


@dataclass(frozen=True)
class Measured:
    """What one command took for so many lines, and the end of what it said."""

    command: str
    lines: int
    seconds: float
    cpu_seconds: float
    gigabytes: float
    code: int
    said: str
    commit: str | None = None


@dataclass(frozen=True)
class Task:
    """A command on a file, which `write` makes; `FILE` stands for its name."""

    title: str
    lines: int
    write: Callable[[], Path]
    words: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lines", type=int, default=2_000_000)
    parser.add_argument("--only", nargs="+", help="these commands alone")
    parser.add_argument("--most-seconds", type=float, default=1800.0, help="of one command")
    parser.add_argument("--json", type=Path, default=FOLDER / "sizes.json", metavar="FILE")
    given = parser.parse_args()
    found: list[Measured] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for task in plan(folder, given.lines):
            if given.only and not task.title.startswith(tuple(given.only)):
                continue
            measured = replace(measure(task, folder, given.most_seconds), commit=commit())
            found.append(measured)
            print(row(measured), flush=True)
    print("\n" + table(found))
    rows = [asdict(each) for each in found]
    if given.only and given.json.exists():
        rows = laid_over(json.loads(given.json.read_text(encoding="utf-8"))["rows"], rows)
    report = {**circumstances(), "rows": rows}
    given.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def laid_over(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The old rows, with those that were measured anew in their places, and further ones last."""
    left = {(row["command"], row["lines"]): row for row in new}
    rows = [left.pop((row["command"], row["lines"]), row) for row in old]
    return [*rows, *left.values()]


def plan(folder: Path, most: int) -> list[Task]:
    """All measurements."""
    run = ("--profile", "smoke", "--quiet", "--out")
    found: list[Task] = []
    for lines in (int(part * most) for part in PARTS):
        out = str(folder / f"out-{lines}")
        text = partial(write_text, folder / f"{lines}.txt", lines, WORDS)
        rows = partial(write_rows, folder / f"{lines}.csv", lines)
        found += [
            Task("inspect", lines, text, ("inspect", FILE)),
            Task("train", lines, text, ("train", FILE, *run, out)),
            Task("evaluate", lines, text, ("evaluate", FILE, "--test", FILE, "--quick")),
            Task("eda", lines, text, ("eda", FILE, "-o", f"{out}.txt")),
            Task(
                "augment",
                lines,
                rows,
                (
                    *("augment", FILE, "-o", f"{out}.csv", "--per-class", "10", "--quiet"),
                    *("--set", "writer.profile=smoke", "--set", "writer.epochs=1"),
                    *("--set", "writer.stage2=1", "--set", "writer.calls=60"),
                ),
            ),
        ]
    many, long = partial(write_many, folder / "many.txt"), partial(write_long, folder / "long.txt")
    for name, write, lines in (
        ("500,000 words", many, MANY_WORDS // 10),
        ("a line of 10 MB", long, 101),
    ):
        out = str(folder / f"out-{lines}-{name[0]}")
        found += [
            Task(f"inspect, {name}", lines, write, ("inspect", FILE)),
            Task(f"train, {name}", lines, write, ("train", FILE, *run, out)),
            Task(f"evaluate, {name}", lines, write, ("evaluate", FILE, "--test", FILE, "--quick")),
            Task(f"eda, {name}", lines, write, ("eda", FILE, "-o", f"{out}.txt")),
        ]
    return found


def measure(task: Task, folder: Path, most_seconds: float) -> Measured:
    """What the command takes; training is interrupted where its first epoch begins."""
    file = str(task.write())
    words = [file if word == FILE else word for word in task.words]
    began = time.monotonic()
    log = folder / "log"
    with log.open("wb") as said:
        process = subprocess.Popen([*SDA, *words], stdout=said, stderr=said)
    begun = Path(words[-1]) / "vocabulary.json" if words[0] == "train" else None
    while True:
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - began
        if ended:
            break
        if seconds > most_seconds or (begun is not None and begun.exists()):
            process.send_signal(signal.SIGKILL)
            _, status, used = os.wait4(process.pid, 0)
            break
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    if begun is not None and begun.exists():
        process.returncode, ending = 0, "the first epoch begins"
    elif seconds > most_seconds:
        ending = f"ended after {most_seconds:.0f} s"
    else:
        ending = (log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or [""])[
            -1
        ]
    cpu = used.ru_utime + used.ru_stime
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9
    code = process.returncode
    # The folder is another each time, and of this machine alone.
    said_last = ending.replace(f"{folder}{os.sep}", "")[:200]
    return Measured(task.title, task.lines, seconds, cpu, peak, code, said_last)


def write_text(path: Path, lines: int, words: int) -> Path:
    """Lines of eight words each."""
    if not path.exists():
        chance = random.Random(0)
        known = [f"w{number}" for number in range(words)]
        weights = [1 / (1 + number) for number in range(words)]
        with path.open("w") as file:
            for first in range(0, lines, 10_000):
                count = min(10_000, lines - first)
                drawn = chance.choices(known, weights, k=8 * count)
                file.writelines(" ".join(drawn[8 * n : 8 * n + 8]) + "\n" for n in range(count))
    return path


def write_rows(path: Path, lines: int) -> Path:
    """The same as a table, with two labels."""
    if not path.exists():
        text = write_text(path.with_suffix(".txt"), lines, WORDS)
        with text.open() as source, path.open("w") as file:
            file.write("text,label\n")
            file.writelines(f"{line[:-1]},{'ab'[n % 2]}\n" for n, line in enumerate(source))
    return path


def write_many(path: Path) -> Path:
    """Half a million different words, each twice."""
    if not path.exists():
        with path.open("w") as file:
            for first in range(0, MANY_WORDS, 20):
                words = [f"w{number}" for number in range(first, first + 20)]
                file.write(f"{' '.join(words)}\n{' '.join(reversed(words))}\n")
    return path


def write_long(path: Path) -> Path:
    """A hundred lines, and one of ten megabytes."""
    if not path.exists():
        lines = [f"the dog number {number} sat here" for number in range(100)]
        path.write_text("\n".join([*lines[:50], "word " * (LONG_LINE // 5), *lines[50:]]) + "\n")
    return path


def table(found: Sequence[Measured]) -> str:
    """The measurements as Markdown."""
    head = "| command | lines | CPU s | CPU s per million lines | GB | code | |"
    return "\n".join([head, "|---|---:|---:|---:|---:|---:|---|", *map(row, found)])


def row(found: Measured) -> str:
    rate = 1e6 * found.cpu_seconds / found.lines
    cells = (
        *(found.command, f"{found.lines:,}", f"{found.cpu_seconds:.1f}", f"{rate:.1f}"),
        *(f"{found.gigabytes:.2f}", str(found.code)),
        found.said.replace("|", "\\|") if found.code else "",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
