"""Jobs that a Dask cluster does: the same records, also when a worker is killed."""

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from reproduction.small_jobs import places_in, tiny_job
from sda.errors import UserError
from sda.reproduction.hands import hands
from sda.reproduction.jobs import Job
from sda.reproduction.runner import plan_work, run_jobs
from sda.reproduction.work import do_job, epochs_done

distributed = pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.fixture
def scheduler() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, processes=True
    ) as cluster:
        yield cluster


class Killing:
    """Kills the worker once, when its job has done an epoch."""

    def __init__(self, scheduler: Any, places: Any) -> None:
        self.scheduler = scheduler
        self.places = places
        self.killed = 0

    def look(self, active: Sequence[Job]) -> None:
        if not self.killed and any(epochs_done(job, self.places) for job in active):
            (nanny,) = self.scheduler.workers.values()
            os.kill(nanny.pid, signal.SIGKILL)
            self.killed += 1

    def ended(self, job: Job) -> None:
        pass

    def failed(self, job: Job, trouble: UserError) -> None:
        raise AssertionError(trouble)


def figures(folder: Path) -> dict[str, Any]:
    (path,) = folder.rglob("*.json")
    found = json.loads(path.read_text())
    return {name: found[name] for name in ("key", "scores", "curve", "samples", "settings")}


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_no_figure(tmp_path: Path, scheduler: Any) -> None:
    job = tiny_job("mle", "mle.epochs=8")
    here, there = places_in(tmp_path / "here"), places_in(tmp_path / "there")
    do_job(job, here)
    watcher = Killing(scheduler, there)
    with hands(scheduler.scheduler_address, 1) as pool:
        assert pool.size == 1
        run_jobs(plan_work([job], there), there, pool.size, watcher, do_job, pool.executor)

    assert watcher.killed == 1
    assert figures(there.results) == figures(here.results)


def test_an_address_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sda.reproduction.hands.PATIENCE", "1s")
    began = time.monotonic()
    for address in ("tcp://127.0.0.1:1", "nowhere"):
        with pytest.raises(UserError, match=f"--cluster {address}: no Dask"), hands(address, 1):
            pass
    assert time.monotonic() - began < 60
