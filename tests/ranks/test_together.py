"""Two processes that train one run: what one process gives, also after a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny import TINY

METRIC = """
from pathlib import Path


def dogs(texts):
    with Path({log!r}).open("a") as file:
        file.write("".join("x" for _ in texts))
    return [float("dog" in text.split()) for text in texts]
"""
TRAIN = ("--profile", "smoke", "--preset", "paper", "--set", "parts=2")
ARCHIVE = "archive.jsonl"


@pytest.fixture
def metric(tmp_path: Path) -> str:
    path = tmp_path / "dogs.py"
    path.write_text(METRIC.format(log=str(tmp_path / "calls.log")))
    return f"{path}:dogs"


def started(
    processes: int, text: Path, metric: str, out: Path, *more: str
) -> subprocess.Popen[str]:
    launch = ["-m", "torch.distributed.run", f"--nproc_per_node={processes}", "--standalone"]
    sets = [part for value in TINY for part in ("--set", value)]
    words = ["-m", "sda", "train", str(text), "--metric", metric, "--out", str(out), *TRAIN, *sets]
    command = [sys.executable, *(launch if processes > 1 else []), *words, *more]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out, err


def same(one: Path, other: Path) -> bool:
    """Whether two run folders hold the same weights, answers and sentences, bit for bit."""
    if any((one / n).read_bytes() != (other / n).read_bytes() for n in ("samples.txt", ARCHIVE)):
        return False
    states = sorted(path.relative_to(one) for path in one.rglob("*.safetensors"))
    pairs = [(load_file(one / path), load_file(other / path)) for path in states]
    return bool(pairs) and all(
        first.keys() == second.keys()
        and all(torch.equal(first[name], second[name]) for name in first)
        for first, second in pairs
    )


@pytest.mark.slow
def test_two_processes_end_as_one_also_after_a_kill(
    tmp_path: Path, toy_file: Path, metric: str
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    ended(started(1, toy_file, metric, one))
    asked = len((tmp_path / "calls.log").read_text())
    assert asked > 50
    (tmp_path / "calls.log").unlink()

    process = started(2, toy_file, metric, two)
    progress = two / "progress.jsonl"
    while process.poll() is None and not (progress.is_file() and progress.read_bytes()):
        time.sleep(0.02)
    # The process group of the launcher goes on; one of its two children is killed.
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    process.communicate(timeout=300)
    assert process.returncode != 0
    assert not (two / "finished.json").exists()

    out, _ = ended(started(1, toy_file, metric, two, "--resume"))
    assert same(one, two) and "report:" in out
    # No sentence was paid for twice, by either process.
    assert len((tmp_path / "calls.log").read_text()) == asked


@pytest.mark.slow
def test_a_mistake_is_told_once(tmp_path: Path, toy_file: Path) -> None:
    process = started(2, toy_file, f"{tmp_path / 'none.py'}:f", tmp_path / "run")
    _, err = process.communicate(timeout=300)

    assert process.returncode != 0 and err.count("sda: ") == 1
    assert not (tmp_path / "run").exists()
