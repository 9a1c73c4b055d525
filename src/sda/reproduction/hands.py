"""Jobs done by the workers of a Dask cluster, which may be many machines (decision 0231).

All of them see the folders of data, runs and records under the same names.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from sda.errors import UserError
from sda.reproduction.runner import processes

PATIENCE = "20s"  # for the scheduler to answer


@dataclass(frozen=True)
class Hands:
    """Who does jobs, and how many at a time."""

    executor: Executor
    size: int


@contextmanager
def hands(address: str | None, jobs: int) -> Iterator[Hands]:
    """Those of the cluster at the address, or else so many processes here."""
    if address is None:
        with processes(jobs) as pool:
            yield Hands(pool, jobs)
    else:
        with _cluster(address) as found:
            yield found


@contextmanager
def _cluster(address: str) -> Iterator[Hands]:
    """The workers of the scheduler at the address.

    A job whose worker is gone is given to another one, which goes on from its last checkpoint.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise UserError(
            "--cluster needs a package that is not here: pip install 'sda-text[cluster]'"
        ) from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            f"--cluster {address}: no Dask scheduler answers there ({reason})"
        ) from None
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise UserError(f"--cluster {address}: the scheduler there has no workers")
        try:
            executor = client.get_executor(pure=False)
            yield Hands(cast(Executor, executor), threads)
        except KilledWorker as error:
            raise UserError(
                f"--cluster {address}: {error.last_worker} and others before it ended while they"
                " did the same job, perhaps for want of memory; the same command goes on from the"
                " last checkpoint"
            ) from None
