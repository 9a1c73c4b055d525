"""A run taken up again with nothing but its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sda.runs.folder import RunFolder
from sda.runs.handed import give_again
from sda.runs.paths import check_text_is_there
from sda.runs.run import Run
from sda.runs.train import Callback, train_run
from sda.show.terminal import Reporter


def resume_run(
    path: Path,
    reporter: Reporter,
    given: Mapping[str, Any] | None = None,
    device: str | None = None,
    callbacks: Sequence[Callback] = (),
) -> Run:
    """Train on in the folder until the end; one that is finished is left alone.

    All settings are in the folder. What was handed to the run as an object is not, and is `given`
    again, as `sda.runs.handed.sections` makes it.
    """
    folder = RunFolder(path)
    settings = give_again(folder.settings(), given or {}, path)
    if not folder.is_finished:
        check_text_is_there(settings, path)
    if device is not None:
        settings = settings.model_copy(update={"device": device})
    return train_run(settings, {}, path, reporter, resume=True, callbacks=callbacks)
