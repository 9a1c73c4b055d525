"""Jobs that take a second or none."""

import os
import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from tiny import TINY, tiny_settings, toy_lines

from sda.reproduction import hands, jobs
from sda.reproduction import work as work_module
from sda.reproduction.jobs import Job, start_settings
from sda.reproduction.work import Places
from sda.settings.layers import Choices


def tiny_job(row: str, *more: str, seed: int = 0, source: str = "captions", **choices: Any) -> Job:
    """A job of a tiny run by the method that the row is called after; `mle` is the start itself."""
    settings, origins = tiny_settings(
        source, *more, method="sda" if row == "mle" else row, values={"seed": seed}, **choices
    )

    def job(name: str, settings: Any, start: Job | None) -> Job:
        return Job("tests", name, "rnn", "smoke", seed, settings, origins, start)

    first = job("mle", start_settings(settings), None)
    if row == "mle":
        return first
    return job(row, settings, None if settings.augmentation else first)


def tiny_choices(**choices: Any) -> Choices:
    """What an experiment chooses for a row, with models that are tiny and epochs that are short."""
    return Choices(**choices, assignments=(*TINY, "mle.epochs=8", "stage2.epochs=8"))


def shrink() -> None:
    """From here on this process plans experiments that are tiny."""
    jobs.Choices = tiny_choices  # type: ignore[assignment, misc]


def places_in(folder: Path) -> Places:
    return Places(folder / "data", folder / "runs", folder / "results")


def write_splits(folder: Path) -> None:
    """The folder holds train.txt, valid.txt and test.txt, with no sentence in two of them."""
    lines = toy_lines()
    # Neighbours are alike: every split has to have the words of the others.
    train = [line for place, line in enumerate(lines) if place % 7 not in (0, 3)]
    for name, part in (("train", train), ("valid", lines[::7]), ("test", lines[3::7])):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in part))


def ended_suddenly(job: Job, places: Places) -> None:
    """What the system does to a process that wants too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


class Work:
    """Stands for the training of jobs: notes them, and fails at some."""

    def __init__(self, trouble: Mapping[str, BaseException] | None = None) -> None:
        self.trouble = trouble or {}
        self.ended: list[Job] = []
        self._lock = Lock()

    def __call__(self, job: Job, places: Places) -> None:
        with self._lock:
            # Whatever a job begins with is there.
            assert job.start is None or job.start.key in {other.key for other in self.ended}
            self.ended.append(job)
        if job.name in self.trouble:
            raise self.trouble[job.name]


@contextmanager
def threads(number: int) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(number) as pool:
        yield pool


def install(work: Work, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Commands let this do jobs in threads: processes would take longer than all that is tested."""
    monkeypatch.setattr(hands, "processes", threads)
    monkeypatch.setattr(work_module, "do_job", work)
    return work
