"""Tensors with a checksum: damage is told, and files from before have none."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from sda.transfer.kept_tensors import keep_tensors, kept_tensors

TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor([1, 2])}


def test_what_was_kept_comes_back_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        keep_tensors(tmp_path / name, TENSORS, "judge", {"kind": "cnn", "values": [1, "x"]})

    found, about = kept_tensors(tmp_path / "one", "judge")
    assert found.keys() == TENSORS.keys()
    assert all(found[name].equal(value) for name, value in TENSORS.items())
    assert about == {"kind": "cnn", "values": [1, "x"]}
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("place", [-1, -20])
def test_one_bit_is_told(tmp_path: Path, place: int) -> None:
    path = tmp_path / "file"
    keep_tensors(path, TENSORS)
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)

    with pytest.raises(ValueError, match="checksum"):
        kept_tensors(path)


@pytest.mark.parametrize(("kept", "found"), [(b"cnn", b"rnn"), (b"sha256", b"sha257")])
def test_what_stands_beside_the_tensors_is_covered_too(
    kept: bytes, found: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    keep_tensors(path, TENSORS, "judge", {"kind": "cnn"})
    path.write_bytes(path.read_bytes().replace(kept, found))

    with pytest.raises(ValueError, match="checksum"):
        kept_tensors(path, "judge")


def test_an_older_file_has_no_checksum(tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "file")

    assert kept_tensors(tmp_path / "file")[1] == {}
