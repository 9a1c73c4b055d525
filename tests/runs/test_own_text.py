"""Texts that come as a list are the run's own: it is resumed, scored and moved with them."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny import tiny_table, toy_lines

import sda
from sda.runs.origin import refuse_mixed
from sda.runs.own_text import as_lines


def train(source: Any, out: Path, **more: Any) -> sda.Run:
    choices = {"profile": "smoke", "method": "best-of-n", "settings": tiny_table(), **more}
    return sda.train(source, out, **choices)


def one_by_one() -> Iterator[str]:
    yield from toy_lines()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> sda.Run:
    return train(toy_lines(), tmp_path_factory.mktemp("own") / "run")


def test_a_list_an_iterator_and_a_file_are_one_text(
    run: sda.Run, toy_file: Path, tmp_path: Path
) -> None:
    others = [train(one_by_one(), tmp_path / "iterator"), train(toy_file, tmp_path / "file")]

    for other in others:
        assert other.folder.samples.read_text() == run.folder.samples.read_text()
        assert other.scores() == run.scores()
    refuse_mixed([run, *others])
    assert run.folder.text.read_text().splitlines() == toy_lines()
    assert run.settings.source == str(run.path / "text.txt")


def test_the_run_can_be_moved(run: sda.Run, tmp_path: Path) -> None:
    moved = sda.Run(shutil.copytree(run.path, tmp_path / "elsewhere"))

    assert 'source = "run:text.txt"' in moved.folder.config.read_text()
    assert moved.settings.source == str(tmp_path / "elsewhere" / "text.txt")
    assert moved.sample(5) == run.sample(5)


def test_the_run_can_be_resumed(run: sda.Run, tmp_path: Path) -> None:
    def halt(line: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(toy_lines(), out, callbacks=[halt])
    assert sorted(path.name for path in out.iterdir() if path.name.startswith(".")) == [".lock"]
    with pytest.raises(sda.UserError, match=r"text\.txt: the run there began with other texts"):
        train(toy_lines()[1:], out, resume=True)
    # The process may have died before the texts had their name.
    (out / "text.txt").unlink()
    assert train(toy_lines(), out, resume=True).sample(5) == run.sample(5)
    # The file is as good as the list.
    assert train(out / "text.txt", out, resume=True).sample(5) == run.sample(5)


def test_a_mistake_leaves_no_text(tmp_path: Path) -> None:
    with pytest.raises(sda.UserError, match="hiden"):
        train(toy_lines(), tmp_path / "run", settings={"generator": {"hiden": 3}})
    assert not (tmp_path / "run").exists()


def test_a_text_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("mine\n")
    with pytest.raises(sda.UserError, match=r"not empty and not a run \(it holds text\.txt\)"):
        train(toy_lines(), tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]
    assert (tmp_path / "text.txt").read_text() == "mine\n"


def test_a_run_on_a_list_may_be_the_start_of_another(run: sda.Run, tmp_path: Path) -> None:
    settings = {**tiny_table(), "start": str(run.path)}
    second = train(toy_lines(), tmp_path / "second", settings=settings)

    assert second.sample(5) == run.sample(5) and second.scores() == run.scores()
    words = r"its Stage I has source = '.*text\.txt', not 'the list of texts'"
    with pytest.raises(sda.UserError, match=words):
        train(toy_lines()[1:], tmp_path / "other", settings=settings)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["a" * 100_001] * 3, "^the list of texts: no sentence is left .*3 longer than 100,000 ch"),
        (["a b c"] * 3, "^the list of texts: 1 distinct sentences are left where 10 are needed"),
    ],
    ids=["long", "few"],
)
def test_trouble_with_texts_names_no_file(texts: list[str], words: str, tmp_path: Path) -> None:
    with pytest.raises(sda.UserError, match=words):
        train(texts, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_is_no_text() -> None:
    assert as_lines(["a b", "c\nd\r\ne"]) == ["a b", "c d e"]
    with pytest.raises(sda.UserError, match="text 2 is 3, not a string"):
        as_lines(["a", 3])
    with pytest.raises(sda.UserError, match="there are no texts"):
        as_lines(iter(()))
    with pytest.raises(sda.UserError, match="text 2 holds a NUL character"):
        as_lines(["a", "b\0c"])
    with pytest.raises(sda.UserError, match=r"text 1 holds half a character \(U\+D83D\) at posit"):
        as_lines(["b \ud83d", "a"])
