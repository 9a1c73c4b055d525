"""Checkpoints come back exactly, are never half there, and say so when they are damaged."""

import errno
import json
import os
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny import contents
from torch import Tensor

from sda.errors import UserError
from sda.runs.checkpoint import STATE_FILE, STATE_MARK, Checkpoint, Checkpoints


def example(value: float = 1.5) -> Checkpoint:
    tensors: dict[str, Tensor] = {
        "weights": torch.full((3, 4), value).t(),
        "numbers": torch.arange(5),
        "rng": torch.Generator().manual_seed(3).get_state(),
        "nothing": torch.zeros(0, 2),
    }
    return Checkpoint(tensors, {"counters": {"epoch": 3, "best": None}, "rate": 0.1})


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    return Checkpoints(tmp_path / "checkpoints")


def test_what_is_saved_is_loaded(checkpoints: Checkpoints) -> None:
    saved = example()
    checkpoints.save("stage1", saved)
    loaded = checkpoints.load("stage1")

    assert loaded.tensors.keys() == saved.tensors.keys()
    for name, tensor in saved.tensors.items():
        assert loaded.tensors[name].dtype == tensor.dtype
        assert torch.equal(loaded.tensors[name], tensor)
    assert saved.values.items() <= loaded.values.items()
    assert checkpoints.has("stage1")
    assert not checkpoints.has("stage2")


def test_the_last_two_numbers_are_kept(checkpoints: Checkpoints) -> None:
    assert checkpoints.latest() is None
    checkpoints.save("stage1", example())
    for number in (1, 2, 9, 10, 1_000_000):
        checkpoints.save_numbered(number, example(number))

    assert sorted(contents(checkpoints.folder)) == sorted(
        f"{name}/{file}"
        for name in ("000010", "1000000", "stage1")
        for file in ("state.json", "tensors.safetensors")
    )


def test_the_newest_number_is_the_latest(checkpoints: Checkpoints) -> None:
    for number in (9, 10, 11):
        checkpoints.save_numbered(number, example())
        assert checkpoints.latest() == f"{number:06}"


def fail_at(monkeypatch: pytest.MonkeyPatch, call: int, error: BaseException) -> None:
    """Make the so-many-th call of fsync fail: tensors, their folder, values, folder, all."""
    calls = iter(range(call + 1))
    fsync = os.fsync

    def sometimes(descriptor: int) -> None:
        if next(calls, None) == call:
            raise error
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", sometimes)


