"""All jobs of an experiment, several at a time, each once, starts before what begins with them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from statistics import mean
from typing import Protocol

from sda.experiments.folder import RunFolder
from sda.reproduction.jobs import Job
from sda.reproduction.ledger import Ledger, Record
from sda.reproduction.work import Places, do_job

LOOKS_A_SECOND = 2


class Watcher(Protocol):
    """Is told what happens, to show it."""

    def look(self, active: Sequence[Job]) -> None: ...

    def ended(self, job: Job) -> None: ...


@dataclass(frozen=True)
class Plan:
    """The jobs of a table: those that the ledger has, and those to do, starts first."""

    done: list[Job]
    left: list[Job]


def plan_work(jobs: Sequence[Job], places: Places) -> Plan:
    """Which jobs are left; one that several rows share is left once.

    A start that the ledger has, but whose run folder is not there, is left too if others need it.
    """
    ledger = Ledger(places.results)
    rows = {job.key: job for job in jobs}
    left = {key: job for key, job in rows.items() if ledger.find(key) is None}
    for job in list(left.values()):
        if job.start is not None and not RunFolder(places.folder(job.start)).is_finished:
            # A start that is a row of the table goes by the name of the row.
            left.setdefault(job.start.key, rows.get(job.start.key, job.start))
    done = [job for key, job in rows.items() if key not in left]
    order = sorted(left.values(), key=lambda job: (job.seed, job.start is not None))
    return Plan(done, order)


def run_jobs(plan: Plan, places: Places, workers: int, watcher: Watcher) -> None:
    """Every job that was left is in the ledger; the first that fails ends all, and raises."""
    waiting = list(plan.left)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        active: dict[Future[None], Job] = {}
        try:
            while waiting or active:
                for job in _startable(waiting, active.values(), workers):
                    waiting.remove(job)
                    active[pool.submit(do_job, job, places)] = job
                finished, _ = wait(active, 1 / LOOKS_A_SECOND, FIRST_COMPLETED)
                watcher.look(list(active.values()))
                for future in finished:
                    job = active.pop(future)
                    future.result()
                    watcher.ended(job)
        except BaseException:
            _end(pool)
            raise


def _startable(waiting: Sequence[Job], active: Iterable[Job], workers: int) -> list[Job]:
    """Jobs whose start is trained, as many as there are free workers."""
    busy = {job.key for job in active}
    pending = busy | {job.key for job in waiting}
    can = [job for job in waiting if job.start is None or job.start.key not in pending]
    return can[: workers - len(busy)]


def _end(pool: ProcessPoolExecutor) -> None:
    """Workers end at once: what they were at goes on from its last checkpoint another time."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


def estimate(left: Sequence[Job], records: Sequence[Record], workers: int) -> float | None:
    """Seconds until all is done, by what like jobs took; None where no like job is known."""
    total = 0.0
    for job in left:
        like = [
            record.own_cost("seconds")
            for record in records
            if record.data["base"] == job.base
            and record.data["profile"] == job.profile
            and record.data["settings"]["source"] == job.settings.source
            and (record.data["start"] is None) == (job.start is None)
        ]
        if not like:
            return None
        total += mean(like)
    return total / workers
