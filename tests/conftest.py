"""A seeded rng, a ten-word vocabulary, a toy corpus, finished runs and the command line.

Classes and functions are in `fakes` and `tiny`.
"""

import inspect
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

# numpy reads this once. Its threads wait by turning in circles, and where test processes share the
# cores, most of the time goes there.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest
import torch
from fakes import seeded
from tiny import Answer, train_tiny, write_toy

from sda.cli import main
from sda.runs.run import Run
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary

# A shell has what it runs in the background ignore Ctrl-C, and with it every command that a test
# would interrupt.
is_main = threading.current_thread() is threading.main_thread()
if is_main and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Models this small are slower on several threads, and test processes share the machine.
torch.set_num_threads(1)

# The first example of a test may compile functions; time says nothing about correctness here.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# These train a run of their own.
TRAINING = {"train_tiny", "train_run", "from_start", "do_job"}
# These are trained once a process, for all tests that look at them.
SHARED_RUNS = {"toy_run", "captions_run"}


# Whole commands, runs, drawings and tables of the ledger, and steps of training by the dozen: a
# second or two each, and there are hundreds.
LONG = (
    "runs",
    "reproduction",
    "test_cli.py",
    "test_cli_errors.py",
    "test_resume.py",
    "test_strangers.py",
    "test_damaged.py",
    "test_textbook.py",
    "test_textbook_leak.py",
    "evaluation/test_dominance.py",
    "show/test_curve_page.py",
    "show/test_plane_figure.py",
    "show/test_run_page.py",
    "training/test_leak_state.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What trains a run of its own, and all of `LONG`, is slow: `make check` leaves it out."""
    here = Path(__file__).parent
    for item in items:
        file = item.path.relative_to(here)
        is_long = file.as_posix() in LONG or file.parts[0] in LONG
        if is_long or (isinstance(item, pytest.Function) and any(map(_trains, _sources(item)))):
            item.add_marker(pytest.mark.slow)


def _sources(item: pytest.Function) -> Iterator[Callable[..., Any]]:
    """The test, and what makes its fixtures."""
    yield item.function
    for name, definitions in item._fixtureinfo.name2fixturedefs.items():
        if name not in SHARED_RUNS:
            yield from (definition.func for definition in definitions)


@cache
def _trains(function: Callable[..., Any]) -> bool:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and any(
        not TRAINING.isdisjoint(names) or {"sda", "train"} <= names for names in _names(code)
    )


def _names(code: CodeType) -> Iterator[set[str]]:
    """What a function names, and what the functions within it do."""
    yield set(code.co_names)
    for within in code.co_consts:
        if isinstance(within, CodeType):
            yield from _names(within)


TRAIN = (
    "the cat sat",
    "the dog sat",
    "a cat ran home",
    "a dog ran home",
    "the cat ran",
    "a dog sat here",
    "the dog ran home",
    "a cat sat here",
    "the big cat sat",
    "the big dog ran home",
)
VALID = ("the cat ran home", "a dog sat", "the dog sat here")


@pytest.fixture
def rng() -> torch.Generator:
    return seeded(7)


@pytest.fixture
def vocabulary() -> WordVocabulary:
    """Ten ids: the end symbol, 0, and nine words."""
    words = ("the", "a", "cat", "dog", "sat", "ran", "home", "here", "big")
    return WordVocabulary(words, has_unknown=False, tokenizer=WhitespaceTokenizer())


@pytest.fixture
def corpus(vocabulary: WordVocabulary) -> Corpus:
    """Ten training and three validation sentences of three to five words."""

    def encoded(lines: tuple[str, ...]) -> Sentences:
        return vocabulary.encode(lines)

    return Corpus(vocabulary, encoded(TRAIN), encoded(VALID), max_length=6)


@pytest.fixture(scope="session")
def toy_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty sentences in a text file."""
    return write_toy(tmp_path_factory.mktemp("toy") / "toy.txt")


@pytest.fixture(scope="session")
def toy_run(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run on the toy file; read it, and change only copies of its folder."""
    return train_tiny(toy_file, tmp_path_factory.mktemp("toy-run") / "run", draws=True)


@pytest.fixture(scope="session")
def captions_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run on captions; read it, and change only copies of its folder."""
    return train_tiny("captions", tmp_path_factory.mktemp("captions-run") / "run", draws=True)


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Answer]:
    """Call the command line in this process, as the installed script does."""

    def call(*arguments: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["sda", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
            code: object = 0
        except SystemExit as end:
            code = end.code or 0
        return Answer(code, *capsys.readouterr())

    return call
