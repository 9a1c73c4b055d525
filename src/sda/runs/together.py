"""One run trained by several processes that `torchrun` started (decision 0230).

The first process trains in the run's folder and speaks to the user. The others train in copies of
it that are thrown away, so that all of them do the same and none but the first writes there.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sda.devices import find_device
from sda.ranks import join_others, started_together, wait_for_all
from sda.runs.folder import RunFolder
from sda.settings.schema import Settings


def with_parts(settings: Settings, folder: RunFolder) -> Settings:
    """The settings with as many parts as the run began with, or else as there are processes.

    Whoever says how many parts there are is obeyed.
    """
    if settings.parts > 1:
        return settings
    parts = folder.settings().parts if folder.holds_run else started_together()[1]
    return settings.model_copy(update={"parts": parts})


@contextmanager
def place_to_train(out: Path, device: str) -> Iterator[Path]:
    """The folder itself; for all processes but the first a copy of it, which goes afterwards.

    Nobody leaves before the first process has written all that belongs to the run. `device` is the
    setting of that name.
    """
    if started_together()[1] > 1:
        join_others(find_device(device))
    if started_together()[0] == 0:
        wait_for_all()  # the others have their copies
        yield out
        wait_for_all()
        return
    with tempfile.TemporaryDirectory(prefix="sda-") as scratch:
        place = Path(scratch) / out.name
        if out.is_dir():
            shutil.copytree(out, place, ignore=shutil.ignore_patterns(".*"))
        wait_for_all()
        yield place
        wait_for_all()