@pytest.mark.parametrize("call", range(4))
@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), UserError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_failure_leaves_the_others(
    call: int,
    error: BaseException,
    raised: type[BaseException],
    checkpoints: Checkpoints,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in (1, 2):
        checkpoints.save_numbered(number, example(number))
    before = contents(checkpoints.folder)

    fail_at(monkeypatch, call, error)
    with pytest.raises(raised):
        checkpoints.save_numbered(3, example(3))

    assert contents(checkpoints.folder) == before
    assert sorted(os.listdir(checkpoints.folder)) == ["000001", "000002"]


def test_remains_of_a_killed_process_do_no_harm(checkpoints: Checkpoints) -> None:
    checkpoints.save_numbered(1, example())
    part = checkpoints.folder / ".000002.part"
    part.mkdir()
    (part / "tensors.safetensors").write_bytes(b"half")

    assert checkpoints.latest() == "000001"
    checkpoints.save_numbered(2, example(2))
    assert torch.equal(checkpoints.load("000002").tensors["weights"], torch.full((4, 3), 2.0))
    assert not part.exists()


def test_a_kill_while_one_is_replaced_leaves_the_old_one(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints.save("000001", example(1.0))
    names: list[Path] = []
    rename = os.rename

    def killed(source: Path, target: Path) -> None:
        names.append(target)
        if len(names) == 2:
            os._exit(9)
        rename(source, target)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(os, "rename", killed)
        checkpoints.save("000001", example(2.0))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9

    # Whoever reads it now, and whoever goes on later.
    assert checkpoints.latest() == "000001" and checkpoints.has("000001")
    assert checkpoints.load("000001").tensors["weights"][0, 0] == 1.0
    checkpoints.mend()
    assert [entry.name for entry in checkpoints.folder.iterdir()] == ["000001"]
    assert checkpoints.load("000001").tensors["weights"][0, 0] == 1.0


@given(place=st.integers(0), bit=st.integers(0, 7))
def test_a_flipped_bit_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, place: int, bit: int
) -> None:
    checkpoints = Checkpoints(tmp_path_factory.mktemp("flipped"))
    checkpoints.save("000001", example())
    path = checkpoints.folder / "000001" / "tensors.safetensors"
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= 1 << bit
    path.write_bytes(content)

    words = r"000001/tensors\.safetensors: broken checkpoint; the run has no other one, so remove"
    with pytest.raises(UserError, match=words):
        checkpoints.load("000001")
    checkpoints.save("000002", example())
    words = r"000001/tensors\.safetensors: broken checkpoint; remove the folder .*000001 to go on"
    with pytest.raises(UserError, match=words):
        checkpoints.load("000001")


def test_parts_that_are_not_needed(checkpoints: Checkpoints) -> None:
    both = {"model.a": torch.ones(2), "best.a": torch.zeros(2)}
    for name in ("000001", "000002", "stage1"):
        checkpoints.save(name, Checkpoint(both, {"counters": {"phase": 3}}))

    checkpoints.keep_latest()
    checkpoints.keep_parts("000002", lambda key: not key.startswith("best."))

    assert not checkpoints.has("000001") and checkpoints.has("stage1")
    found = checkpoints.load("000002")
    assert found.tensors.keys() == {"model.a"}
    assert found.values["counters"] == {"phase": 3}


@pytest.mark.parametrize("is_renamed", [True, False])
def test_a_state_without_its_checksum_is_refused(
    is_renamed: bool, checkpoints: Checkpoints
) -> None:
    """Under another name it was once taken for something else, and the state for an older one."""
    checkpoints.save("000001", Checkpoint({}, {"counters": {"epoch": 3}}))
    path = checkpoints.folder / "000001" / STATE_FILE
    values = json.loads(path.read_text())
    mark = values.pop(STATE_MARK)
    path.write_text(json.dumps({**values, f"{STATE_MARK}x": mark} if is_renamed else values))

    with pytest.raises(UserError, match=r"state\.json: changed since it was written"):
        checkpoints.load("000001")


def test_a_state_belongs_with_the_files_beside_it(tmp_path: Path) -> None:
    words = tmp_path / "words.json"
    checkpoints = Checkpoints(tmp_path / "checkpoints", [words, tmp_path / "not-there"])
    words.write_text("one")
    checkpoints.save("000001", example())
    checkpoints.load("000001")

    words.write_text("another")
    with pytest.raises(UserError, match=r"words\.json: not the file that the run was trained"):
        checkpoints.load("000001")
    words.unlink()
    with pytest.raises(UserError, match=r"words\.json: No such file"):
        checkpoints.load("000001")


@pytest.mark.parametrize("size", [0, 7, 100])
def test_a_short_file_is_noticed(size: int, checkpoints: Checkpoints) -> None:
    checkpoints.save("000001", example())
    path = checkpoints.folder / "000001" / "tensors.safetensors"
    path.write_bytes(path.read_bytes()[:size])

    with pytest.raises(UserError, match=r"tensors\.safetensors: broken checkpoint"):
        checkpoints.load("000001")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("state.json", None, r"state\.json: No such file"),
        ("state.json", b'{"sha', r"state\.json: not valid JSON"),
        ("state.json", b"[]", r"state\.json: should be an object"),
        ("state.json", b"{}", r"state\.json: 'sha256': field required"),
        ("state.json", b'{"sha256": ""}', "broken checkpoint"),
        ("tensors.safetensors", None, r"tensors\.safetensors: No such file"),
    ],
)
def test_broken_values_are_noticed(
    file: str, content: bytes | None, message: str, checkpoints: Checkpoints
) -> None:
    checkpoints.save("000001", example())
    path = checkpoints.folder / "000001" / file
    path.unlink()
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(UserError, match=message):
        checkpoints.load("000001")


def test_a_file_of_another_kind_with_the_right_hash(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sda.runs.checkpoint.to_bytes", lambda _: b"not tensors")
    checkpoints.save("000001", example())

    with pytest.raises(UserError, match="broken checkpoint"):
        checkpoints.load("000001")
