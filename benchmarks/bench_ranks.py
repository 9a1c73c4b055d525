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
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness import Row
from benchmarks.side_by_side import captions, random_model

FORM = ("--profile", "small", "--method", "sda", "--preset", "paper")
LSTM = ("mle.epochs=3", "stage2.epochs=3", "discriminator_phase.first_rounds=1")
LLAMA = ("mle.epochs=2", "mle.batch_size=64", "stage2.epochs=3", "stage2.batch_size=64")
GOAL = 1.6


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        text = room / "captions.txt"
        text.write_text("".join(f"{line}\n" for line in captions()), encoding="utf-8")
        model = random_model(room / "llama")
        return [
            _row("two processes", "captions, small, 3 + 3 epochs", ["captions"], LSTM, room),
            _row(
                "two processes, tiny Llama",
                "5,000 captions, small, 2 + 3 epochs",
                [str(text), "--generator", f"hf:{model}", "--metric", "bleu"],
                LLAMA,
                room,
            ),
        ]


def _row(name: str, what: str, source: Sequence[str], sets: Sequence[str], room: Path) -> Row:
    one, two = (_seconds(source, sets, number, room / f"{name} {number}") for number in (1, 2))
    return Row(name, two, one, GOAL, f"seconds on the wall; {what}, parts = 2 in both")


def _seconds(source: Sequence[str], sets: Sequence[str], processes: int, out: Path) -> float:
    """How long the epochs of the run took together."""
    launch = ["-m", "torch.distributed.run", f"--nproc_per_node={processes}", "--standalone"]
    values = [word for value in (*sets, "parts=2") for word in ("--set", value)]
    run = ["-m", "sda", "train", *source, *FORM, "--out", str(out), "--quiet", *values]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    nowhere = subprocess.DEVNULL
    subprocess.run(
        [sys.executable, *launch, *run], check=True, env=alone, stdout=nowhere, stderr=nowhere
    )
    lines = (out / "progress.jsonl").read_text(encoding="utf-8").splitlines()
    return sum(float(json.loads(line)["seconds"]) for line in lines)
