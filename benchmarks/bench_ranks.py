"""A run in two processes against the same run, with the same parts, in one: time on the wall.

It needs two cores that nobody else uses. Scoring at the end, which one process does, does not
count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import Row

TRAIN = ("train", "captions", "--profile", "small", "--method", "sda", "--preset", "paper")
SMALLER = ("mle.epochs=3", "stage2.epochs=3", "discriminator_phase.first_rounds=1")
GOAL = 1.6


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        one, two = (_seconds(number, Path(folder) / str(number)) for number in (1, 2))
    note = "seconds on the wall; captions, small, 3 + 3 epochs, parts = 2 in both"
    return [Row("two processes", two, one, GOAL, note)]


def _seconds(processes: int, out: Path) -> float:
    """How long the epochs of the run took together."""
    launch = ["-m", "torch.distributed.run", f"--nproc_per_node={processes}", "--standalone"]
    sets = [word for value in (*SMALLER, "parts=2") for word in ("--set", value)]
    command = [sys.executable, *launch, "-m", "sda", *TRAIN, "--out", str(out), "--quiet", *sets]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    nowhere = subprocess.DEVNULL
    subprocess.run(command, check=True, env=alone, stdout=nowhere, stderr=nowhere)
    lines = (out / "progress.jsonl").read_text(encoding="utf-8").splitlines()
    return sum(float(json.loads(line)["seconds"]) for line in lines)
