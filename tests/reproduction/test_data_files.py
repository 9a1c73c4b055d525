"""The table of data files is sound, told in the documents, and told from what a folder holds."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import Answer

from sda.errors import UserError
from sda.reproduction import data_files
from sda.reproduction.data_files import (
    DataFile,
    Finding,
    State,
    by_origin,
    check_file,
    known_files,
    require,
)

Command = Callable[..., Answer]
PAGE = Path(__file__).parents[2] / data_files.PAGE
EXPERIMENTS = {
    "synthetic20": {"oracle"},
    "coco": {"coco"},
    "size": {"coco"},
    "imitation": {"coco"},
    "recommended-coco": {"coco"},
    "recommended-checked": {"coco"},
    "emnlp": {"emnlp_news"},
    "grammar": {"emnlp_news"},
    "memorization": {"emnlp_news"},
    "vocabulary": {"emnlp_news"},
    "repetition": {"emnlp_news"},
    "recommended-news": {"emnlp_news"},
    "samples": {"coco"},
    "transfer": {"yelp"},
}
TEXT = b"a cat sat\na dog ran\n"
# By `sha256sum` on the two lines above.
HASH = "67663c5452a6c55e865dd5e88b28cd73653fa94c329c38320eb353263a85c873"


def described(path: str, content: bytes, origin: str = "someone/cats, cats.txt") -> DataFile:
    return DataFile(
        path=path,
        what="test set",
        bytes=len(content),
        lines=content.count(b"\n"),
        sha256=hashlib.sha256(content).hexdigest(),
        origin=origin,
        made="as it is",
        licence="MIT",
        experiments=("coco",),
    )


@pytest.fixture
def cats(tmp_path: Path) -> DataFile:
    """A file that is there as it should be."""
    (tmp_path / "cats").mkdir()
    (tmp_path / "cats" / "test.txt").write_bytes(TEXT)
    return described("cats/test.txt", TEXT)


def test_the_table_is_sound() -> None:
    files = known_files()

    assert len({file.path for file in files}) == len({file.sha256 for file in files}) == 54
    for file in files:
        assert re.fullmatch(r"[a-z_0-9/]+\.(txt|npz|neg|pos)", file.path)
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert (file.lines is None) == file.path.endswith(".npz")
        # A line has two characters and its end at least, on average.
        assert file.bytes > 3 * (file.lines or 0)
    assert len(by_origin(files)) == len({file.origin for file in files})


def test_each_experiment_knows_its_folders() -> None:
    found: dict[str, set[str]] = {}
    for file in known_files():
        for experiment in file.experiments:
            found.setdefault(experiment, set()).add(file.path.partition("/")[0])

    assert found == EXPERIMENTS


def test_the_page_has_the_rows_of_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [
        f"| `{file.path}` | {file.what} | {'-' if file.lines is None else f'{file.lines:,}'}"
        f" | {file.bytes:,} | `{file.sha256}` |"
        for file in known_files()
    ]

    assert re.findall(r"^\| `.*", page, re.MULTILINE) == rows


def test_the_page_says_where_each_file_comes_from() -> None:
    told = re.findall(
        r"^- From: (.*)\n- Made so: (.*)\n- Licence: (.*)\n- For: (.*)$",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    firsts = [group[0] for group in by_origin(known_files())]

    assert told == [(file.origin, file.made, file.licence, file.purpose) for file in firsts]
    assert {file.purpose for file in firsts if file.path.startswith("published_samples/")} == {
        "no run, only to compare with"
    }


def test_a_file_that_is_right(cats: DataFile, tmp_path: Path) -> None:
    assert cats.sha256 == HASH
    finding = check_file(tmp_path, cats)

    assert finding == Finding(cats, State.PRESENT, 20)
    assert not finding.is_wrong


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_file_that_is_missing(folder: str, tmp_path: Path) -> None:
    finding = check_file(tmp_path / folder, described("cats/test.txt", TEXT))

    assert (finding.state, finding.bytes) == (State.MISSING, None)
    assert not finding.is_wrong
    assert str(finding) == "cats/test.txt is missing"


def test_a_file_of_another_size(cats: DataFile, tmp_path: Path) -> None:
    (tmp_path / cats.path).write_bytes(TEXT.replace(b"\n", b"\r\n"))
    finding = check_file(tmp_path, cats)

    assert (finding.state, finding.bytes) == (State.OTHER_SIZE, 22)
    assert finding.is_wrong
    assert str(finding) == "cats/test.txt has 22 bytes and not 20"


@given(place=st.integers(0, len(TEXT) - 1), change=st.integers(1, 255))
def test_one_changed_byte_is_seen(
    place: int, change: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("changed")
    content = bytearray(TEXT)
    content[place] ^= change
    (folder / "test.txt").write_bytes(content)
    finding = check_file(folder, described("test.txt", TEXT))

    assert finding == Finding(finding.file, State.OTHER_CONTENT, len(TEXT))
    assert finding.is_wrong


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "test.txt").mkdir()

    with pytest.raises(UserError, match=r"test\.txt: Is a directory"):
        check_file(tmp_path, described("test.txt", TEXT))
    (tmp_path / "plain").write_bytes(TEXT)
    with pytest.raises(UserError, match=r"plain/test\.txt: Not a directory"):
        check_file(tmp_path / "plain", described("test.txt", TEXT))


def test_require_is_silent_where_files_are(tmp_path: Path) -> None:
    paths = [file.path for file in known_files() if "emnlp" in file.experiments]
    for path in paths:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(b"a sentence of one's own\n")

    require(tmp_path, paths)
    require(tmp_path / "nowhere", [])


def test_require_names_all_that_is_missing_at_once(tmp_path: Path) -> None:
    (tmp_path / "coco").mkdir()
    (tmp_path / "coco" / "train.txt").write_bytes(TEXT)
    paths = ["coco/train.txt", "coco/valid.txt", "coco/test.txt", "oracle/oracle_lstm.npz"]

    with pytest.raises(UserError) as caught:
        require(tmp_path, paths)
    assert str(caught.value) == (
        f"{tmp_path}: missing coco/valid.txt, coco/test.txt (from tylin/coco-caption, all captions"
        " of val2014, from its history); oracle/oracle_lstm.npz (from LantaoYu/SeqGAN,"
        " save/target_params_py3.pkl); docs/data.md says how to make them"
    )


def test_require_knows_its_table_only(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="dogs"):
        require(tmp_path, ["coco/dogs.txt"])


def test_the_command_on_an_empty_folder(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = command("data")

    assert (answer.code, answer.err) == (0, "")
    assert "Files of the experiments in data" in answer.out
    assert "0 of 54 files are there as they should be; docs/data.md says how" in answer.out
    for file in known_files():
        assert file.path in answer.out
        assert f"from: {file.origin}\n" in answer.out
        assert f"needed for: {file.purpose}\n" in answer.out


def test_the_command_on_a_folder_that_is_right(
    command: Command, cats: DataFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_files, "known_files", lambda: [cats])
    answer = command("data", tmp_path, "--json", tmp_path / "found.json")

    assert (answer.code, answer.err) == (0, "")
    assert answer.out.endswith("1 of 1 files are there as they should be.\n")
    assert "missing" not in answer.out
    (row,) = json.loads((tmp_path / "found.json").read_text())
    assert (row["path"], row["state"], row["found_bytes"]) == ("cats/test.txt", "present", 20)
    assert (row["sha256"], row["lines"], row["experiments"]) == (HASH, 2, ["coco"])


def test_the_command_on_files_that_differ(
    command: Command, cats: DataFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = described("short.txt", TEXT)
    (tmp_path / "short.txt").write_bytes(TEXT[:-1])
    other = described("other.txt", TEXT)
    (tmp_path / "other.txt").write_bytes(TEXT.upper())
    nowhere = described("nowhere.txt", TEXT, "someone/dogs")
    monkeypatch.setattr(data_files, "known_files", lambda: [cats, short, other, nowhere])
    answer = command("data", tmp_path, "--json", tmp_path / "found.json")

    assert answer.code == 2
    assert answer.err == (
        f"sda: {tmp_path}: short.txt has 19 bytes and not 20; other.txt has the right size and"
        " another content; figures on other files are not those of docs/results\n"
    )
    assert "1 of 4 files" in answer.out
    assert "missing: nowhere.txt\n" in answer.out
    assert "from: someone/dogs\n" in answer.out
    states = [row["state"] for row in json.loads((tmp_path / "found.json").read_text())]
    assert states == ["present", "another size", "another content", "missing"]
