"""Two processes that train one run: what one process gives, also after a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from lives import Life
from safetensors.torch import load_file
from tiny import TINY, sets

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


def words(text: Path, metric: str, out: Path) -> list[str]:
    return ["train", str(text), "--metric", metric, "--out", str(out), *TRAIN, *sets(TINY)]


def two_processes(text: Path, metric: str, out: Path) -> subprocess.Popen[str]:
    launch = ["-m", "torch.distributed.run", "--nproc_per_node=2", "--standalone", "-m", "sda"]
    return subprocess.Popen(
        [sys.executable, *launch, *words(text, metric, out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


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
    assert Life(tmp_path, *words(toy_file, metric, one)).end() == 0
    asked = len((tmp_path / "calls.log").read_text())
    assert asked > 50
    (tmp_path / "calls.log").unlink()

    process = two_processes(toy_file, metric, two)
    progress = two / "progress.jsonl"
    while process.poll() is None and not (progress.is_file() and progress.read_bytes()):
        time.sleep(0.02)
    # The process group of the launcher goes on; one of its two children is killed.
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    process.communicate(timeout=300)
    assert process.returncode != 0
    assert not (two / "finished.json").exists()

    life = Life(tmp_path, *words(toy_file, metric, two), "--resume")
    assert life.end() == 0
    assert same(one, two) and "report:" in life.out.read_text()
    # No sentence was paid for twice, by either process.
    assert len((tmp_path / "calls.log").read_text()) == asked


@pytest.mark.slow
def test_a_mistake_is_told_once(tmp_path: Path, toy_file: Path) -> None:
    process = two_processes(toy_file, f"{tmp_path / 'none.py'}:f", tmp_path / "run")
    _, err = process.communicate(timeout=300)

    assert process.returncode != 0 and err.count("sda: ") == 1
    assert not (tmp_path / "run").exists()
