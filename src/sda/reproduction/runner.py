"""All jobs of an experiment, several at a time, each once, starts before what begins with them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import mean
from threading import Thread
from typing import Any, Generic, Protocol, TypeVar

from sda.errors import UserError
from sda.reproduction.jobs import Job
from sda.reproduction.ledger import RunRecord
from sda.reproduction.work import Places
from sda.runs.folder import RunFolder

LOOKS_A_SECOND = 2


class Doable(Protocol):
    """What is common to jobs of all kinds."""

    @property
    def experiment(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def seed(self) -> int: ...

    @property
    def start(self) -> Any: ...


D = TypeVar("D", bound=Doable)
W = TypeVar("W", bound=Doable, contravariant=True)


class Watcher(Protocol[W]):
    """Is told what happens, to show it."""

    def look(self, active: Sequence[W]) -> None: ...

    def ended(self, job: W) -> None: ...

    def failed(self, job: W, trouble: UserError) -> None: ...


@dataclass(frozen=True)
class Plan(Generic[D]):
    """The jobs of a table: those that the ledger has, and those to do, starts first."""

    done: list[D]
    left: list[D]


def plan_work(jobs: Sequence[D], places: Places) -> Plan[D]:
    """Which jobs are left; one that several rows share is left once.

    A start that others need is left too if the ledger lacks it, since their first stage stands
    there, or if its run folder is gone.
    """
    ledger = places.ledger
    rows = {job.key: job for job in jobs}
    left = {key: job for key, job in rows.items() if ledger.find(key) is None}
    for job in list(left.values()):
        start = job.start
        if start is None:
            continue
        if ledger.find(start.key) is None or not RunFolder(places.folder(start)).is_finished:
            # A start that is a row of the table goes by the name of the row.
            left.setdefault(start.key, rows.get(start.key, start))
    done = [job for key, job in rows.items() if key not in left]
    order = sorted(left.values(), key=lambda job: (job.seed, job.start is not None))
    return Plan(done, order)


def run_jobs(
    plan: Plan[D],
    places: Places,
    workers: int,
    watcher: Watcher[D],
    do: Callable[[D, Places], None],
    pool: Executor,
) -> None:
    """Every job that was left is in the ledger, once it was done, but for those that failed.

    `workers` run at a time in the pool.

    The others go on when one fails, all but those that begin with it; one sentence tells of all
    failures at the end.
    """
    waiting, failures = list(plan.left), list[str]()
    active: dict[Future[None], D] = {}
    while waiting or active:
        for job in _startable(waiting, active.values(), workers):
            waiting.remove(job)
            with _interrupts_held():
                active[pool.submit(do, job, places)] = job
        finished, _ = wait(active, 1 / LOOKS_A_SECOND, FIRST_COMPLETED)
        watcher.look(list(active.values()))
        for future in finished:
            job = active.pop(future)
            try:
                future.result()
                watcher.ended(job)
            except UserError as trouble:
                watcher.failed(job, trouble)
                lost = [other for other in waiting if _begins_with(other, job)]
                waiting = [other for other in waiting if not _begins_with(other, job)]
                failures.append(_failure(job, trouble, lost))
    if failures:
        raise UserError("; ".join(failures))


@contextmanager
def processes(number: int) -> Iterator[Executor]:
    """So many fresh processes, which end at once when the block fails or this process ends.

    What they were at goes on from its last checkpoint another time.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(number, context, initializer=end_with_parent) as pool:
        try:
            yield pool
        except BaseException as trouble:
            begun = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in begun:
                process.terminate()
            if isinstance(trouble, BrokenProcessPool):
                raise UserError(
                    "a process that ran a job came to a sudden end, perhaps for want of memory;"
                    " the same command goes on from the last checkpoints"
                ) from None
            raise


def end_with_parent() -> None:
    """This process ends when the one that began it does, even if that was killed.

    Otherwise it would hold its run folder against the next call of the same command.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    Thread(target=follow, daemon=True).start()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes begun inside do not hear Ctrl-C, which is for this one: it ends them itself."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _startable(waiting: Sequence[D], active: Iterable[D], workers: int) -> list[D]:
    """Jobs whose start is trained, as many as there are free workers."""
    busy = {job.key for job in active}
    pending = busy | {job.key for job in waiting}
    can = [job for job in waiting if job.start is None or job.start.key not in pending]
    return can[: workers - len(busy)]


def _begins_with(job: Doable, other: Doable) -> bool:
    return job.start is not None and job.start.key == other.key


def _failure(job: Doable, trouble: UserError, lost: Sequence[Doable]) -> str:
    names = ", ".join(other.name for other in lost)
    return f"{job.name}: {trouble}" + (f"; not run without it: {names}" if lost else "")


def estimate(left: Sequence[Job], records: Sequence[RunRecord], workers: int) -> float | None:
    """Seconds until all is done, by the CPU time of records of the same row, or else of like jobs.

    None where no like job is known.
    """
    total = 0.0
    for job in left:
        like = [
            record
            for record in records
            if record.data["base"] == job.base
            and record.data["profile"] == job.profile
            and record.data["settings"]["source"] == job.settings.source
            and (record.data["start"] is None) == (job.start is None)
        ]
        if not like:
            return None
        same = [record for record in like if record.data["row"] == job.row]
        total += mean(map(_seconds, same or like))
    return total / workers


def _seconds(record: RunRecord) -> float:
    """What the run took beyond its start, in CPU time, which does not count the work of others."""
    name = "cpu_seconds" if "cpu_seconds" in record.costs else "seconds"
    return record.own_cost(name) + float(record.data.get("measuring_seconds", 0.0))
