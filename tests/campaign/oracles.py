"""Oracles from .npz files that are none."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from fakes import oracle_arrays
from tiny import sets

from .calling import before_training, call
from .damage import ANY
from .ground import Ground
from .verdicts import Verdict, judged
from .worker import Kind


class Oracles(Kind):
    name = "oracles"
    about = "models in .npz files: bytes, archives, names, shapes, types and values"
    share = 3.0

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        file, what = write_oracle(folder, number, chance)
        small = ("embedded.train=20", "embedded.valid=5", "embedded.test=5")
        words = ("train", f"oracle:{file}", "--profile", "smoke", "--quiet", "--out", "run")
        length = ("--length", str(chance.choice((1, 4, 20))))
        with before_training():
            told = call(*words, *sets(small), *length)
        return judged(told, f"oracle of a file: {what}")


def write_oracle(folder: Path, number: int, chance: Random) -> tuple[Path, str]:
    """A file that ought to be an oracle, and what is wrong with it in words."""
    rng = torch.Generator().manual_seed(number)
    arrays: dict[str, Any] = dict(oracle_arrays(9, 4, 5, rng))
    file, what = folder / "oracle.npz", "as it should be"
    way = chance.randrange(4)
    if way:
        what = _edit(arrays, chance)
    if way == 3:
        what = _write_archive(file, arrays, chance)
    else:
        np.savez(file, allow_pickle=True, **arrays)
    if way == 0 or chance.random() < 0.3:
        what += ", " + chance.choice(ANY)(file, chance)
    return file, what


def _edit(arrays: dict[str, Any], chance: Random) -> str:
    name, way = chance.choice(list(arrays)), chance.randrange(8)
    before = arrays[name]
    if way == 0:
        del arrays[name]
        return f"{name} removed"
    if way == 1:
        arrays[f"{name}x"] = arrays.pop(name)
        return f"{name} renamed"
    if way == 2:
        odd = chance.choice((np.nan, np.inf, -np.inf, 1e38, -1e38, 0.0))
        arrays[name] = before.copy()
        arrays[name].flat[chance.randrange(before.size)] = odd
        return f"{name} has {odd}"
    if way == 3:
        kind = chance.choice(("i8", "f2", "f8", "c8", "S3", "U3", "?", "M8[s]"))
        with np.errstate(all="ignore"):
            arrays[name] = np.nan_to_num(before).astype(kind)
        return f"{name} is {kind}"
    if way == 4:
        arrays[name] = np.array([None, "x"], dtype=object)
        return f"{name} holds objects"
    shapes: tuple[Any, ...] = (
        before.T,
        before[:0],
        before[:-1],
        before.reshape(-1),
        np.float32(1),
        before[None],
        np.zeros(0, np.float32),
    )
    arrays[name] = chance.choice(shapes)
    return f"{name} of shape {arrays[name].shape}"


def _write_archive(file: Path, arrays: dict[str, Any], chance: Random) -> str:
    """An archive by hand, with headers that lie."""
    with (
        warnings.catch_warnings(action="ignore"),  # names that stand there twice are meant
        zipfile.ZipFile(file, "w", chance.choice((0, 8))) as archive,
    ):
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array, allow_pickle=True)
            archive.writestr(f"{name}.npy", content.getvalue())
        name = chance.choice(list(arrays))
        lie = chance.choice(
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,), }",
                "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4), }",
                "__import__('os').system('touch marker')",
                "{" * 100,
            )
        ).encode()
        header = b"\x93NUMPY\x01\x00" + len(lie).to_bytes(2, "little") + lie
        archive.writestr(chance.choice((f"{name}.npy", "../up.npy", "x")), header)
    return f"an archive with {lie[:30]!r}"
