"""States of training on disk: safetensors and JSON, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as from_bytes
from safetensors.torch import save as to_bytes
from torch import Tensor

from sda.doors import read_checked
from sda.errors import UserError
from sda.files import mark_of, naming, sync_folder, write_bytes, write_json
from sda.runs.shapes import StateShape

KEPT = 2  # numbered checkpoints; named ones stay
_ASIDE = ".old"  # the end of the name of a checkpoint while it is replaced
STATE_FILE = "state.json"
STATE_MARK = "state_sha256"
"""The hash of all else in `state.json`, that of the tensors among it; older states have none."""
BESIDE = "beside"
"""In `state.json`: the hashes of the files of the run that the state belongs with."""
_UNMARKED = frozenset({"sha256", "counters", "progress_bytes", "device", "stopped_in"})
"""All that states had before they had checksums; one with more has lost its own."""


@dataclass(frozen=True)
class Checkpoint:
    """One saved state: its tensors, and everything else as plain values."""

    tensors: dict[str, Tensor]
    values: dict[str, Any]


def _mark(values: dict[str, Any]) -> str:
    """What tells these values from any others."""
    rest = {key: value for key, value in values.items() if key != STATE_MARK}
    return mark_of(rest)


def _hash(path: Path) -> str:
    with naming(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def fitting(place: Path) -> Iterator[None]:
    """What goes wrong inside, where a state is taken from the place, is told in one sentence."""
    try:
        yield
    except (KeyError, RuntimeError, TypeError, ValueError, IndexError, AttributeError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise UserError(
            f"{place}: the checkpoint does not fit the settings ({reason[-1].strip()})"
        ) from None


class Checkpoints:
    """The checkpoints in a folder, numbered in the order of training, or named.

    A state says nothing without the files `beside` it, such as the vocabulary, and is loaded only
    with those that it was saved with.
    """

    def __init__(self, folder: Path, beside: Sequence[Path] = ()) -> None:
        self.folder = folder
        self.beside = tuple(beside)

    def save(self, name: str, checkpoint: Checkpoint) -> None:
        """Write it beside the others, make sure it is on the disk, then give it its name.

        One that it replaces stands aside until then: whenever a kill comes, one of them is there.
        """
        target = self.folder / name
        temporary = self.folder / f".{name}.part"
        tensors = {key: tensor.cpu().contiguous() for key, tensor in checkpoint.tensors.items()}
        content = to_bytes(tensors)
        values = {
            **checkpoint.values,
            "sha256": hashlib.sha256(content).hexdigest(),
            BESIDE: {path.name: _hash(path) for path in self.beside if path.is_file()},
        }
        values[STATE_MARK] = _mark(values)
        with naming(target):
            self.folder.mkdir(exist_ok=True)
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir()
        try:
            write_bytes(temporary / "tensors.safetensors", content)
            write_json(temporary / STATE_FILE, values)
            with naming(target):
                if target.exists():
                    shutil.rmtree(self._aside(name), ignore_errors=True)
                    os.rename(target, self._aside(name))
                os.rename(temporary, target)
                sync_folder(self.folder)
        finally:
            self.mend()

    def mend(self) -> None:
        """What was half written is gone, and what it was about to replace has its name again."""
        for part in self.folder.glob(".*.part"):
            shutil.rmtree(part, ignore_errors=True)
        for aside in self.folder.glob(f".*{_ASIDE}"):
            target = self.folder / _name_of(aside)
            if target.exists():
                shutil.rmtree(aside, ignore_errors=True)
            else:
                with naming(target):
                    os.rename(aside, target)

    def keep_latest(self) -> None:
        """Of the numbered checkpoints only the newest is left."""
        for old in self._numbers()[:-1]:
            self._drop(old)

    def save_numbered(self, number: int, checkpoint: Checkpoint) -> None:
        """Write it under its number and drop all but the last of the numbered ones."""
        self.save(f"{number:06}", checkpoint)
        for old in self._numbers()[:-KEPT]:
            self._drop(old)

    def keep_parts(self, name: str, is_needed: Callable[[str], bool]) -> None:
        """The checkpoint of that name has only those of its tensors that are needed, by name."""
        before = self.load(name)
        tensors = {key: tensor for key, tensor in before.tensors.items() if is_needed(key)}
        if len(tensors) < len(before.tensors):
            self.save(name, Checkpoint(tensors, before.values))

    def drop_others(self, beginning: str, names: Collection[str]) -> None:
        """Remove the checkpoints whose names begin so, all but those named."""
        for entry in self.folder.glob(f"{beginning}*"):
            if entry.name not in names:
                self._drop(entry.name)

    def _drop(self, name: str) -> None:
        """Remove the checkpoint, at once in the eyes of others: half of one would be no state."""
        away = self.folder / f".{name}.part"
        with suppress(OSError):
            shutil.rmtree(away, ignore_errors=True)
            os.rename(self.folder / name, away)
            shutil.rmtree(away, ignore_errors=True)

    def _aside(self, name: str) -> Path:
        return self.folder / f".{name}{_ASIDE}"

    def _place(self, name: str) -> Path:
        """Where the checkpoint stands, also at the moment in which it is replaced."""
        target = self.folder / name
        return target if target.exists() or not self._aside(name).exists() else self._aside(name)

    def latest(self) -> str | None:
        """The name of the newest numbered checkpoint."""
        return max(self._numbers(), default=None)

    def has(self, name: str) -> bool:
        return (self._place(name) / STATE_FILE).is_file()

    def load_values(self, name: str) -> dict[str, Any]:
        """All of the checkpoint of that name but its tensors."""
        path = self._place(name) / STATE_FILE
        values: dict[str, Any] = read_checked(path, StateShape)
        mark = values.get(STATE_MARK)
        is_older = mark is None and values.keys() <= _UNMARKED
        if not is_older and mark != _mark(values):
            raise UserError(
                f"{path}: changed since it was written, so training would go on from another state;"
                f" {self._advice(name)}"
            )
        return values

    def load(self, name: str) -> Checkpoint:
        """The checkpoint of that name; a damaged one raises one sentence that names the file."""
        values = self.load_values(name)
        self._check_beside(values.get(BESIDE, {}))
        path = self._place(name) / "tensors.safetensors"
        with naming(path):
            content = path.read_bytes()
        broken = UserError(f"{path}: broken checkpoint; {self._advice(name)}")
        if hashlib.sha256(content).hexdigest() != values.get("sha256"):
            raise broken
        try:
            return Checkpoint(from_bytes(content), values)
        except SafetensorError:
            raise broken from None

    def _check_beside(self, hashes: Mapping[str, str]) -> None:
        """Refuse files that were changed, or taken from another run, since the state was saved."""
        for path in self.beside:
            if path.name in hashes and hashes[path.name] != _hash(path):
                raise UserError(
                    f"{path}: not the file that the run was trained with; put that back, or train"
                    " the run again"
                )

    def _advice(self, name: str) -> str:
        """What to do about a checkpoint that cannot be used."""
        if any(other != name for other in self._numbers()):
            return f"remove the folder {self.folder / name} to go on from the one before"
        return f"the run has no other one, so remove {self.folder.parent} and train it again"

    def newest_first(self) -> list[str]:
        """The names of the numbered checkpoints."""
        return self._numbers()[::-1]

    def _numbers(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        names = {_name_of(entry) for entry in self.folder.iterdir()}
        return sorted(name for name in names if name.isdigit())


def _name_of(entry: Path) -> str:
    """The name of the checkpoint that stands there, in its place or aside."""
    is_aside = entry.name.startswith(".") and entry.name.endswith(_ASIDE)
    return entry.name[1 : -len(_ASIDE)] if is_aside else entry.name
