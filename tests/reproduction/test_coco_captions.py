"""COCO sets from annotation files: words, parts by image, and nothing held out in training."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import Answer

from sda.errors import UserError
from sda.reproduction import coco_captions
from sda.reproduction.coco_captions import (
    Sizes,
    as_line,
    nltk_words,
    read_captions,
    split_captions,
    write_split,
)

Command = Callable[..., Answer]
SMALL = Sizes(test=4, aside=2, valid=4, train=6)


def annotations(path: Path, images: dict[int, list[str]]) -> Path:
    """A file such as captions_val2014.json; the last caption has the smallest id."""
    entries = [
        {"image_id": image, "id": 1000 * image - place, "caption": text}
        for image, texts in images.items()
        for place, text in enumerate(texts)
    ]
    path.write_text(json.dumps({"info": {}, "images": [], "annotations": entries}))
    return path


def pictures(count: int, each: int = 2) -> dict[int, list[str]]:
    return {n: [f"A dog runs , {n} and {m} ." for m in range(each)] for n in range(1, count + 1)}


@pytest.mark.parametrize(
    ("caption", "line"),
    [
        ("A man's dog.", "a man 's dog ."),
        ('A sign reads "STOP".', 'a sign reads " stop " .'),
        ("He cannot see.\n", "he can not see ."),
        # Only the end of a caption is the end of a sentence.
        ("A bus. It is red", "a bus. it is red"),
        ("Two dogs", None),
        ("a " * 31, " ".join("a" * 31)),
        ("a " * 32, None),
    ],
)
def test_words_of_a_caption(caption: str, line: str | None) -> None:
    assert as_line(caption, nltk_words()) == line


def test_captions_stand_by_their_ids_whichever_file_comes_first(tmp_path: Path) -> None:
    one = annotations(tmp_path / "one.json", {7: ["second", "first"], 3: ["only"]})
    two = annotations(tmp_path / "two.json", {5: ["other"]})
    found = read_captions([one, two])

    assert found == {3: ["only"], 5: ["other"], 7: ["first", "second"]}
    assert list(found) == [3, 5, 7] == list(read_captions([two, one]))
    assert read_captions([one, one]) == read_captions([one])


@given(st.integers(0, 6))
def test_every_image_is_in_one_part(more: int) -> None:
    images = pictures(9 + more)
    split = split_captions(images, str.split, SMALL)

    sets = [{line.split()[4] for line in part} for part in (split.train, split.valid, split.test)]
    assert [len(split.train), len(split.valid), len(split.test)] == [6, 4, 4]
    assert sum(map(len, sets)) == len(set.union(*sets))
    assert split == split_captions(images, str.split, SMALL)


def test_nothing_held_out_is_trained_on() -> None:
    images = pictures(30)
    split = split_captions(images, str.split, SMALL)
    held = split.test[0]
    # The same letters under another image, with another full stop.
    for image in list(images):
        images[image].append(held.replace(" .", " !"))
    again = split_captions(images, str.split, SMALL)
    letters = {line.rstrip(" .!") for line in again.test}

    assert not letters & {line.rstrip(" .!") for line in (*again.train, *again.valid)}
    assert held.rstrip(" .!") in letters
    others = again.train[:2]
    assert not set(others) & set(split_captions(images, str.split, SMALL, others).train)


def test_too_few_captions_are_one_sentence() -> None:
    with pytest.raises(UserError, match=r"16 of 3 to 31 words leave 6 for training, which takes 7"):
        split_captions(pictures(8), str.split, Sizes(4, 2, 4, 7))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "no list 'annotations'"),
        ('{"annotations": []}', "no list 'annotations'"),
        ('{"annotations": [{"id": 1, "caption": "a"}]}', "entry 1 of 'annotations' is no caption"),
        ('{"annotations": [3]}', "entry 1 of 'annotations' is no caption"),
    ],
)
def test_a_file_of_another_kind_is_one_sentence(content: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "instances.json"
    path.write_text(content)
    with pytest.raises(UserError, match=words) as caught:
        read_captions([path])
    assert str(path) in str(caught.value)


def test_files_and_their_hashes(tmp_path: Path) -> None:
    split = split_captions(pictures(12), str.split, SMALL)
    found = write_split(split, tmp_path)

    assert [(path.name, lines) for path, lines, _ in found] == [
        ("train.txt", 6),
        ("valid.txt", 4),
        ("test.txt", 4),
    ]
    for path, lines, digest in found:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
        assert path.read_bytes().count(b"\n") == lines
    assert (tmp_path / "coco" / "test.txt").read_text().splitlines() == split.test


def test_the_command_makes_files_and_says_what_they_are_not(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coco_captions, "Sizes", lambda: SMALL)
    file = annotations(tmp_path / "captions.json", pictures(12))
    out = tmp_path / "DATA"
    answer = command("data", "build", "coco", "--from", file, "--out", out)

    assert (answer.code, answer.err) == (0, "")
    *files, last = answer.out.splitlines()
    assert [line.partition(":")[0] for line in files] == [
        str(out / "coco" / f"{name}.txt") for name in ("train", "valid", "test")
    ]
    assert all("lines, sha256 " in line for line in files)
    assert last.startswith("These are not the files of the ledger") and "--results" in last
    before = {path: path.read_bytes() for path in out.rglob("*.txt")}
    assert command("data", "build", "coco", "--from", file, "--out", out).out == answer.out
    assert {path: path.read_bytes() for path in out.rglob("*.txt")} == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["build", "coco"], "--from is missing"),
        (["build", "emnlp", "--from", "a.json"], "only coco can be built"),
        (["build", "coco", "--from", "nowhere.json"], "nowhere.json"),
        (["one", "two"], "name one folder"),
        (["one", "--from", "a.json"], "are for building"),
        (["build", "coco", "--from", "a.json", "--json", "b.json"], "for the check of a folder"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[Any], words: str, command: Command, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = command("data", *arguments)

    assert answer.code == 2 and answer.out == ""
    assert words in answer.err and answer.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
