"""Runs side by side have to be about one text."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.runs.origin import refuse_mixed
from sda.runs.run import Run

Changed = Callable[[str, str], Run]


@pytest.fixture
def changed(toy_run: Run, tmp_path: Path) -> Changed:
    """A copy of the run on the toy file that says that it had another line in its settings."""

    def change(pattern: str, line: str) -> Run:
        folder = tmp_path / f"copy-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(toy_run.path, folder)
        config = folder / "config.toml"
        text, count = re.subn(rf"^{pattern}.*$", line, config.read_text(), count=1, flags=re.M)
        assert count == 1
        config.write_text(text)
        return Run(folder)

    return change


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("seed = ", "seed = 7"),
        ("method = ", 'method = "rl"'),
        ("limit = ", "limit = 30"),
    ],
)
def test_what_may_differ(pattern: str, line: str, toy_run: Run, changed: Changed) -> None:
    refuse_mixed([toy_run, changed(pattern, line)])


@pytest.mark.parametrize(
    ("pattern", "line", "words"),
    [
        ("source = ", 'source = "other.txt"', "source is 'other.txt' there and"),
        ("lowercase = ", "lowercase = true", "data.lowercase is True there and False in"),
        ("# test is not set", 'test = "test.txt"', "data.test is 'test.txt' there and None in"),
        ("length = ", "length = 7", "embedded.length is 7 there and"),
    ],
)
def test_what_may_not_differ(
    pattern: str, line: str, words: str, toy_run: Run, changed: Changed
) -> None:
    other = changed(pattern, line)

    with pytest.raises(UserError, match=re.escape(f"{other.path}: {words}")):
        refuse_mixed([toy_run, toy_run, other])


def test_two_ways_of_writing_a_path(
    toy_run: Run, changed: Changed, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(toy_run.settings.source)
    monkeypatch.chdir(source.parent)
    short = changed("source = ", f'source = "./{source.name}"')

    refuse_mixed([toy_run, short])


def test_one_run_is_about_one_text(captions_run: Run) -> None:
    refuse_mixed([captions_run])
