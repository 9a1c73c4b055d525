"""What all run folders are to whoever opens them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Generic, TypeVar

from sda.runs.folder import RunFolder

Kept = TypeVar("Kept")
"""The kind of the settings."""


class OpenedRun(Generic[Kept]):
    """A run folder with the settings that it holds."""

    def __init__(self, kept: RunFolder, settings: Kept) -> None:
        self._kept = kept
        self._settings = settings

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    @property
    def path(self) -> Path:
        """The run folder."""
        return self._kept.path

    @property
    def settings(self) -> Kept:
        """Everything that determines the run, as `config.toml` holds it."""
        return self._settings

    @property
    def is_finished(self) -> bool:
        """Whether training has come to its end, and all files of the run are there."""
        return self._kept.is_finished

    def progress(self) -> list[dict[str, Any]]:
        """The figures of every epoch so far: `stage`, `epoch`, and what was measured, by name."""
        return self._kept.read_progress()
