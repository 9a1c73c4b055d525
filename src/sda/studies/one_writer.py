"""One thread for all that touches the store, so that nobody ever waits for a lock.

What has gathered while the last commit was written to the disk is committed together: a hundred
judges cost a few commits a second, each of them is told only once their rating is on the disk.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from sda.studies.store import Store

MOST_TOGETHER = 200
T = TypeVar("T")
_Job = tuple[Callable[[Store], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class OneWriter:
    """Runs functions of the store one after the other."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    async def run(self, function: Callable[[Store], T]) -> T:
        """What the function returns, once all that it did is on the disk."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put((function, loop, future))
        return await future

    def close(self) -> None:
        """All that was asked is done, and the store is closed."""
        self._jobs.put(None)
        self._thread.join()
        self._store.close()

    def _work(self) -> None:
        while True:
            first = self._jobs.get()
            jobs = [first]
            while len(jobs) < MOST_TOGETHER and not self._jobs.empty():
                jobs.append(self._jobs.get())
            self._do([job for job in jobs if job is not None])
            if None in jobs:
                return

    def _do(self, jobs: list[_Job]) -> None:
        answers: list[tuple[_Job, Any, BaseException | None]] = []
        try:
            with self._store.transaction():
                for job in jobs:
                    try:
                        with self._store.part():
                            answers.append((job, job[0](self._store), None))
                    except Exception as trouble:
                        answers.append((job, None, trouble))
        except Exception as trouble:
            # Nothing was written, so nobody may be told otherwise.
            answers = [(job, None, trouble) for job in jobs]
        for (_, loop, future), value, failure in answers:
            # A server that has ended asks for no answers.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_answer, future, value, failure)


def _answer(future: asyncio.Future[Any], value: Any, trouble: BaseException | None) -> None:
    # A judge who closed the page is no longer waiting.
    if future.done():
        return
    if trouble is None:
        future.set_result(value)
    else:
        future.set_exception(trouble)
