"""Files that settings name: found from any folder, and after a run was moved (decision 0160)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sda.errors import UserError
from sda.runs.handed import Handed
from sda.settings.layers import HF, model_folder, source_kind
from sda.settings.schema import Settings, Table
from sda.settings.vouched import as_said

PRETRAINED = "sda.pretrained."  # where classes are that open the folder of a model


def with_absolute_paths(settings: Settings) -> Settings:
    """The settings with paths that lead to the same files from any folder."""
    return _with_paths(settings, os.path.abspath)


def found_again(settings: Settings, folder: Path) -> Settings:
    """The settings of the run in the folder with paths that lead to files that are there.

    A file that is not where the path says is looked for in the run folder and the folders above it,
    under as much of its path as there is: a run may have been moved with its text, without it, or
    be asked for from another folder. One that is nowhere keeps its path.
    """
    return _with_paths(settings, lambda path: _find(path, folder))


def check_text_is_there(settings: Settings, folder: Path) -> None:
    """Say what to do where the run in the folder has lost the text that it learned from."""
    source = settings.source
    if source_kind(source) == "text" and not os.path.exists(source):
        raise UserError(
            f"{folder}: the text that this run learned from, {source}, is not there any more; put"
            " it back, or copy it into the run folder"
        )


def _with_paths(settings: Settings, change: Callable[[str], str]) -> Settings:
    """The settings with every path in them changed."""
    update: Table = {
        "source": _source(settings.source, change),
        "start": settings.start and change(settings.start),
        "metric": [_with_file(part, change) for part in settings.metric],
    }
    data = settings.data
    update["data"] = replace(
        data,
        valid=data.valid and change(data.valid),
        test=data.test and change(data.test),
        model=data.model and change(data.model),
    )
    for role in ("generator", "discriminator"):
        section = getattr(settings, role)
        if str(section.get("use", "")).startswith(PRETRAINED) and "path" in section:
            update[role] = {**section, "path": change(section["path"])}
    folders = [model_folder(name) for name in settings.judge.candidates]
    if any(folders):
        names = [
            name if folder is None else f"{HF}:{change(folder)}"
            for name, folder in zip(settings.judge.candidates, folders, strict=True)
        ]
        update["judge"] = settings.judge.model_copy(update={"candidates": names})
    synonyms = settings.augmentation.get("synonyms")
    if synonyms is not None:
        update["augmentation"] = {**settings.augmentation, "synonyms": change(synonyms)}
    return settings.model_copy(update=update)


def _source(source: str, change: Callable[[str], str]) -> str:
    kind = source_kind(source)
    if kind == "text":
        return change(source)
    name, colon, file = source.partition(":")
    return f"{name}:{change(file)}" if colon and file else source


def _with_file(part: Table, change: Callable[[str], str]) -> Table:
    """The part of a metric; where it is a function in a file, with the path of the file changed."""
    function: Any = part.get("function")
    if not isinstance(function, str) or isinstance(function, Handed):
        return part
    file, _, name = function.rpartition(":")
    if not file.endswith(".py"):
        return part
    return {**part, "function": as_said(function, f"{change(file)}:{name}")}


def _find(path: str, folder: Path) -> str:
    if os.path.exists(path):
        return os.path.abspath(path)
    here = Path(os.path.abspath(folder))
    parts = Path(path).parts[1:] if os.path.isabs(path) else Path(path).parts
    for place in (here, *here.parents):
        for start in range(len(parts)):
            found = place.joinpath(*parts[start:])
            if found.exists():
                return str(found)
    return path
