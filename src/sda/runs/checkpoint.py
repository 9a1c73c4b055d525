"""States of training on disk: safetensors and JSON, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as from_bytes
from safetensors.torch import save as to_bytes
from torch import Tensor

from sda.errors import UserError
from sda.files import naming, read_json, sync_folder, write_bytes, write_json

KEPT = 2  # numbered checkpoints; named ones stay


@dataclass(frozen=True)
class Checkpoint:
    """One saved state: its tensors, and everything else as plain values."""

    tensors: dict[str, Tensor]
    values: dict[str, Any]


class Checkpoints:
    """The checkpoints in a folder, numbered in the order of training, or named."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, name: str, checkpoint: Checkpoint) -> None:
        """Write it beside the others, make sure it is on the disk, then give it its name."""
        target = self.folder / name
        temporary = self.folder / f".{name}.part"
        tensors = {key: tensor.cpu().contiguous() for key, tensor in checkpoint.tensors.items()}
        content = to_bytes(tensors)
        values = checkpoint.values | {"sha256": hashlib.sha256(content).hexdigest()}
        with naming(target):
            self.folder.mkdir(exist_ok=True)
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir()
        try:
            write_bytes(temporary / "tensors.safetensors", content)
            write_json(temporary / "state.json", values)
            with naming(target):
                if target.exists():
                    shutil.rmtree(target)
                os.rename(temporary, target)
                sync_folder(self.folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def keep_latest(self) -> None:
        """Of the numbered checkpoints only the newest is left."""
        for old in self._numbers()[:-1]:
            shutil.rmtree(self.folder / old, ignore_errors=True)

    def save_numbered(self, number: int, checkpoint: Checkpoint) -> None:
        """Write it under its number and drop all but the last of the numbered ones."""
        self.save(f"{number:06}", checkpoint)
        for old in self._numbers()[:-KEPT]:
            shutil.rmtree(self.folder / old, ignore_errors=True)

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
                shutil.rmtree(entry, ignore_errors=True)

    def latest(self) -> str | None:
        """The name of the newest numbered checkpoint."""
        return max(self._numbers(), default=None)

    def has(self, name: str) -> bool:
        return (self.folder / name / "state.json").is_file()

    def load_values(self, name: str) -> dict[str, Any]:
        """All of the checkpoint of that name but its tensors."""
        values = read_json(self.folder / name / "state.json")
        return values if isinstance(values, dict) else {}

    def load(self, name: str) -> Checkpoint:
        """The checkpoint of that name; a damaged one raises one sentence that names the file."""
        folder = self.folder / name
        values = self.load_values(name)
        path = folder / "tensors.safetensors"
        with naming(path):
            content = path.read_bytes()
        others = [other for other in self._numbers() if other != name]
        advice = (
            f"remove the folder {folder} to go on from the one before"
            if others
            else f"the run has no other one, so remove {self.folder.parent} and train it again"
        )
        broken = UserError(f"{path}: broken checkpoint; {advice}")
        if hashlib.sha256(content).hexdigest() != values.get("sha256"):
            raise broken
        try:
            return Checkpoint(from_bytes(content), values)
        except SafetensorError:
            raise broken from None

    def _numbers(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        return sorted(entry.name for entry in self.folder.iterdir() if entry.name.isdigit())
