"""The files that the experiments read, and whether a folder holds them unchanged.

The table is `configs/data/public.toml`; `docs/data.md` says how each file was made.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from itertools import groupby
from pathlib import Path

from sda.errors import UserError
from sda.files import naming

PAGE = "docs/data.md"


@dataclass(frozen=True)
class DataFile:
    """A file of a public set, as it was when results were made with it."""

    path: str
    """Inside the data folder, with forward slashes."""
    what: str
    bytes: int
    lines: int | None
    """None if it is no text."""
    sha256: str
    origin: str
    """Public repository, and what to take from it."""
    made: str
    """How the file was made from its origin."""
    licence: str
    experiments: tuple[str, ...]
    """Those that cannot run without it."""

    @property
    def purpose(self) -> str:
        return ", ".join(self.experiments) or "no run, only to compare with"


class State(StrEnum):
    PRESENT = "present"
    MISSING = "missing"
    OTHER_SIZE = "another size"
    OTHER_CONTENT = "another content"


@dataclass(frozen=True)
class Finding:
    """What a folder holds in the place of a file."""

    file: DataFile
    state: State
    bytes: int | None
    """Size of what is there; None if nothing is."""

    @property
    def is_wrong(self) -> bool:
        """Something is there, and it is not the file."""
        return self.state in (State.OTHER_SIZE, State.OTHER_CONTENT)

    def __str__(self) -> str:
        if self.state is State.OTHER_SIZE:
            return f"{self.file.path} has {self.bytes:,} bytes and not {self.file.bytes:,}"
        if self.state is State.OTHER_CONTENT:
            return f"{self.file.path} has the right size and another content"
        return f"{self.file.path} is {self.state}"


def known_files() -> list[DataFile]:
    """Every file of the table, in its order; files of one origin stand together."""
    table = resources.files("sda.configs") / "data" / "public.toml"
    return [
        DataFile(
            path=file["path"],
            what=file["what"],
            bytes=file["bytes"],
            lines=file.get("lines"),
            sha256=file["sha256"],
            origin=group["origin"],
            made=group["made"],
            licence=group["licence"],
            experiments=tuple(group["experiments"]),
        )
        for group in tomllib.loads(table.read_text(encoding="utf-8"))["set"]
        for file in group["file"]
    ]


def check_file(folder: Path, file: DataFile) -> Finding:
    """Whether the folder holds the file, byte for byte; it is read piece by piece.

    What is there and cannot be read raises.
    """
    path = folder / file.path
    with naming(path):
        try:
            with path.open("rb") as stream:
                size = os.fstat(stream.fileno()).st_size
                if size != file.bytes:
                    return Finding(file, State.OTHER_SIZE, size)
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except FileNotFoundError:
            return Finding(file, State.MISSING, None)
    state = State.PRESENT if found == file.sha256 else State.OTHER_CONTENT
    return Finding(file, state, size)


def by_origin(files: Iterable[DataFile]) -> list[list[DataFile]]:
    """Neighbours of one origin in one list."""
    return [list(group) for _, group in groupby(files, key=lambda file: file.origin)]


def not_public(folder: Path, paths: Sequence[str]) -> list[str]:
    """What the folder holds under these names that is another file, one clause each."""
    files = {file.path: file for file in known_files()}
    found = [check_file(folder, files[path]) for path in paths]
    return [str(finding) for finding in found if finding.is_wrong]


def require(folder: Path, paths: Sequence[str]) -> None:
    """These files of the table are in the folder; or one sentence says where to get the others.

    Contents are not read, so that a user may bring a set of their own under the same names.
    """
    files = {file.path: file for file in known_files()}
    with naming(folder):
        missing = [files[path] for path in paths if not (folder / path).is_file()]
    if missing:
        wanted = "; ".join(
            f"{', '.join(file.path for file in group)} (from {group[0].origin})"
            for group in by_origin(missing)
        )
        raise UserError(f"{folder}: missing {wanted}; {PAGE} says how to make them")
