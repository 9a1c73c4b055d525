"""A file is there in full or as it was before, whatever happens while it is written."""

import errno
import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import file_with

from sda.errors import UserError
from sda.files import (
    naming,
    read_json,
    read_marked,
    refuse_overlap,
    write_bytes,
    write_json,
    write_marked,
    write_text,
)

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)


def test_text_is_written_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "naïve\n")
    write_text(path, "café\n")

    assert path.read_bytes() == b"caf\xc3\xa9\n"
    assert os.listdir(tmp_path) == ["file.txt"]


@given(values)
def test_json_is_read_back(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = tmp_path_factory.getbasetemp() / "value.json"
    write_json(path, value)

    assert read_json(path) == value
    assert json.loads(path.read_text(encoding="utf-8")) == value


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_full_disk_leaves_what_was_there(
    step: str, old: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, full)
    with pytest.raises(UserError, match=f"^{path}: No space left on device$"):
        write_bytes(path, b"new")

    assert (path.read_bytes() if path.exists() else None) == old
    assert os.listdir(tmp_path) == ([] if old is None else ["file"])


def test_an_interruption_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(path, b"new")

    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_bytes_are_on_the_disk_before_the_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    fsync, replace = os.fsync, os.replace

    def record_fsync(descriptor: int) -> None:
        order.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")
        fsync(descriptor)

    def record_replace(source: Path, target: Path) -> None:
        order.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_replace)
    write_bytes(tmp_path / "file", b"new")

    assert order == ["file", "rename", "folder"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory"),
        (b"", "not valid JSON"),
        (b'{"a": ', "not valid JSON"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_broken_json_file_is_named(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = file_with(tmp_path / "value.json", content)

    with pytest.raises(UserError, match=rf"value\.json: {message}"):
        read_json(path)


def test_only_trouble_with_files_is_renamed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="of another kind"), naming(tmp_path):
        raise ValueError("of another kind")
    with pytest.raises(UserError, match=f"^{tmp_path}: without a number$"), naming(tmp_path):
        raise OSError("without a number")


@pytest.mark.parametrize("name", [".", "..", "folder"])
def test_a_folder_in_the_place_of_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "folder").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")

    with pytest.raises(UserError, match=f"^{re.escape(name)}: "):
        write_text(Path(name), "text")
    assert [path.name for path in Path().iterdir()] == ["folder"]
    assert [path.name for path in Path("..").iterdir()] == ["here"]


def test_files_to_write_that_are_read_or_named_twice(tmp_path: Path) -> None:
    read, link = tmp_path / "read.txt", tmp_path / "link.txt"
    read.write_text("a\n")
    link.symlink_to(read)
    (tmp_path / "folder").mkdir()
    around = tmp_path / "folder" / ".." / "new.md"

    for path in (read, link, tmp_path / "folder" / ".." / "read.txt"):
        with pytest.raises(UserError, match=f"^--json: {re.escape(str(path))} is a file that is"):
            refuse_overlap({"--json": path}, (None, read))
    with pytest.raises(UserError, match=r"^--latex: .*new\.md is the file of --json; name another"):
        refuse_overlap({"--json": around, "--html": None, "--latex": tmp_path / "new.md"}, ())


def test_files_to_write_that_are_all_different(tmp_path: Path) -> None:
    outputs = {"--json": tmp_path / "a", "--html": None, "--markdown": tmp_path / "b"}

    refuse_overlap(outputs, (tmp_path / "c", tmp_path / "c", None))


def test_folders_that_cannot_be_opened_are_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    # As on Windows.
    monkeypatch.delattr(os, "O_DIRECTORY")
    monkeypatch.setattr(os, "open", refused)
    write_text(tmp_path / "file.txt", "content")

    assert (tmp_path / "file.txt").read_text() == "content"


def test_a_marked_file_that_was_edited_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.json"
    write_marked(path, {"words": ["cat", "dog"]})
    assert read_marked(path) == {"words": ["cat", "dog"]}

    path.write_text(path.read_text().replace("cat", "cow"))
    with pytest.raises(UserError, match="does not fit the checksum in it"):
        read_marked(path)
    # As it was written before there were checksums.
    write_json(path, {"words": ["cow"]})
    assert read_marked(path) == {"words": ["cow"]}


def test_what_a_kill_left_of_a_file_is_gone_once_it_is_written(tmp_path: Path) -> None:
    """`sda augment` writes beside the user's own files, of which none is touched."""
    for name in (".rows[1].csv.999999999.part", ".other.csv.999999999.part", ".rows[1].csv.x.part"):
        (tmp_path / name).write_text("half")
    (tmp_path / f".rows[1].csv.{os.getppid()}.part").write_text("of a process that is there")
    write_text(tmp_path / "rows[1].csv", "whole")

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".other.csv.999999999.part",
        f".rows[1].csv.{os.getppid()}.part",
        ".rows[1].csv.x.part",
        "rows[1].csv",
    ]


def test_a_device_is_written_to_and_not_replaced() -> None:
    reader, writer = os.openpty()
    try:
        place = Path(os.ttyname(writer))
        write_text(place, "a line\n")
        assert os.read(reader, 100) == b"a line\r\n"
        assert place.is_char_device()
    finally:
        os.close(reader)
        os.close(writer)


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(pipe, "a line\n")
        assert os.read(reader, 100) == b"a line\n"
        assert pipe.is_fifo()
    finally:
        os.close(reader)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no names of open files here")
def test_the_name_of_an_open_file_is_written_to(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        write_text(Path(f"/proc/self/fd/{file.fileno()}"), "a line\n")

    assert (tmp_path / "open").read_text() == "a line\n"
