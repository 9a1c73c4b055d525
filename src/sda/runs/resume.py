"""A run taken up again with nothing but its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sda.runs.folder import RunFolder
from sda.runs.paths import check_text_is_there
from sda.runs.run import Run
from sda.runs.train import Callback, train_run
from sda.settings.schema import Settings
from sda.show.terminal import Reporter


def resume_run(
    path: Path,
    reporter: Reporter,
    settings: Settings | None = None,
    device: str | None = None,
    callbacks: Sequence[Callback] = (),
) -> Run:
    """Train on in the folder until the end; one that is finished is left alone.

    All settings are in the folder, but not what was handed to the run as an object, and not leave
    to load code of the user's own: then `settings` are those of `sda.runs.run.allowed_settings`.
    """
    folder = RunFolder(path)
    settings = folder.settings() if settings is None else settings
    if not folder.is_finished:
        check_text_is_there(settings, path)
    if device is not None:
        settings = settings.model_copy(update={"device": device})
    return train_run(settings, {}, path, reporter, resume=True, callbacks=callbacks)
