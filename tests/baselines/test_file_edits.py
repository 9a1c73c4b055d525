"""`sda eda`: each line and its new versions, the same for the same seed, or one clear sentence."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import Answer, contents, toy_lines

from sda.baselines import file_edits as augmentation
from sda.baselines.file_edits import Counts, Recipe, augment_file

Command = Callable[..., Answer]


def quiet(what: str, done: int, total: int) -> None:
    pass


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.txt"
    path.write_text("cat\tkitty\ndog\thound cat\nsat\trested\n", encoding="utf-8")
    return path


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("method", ["eda", "synonyms", "neighbours"])
def test_each_line_and_its_versions(
    method: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.txt"
    arguments = ("eda", toy_file, "-o", out, "--method", method, "--seed", 3)
    answer = command(*arguments)

    assert answer.code == 0
    assert answer.err == ""
    assert answer.out.startswith(f"{out}: 80 lines and 320 new ones, ")
    written = lines_of(out)
    assert written[::5] == toy_lines()
    changed = sum(written[n] != written[n - n % 5] for n in range(400))
    assert changed >= 0.9 * 320
    assert f"{100 * changed / 320:.1f} % of them changed" in answer.out
    before = out.read_bytes()
    assert command(*arguments).code == 0
    assert out.read_bytes() == before
    assert command(*arguments[:-1], 4).code == 0
    assert out.read_bytes() != before


def test_words_from_their_context(
    command: Command, toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = augmentation.fit_context
    monkeypatch.setattr(
        augmentation, "fit_context", lambda *args, **more: fit(*args, updates=20, **more)
    )
    out = tmp_path / "out.txt"
    answer = command("eda", toy_file, "-o", out, "--method", "contextual", "--alpha", 0.4)

    assert answer.code == 0
    for number, line in enumerate(lines_of(out)):
        source = toy_lines()[number // 5].split()
        changed = sum(a != b for a, b in zip(line.split(), source, strict=True))
        assert changed == (0 if number % 5 == 0 else 2)


def test_a_table_of_ones_own_within_and_beyond_the_vocabulary(
    command: Command, tmp_path: Path, table: Path
) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("the cat sat\n\n the  dog sat \n", encoding="utf-8")
    shared = ("eda", source, "-o", out, "--operations", "replace", "--synonyms", table)

    assert command(*shared, "--per-sentence", 20).code == 0
    written = lines_of(out)
    assert (written[0], written[21]) == ("the cat sat", "the dog sat")
    assert set(written[1:21]) == {"the kitty sat", "the cat rested"}
    assert set(written[22:]) == {"the hound sat", "the cat sat", "the dog rested"}

    assert command(*shared, "--in-vocabulary", "--per-sentence", 3).code == 0
    assert lines_of(out) == ["the cat sat"] * 4 + ["the dog sat"] + ["the cat sat"] * 3


def test_other_kinds_of_files_and_tokens(command: Command, tmp_path: Path, table: Path) -> None:
    source, out = tmp_path / "in.jsonl.gz", tmp_path / "out.txt"
    source.write_bytes(gzip.compress(json.dumps({"text": 'A "CAT".'}).encode()))
    options = ("--operations", "replace", "--synonyms", table, "--per-sentence", 1)
    shared = ("eda", source, "-o", out, "--field", "text", "--lower", "--tokenizer", "words")

    assert command(*shared, *options).code == 0
    assert lines_of(out) == ['a "cat".', 'a "kitty".']


@pytest.mark.parametrize("method", ["eda", "synonyms"])
def test_portions_do_not_show(
    method: str, toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once, in_parts = tmp_path / "a.txt", tmp_path / "b.txt"
    assert augment_file(toy_file, at_once, Recipe(method), quiet)[:2] == Counts(80, 320, 0)[:2]
    monkeypatch.setattr(augmentation, "_WORDS_AT_A_TIME", 100)
    told: list[tuple[str, int, int]] = []
    augment_file(toy_file, in_parts, Recipe(method), lambda *at: told.append(at))

    assert at_once.read_bytes() == in_parts.read_bytes()
    assert told[:2] == [("writing", 4, 80), ("writing", 8, 80)]
    assert told[-1] == ("writing", 80, 80)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--alpha", 0), "--alpha must be above 0 and at most 1, not 0.0"),
        (("--alpha", 1.1), "--alpha must be above 0"),
        (("--alpha", "nan"), "--alpha must be above 0"),
        (("--operations", "swap,swop"), "--operations: 'swop' is none of replace, insert"),
        (("--operations", ""), "--operations: '' is none of"),
        (("--operations", "swap", "--method", "synonyms"), "--operations means nothing to"),
        (("--alpha", 0.2, "--method", "synonyms"), "--alpha means nothing to --method synonyms"),
        (("--synonyms", "t.txt", "--method", "neighbours"), "--synonyms means nothing to"),
        (("--synonyms", "nowhere.txt"), "nowhere.txt does not exist"),
    ],
)
def test_options_that_contradict(
    arguments: tuple[object, ...], words: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    answer = command("eda", toy_file, "-o", tmp_path / "out.txt", *arguments)

    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("sda: ")
    assert answer.err.count("\n") == 1
    assert words in answer.err
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("content", "more", "words"),
    [
        (None, (), "in.txt does not exist"),
        (b"", (), "in.txt is empty"),
        (b"\n \n", (), "in.txt: all lines are blank"),
        (b"good line\nbad \xff\n", (), "in.txt, line 2"),
        (b"zzz qqq\n", ("--method", "synonyms"), "none of its 2 words has a synonym"),
        (b"zzz qqq\n", ("--operations", "insert,replace"), "none of its 2 words has a synonym"),
        (b"zzz qqq\n", ("--method", "neighbours"), "too few words for neighbours"),
        (b"zzz qqq\n", ("--method", "contextual"), "fewer than two words of letters occur 5 times"),
    ],
)
def test_files_that_cannot_be_augmented_leave_the_target_as_it_was(
    content: bytes | None,
    more: tuple[str, ...],
    words: str,
    command: Command,
    tmp_path: Path,
) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    if content is not None:
        source.write_bytes(content)
    out.write_text("as it was\n", encoding="utf-8")
    before = contents(tmp_path)
    answer = command("eda", source, "-o", out, *more)

    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert words in answer.err
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("in.txt", "is the file that is read"),
        ("out.txt.gz", "plain text is written"),
        ("out.csv", "plain text is written"),
        ("none/out.txt", "there is no folder"),
        ("folder", "is a folder"),
    ],
)
def test_targets_that_cannot_be_written(
    target: str, words: str, command: Command, tmp_path: Path
) -> None:
    source = tmp_path / "in.txt"
    source.write_text("the cat sat\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    answer = command("eda", source, "-o", tmp_path / target)

    assert (answer.code, answer.out) == (2, "")
    assert words in answer.err
    assert lines_of(source) == ["the cat sat"]


def test_a_stop_halfway_leaves_nothing(toy_file: Path, tmp_path: Path) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        augment_file(toy_file, tmp_path / "out.txt", Recipe(), interrupt)
    assert contents(tmp_path) == {}


def test_a_file_that_changes_is_noticed(
    tmp_path: Path, toy_file: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    survey = augmentation._survey
    source = tmp_path / "in.txt"
    source.write_text("the cat sat\n", encoding="utf-8")

    def and_change(*arguments: Any) -> object:
        found = survey(*arguments)
        source.write_text("the zebra sat\n", encoding="utf-8")
        return found

    monkeypatch.setattr(augmentation, "_survey", and_change)
    # Only a file that is read line by line is read twice.
    answer = command("eda", source, "--lower", "-o", tmp_path / "out.txt")
    assert answer.code == 2
    assert "changed while it was read" in answer.err
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("method", ["eda", "synonyms", "neighbours"])
def test_a_file_read_at_once_gives_what_its_lines_give(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, out = tmp_path / "in.txt", tmp_path / "out.txt"
    lines = [*toy_lines(), "", "  a \t good\x1f dog über 中文 ", *toy_lines()[:7]]
    text.write_bytes("\r\n".join(lines).encode())
    monkeypatch.setattr(augmentation, "_WORDS_AT_A_TIME", 100)
    recipe = Recipe(method=method, per_sentence=3)
    found = []
    for quick in (augmentation.read_quickly, lambda _: None):
        monkeypatch.setattr(augmentation, "read_quickly", quick)
        found.append((augment_file(text, out, recipe, lambda *_: None), out.read_bytes()))

    assert found[0] == found[1] and "über" in found[0][1].decode()
