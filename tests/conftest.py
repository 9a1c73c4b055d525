"""A seeded rng, a ten-word vocabulary, a toy corpus, finished runs and the command line.

Classes and functions are in `fakes` and `tiny`. Fixtures import what they need: the process that
only hands out tests to others reads this file too, and torch would keep it busy for seconds.
"""

from __future__ import annotations

import gc
import inspect
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any
from unittest import mock

# numpy reads this once. Its threads wait by turning in circles, and where test processes share the
# cores, most of the time goes there.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest

if TYPE_CHECKING:
    import torch
    from tiny import Answer

    from sda.runs.run import Run
    from sda.text.corpus import Corpus
    from sda.text.sentences import Sentences
    from sda.text.vocabulary import WordVocabulary

# A shell has what it runs in the background ignore Ctrl-C, and with it every command that a test
# would interrupt.
is_main = threading.current_thread() is threading.main_thread()
if is_main and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The first example of a test may compile functions; time says nothing about correctness here.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.register_profile("quick", deadline=None, max_examples=25)
hypothesis.settings.load_profile("untimed")

# These train a run of their own.
TRAINING = {"train_tiny", "train_run", "from_start", "do_job"}
# These are trained once a process, for all tests that look at them.
SHARED_RUNS = {"toy_run", "drawn_run", "captions_run"}


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
    "pretrained/test_imports.py",
    "show/test_curve_page.py",
    "show/test_plane_figure.py",
    "show/test_run_page.py",
    "training/test_fitting.py",
    "training/test_judging.py",
    "training/test_leak_state.py",
    "transfer/test_rewriting_runs.py",
    "transfer/test_rewriting_tutorial.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What trains a run of its own, and all of `LONG`, is slow: `make check` leaves it out."""
    here = Path(__file__).parent
    for item in items:
        file = item.path.relative_to(here)
        is_long = file.as_posix() in LONG or file.parts[0] in LONG
        if is_long or (isinstance(item, pytest.Function) and any(map(_trains, _sources(item)))):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Every process that runs tests computes on one thread, and forgets nothing that it imported.

    Models this small are slower on several threads, and test processes share the machine. A million
    objects of other packages are looked through for rubbish no more.
    """
    import torch

    torch.set_num_threads(1)
    gc.freeze()


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
    from fakes import seeded

    return seeded(7)


@pytest.fixture
def vocabulary() -> WordVocabulary:
    """Ten ids: the end symbol, 0, and nine words."""
    from sda.text.tokens import WhitespaceTokenizer
    from sda.text.vocabulary import WordVocabulary

    words = ("the", "a", "cat", "dog", "sat", "ran", "home", "here", "big")
    return WordVocabulary(words, has_unknown=False, tokenizer=WhitespaceTokenizer())


@pytest.fixture
def corpus(vocabulary: WordVocabulary) -> Corpus:
    """Ten training and three validation sentences of three to five words."""
    from sda.text.corpus import Corpus

    def encoded(lines: tuple[str, ...]) -> Sentences:
        return vocabulary.encode(lines)

    return Corpus(vocabulary, encoded(TRAIN), encoded(VALID), max_length=6)


@pytest.fixture(scope="session")
def toy_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty sentences in a text file."""
    from tiny import write_toy

    return write_toy(tmp_path_factory.mktemp("toy") / "toy.txt")


@pytest.fixture(scope="session")
def toy_run(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run on the toy file; read it, and change only copies of its folder."""
    from tiny import train_tiny

    return train_tiny(toy_file, tmp_path_factory.mktemp("toy-run") / "run")


@pytest.fixture(scope="session")
def drawn_run(toy_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same with drawings in its report; read it, and change only copies of its folder."""
    from tiny import drawn

    from sda.runs.report import write_report
    from sda.runs.run import Run

    run = Run(shutil.copytree(toy_run.path, tmp_path_factory.mktemp("drawn-run") / "run"))
    with drawn():
        write_report([run], run.folder.report)
    return run


@pytest.fixture(scope="session")
def captions_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run on captions; read it, and change only copies of its folder."""
    from tiny import train_tiny

    return train_tiny("captions", tmp_path_factory.mktemp("captions-run") / "run")


@pytest.fixture(scope="session", autouse=True)
def reports_without_drawings() -> Iterator[None]:
    """Reports have no drawings unless a test asks for them."""
    from tiny import undrawn

    with undrawn():
        yield


@pytest.fixture
def curves_without_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """`sda curve` draws nothing: five planes take five times as long as their points."""
    from sda.show import curve_page

    monkeypatch.setattr(curve_page, "draw_figure", lambda result: ("", b""))
    monkeypatch.setattr(curve_page, "draw_panels", lambda result: [])


@pytest.fixture(scope="session", autouse=True)
def disks_are_not_waited_for() -> Iterator[None]:
    """Files are not forced to the disk: a loss of power is all that would show.

    A tiny run writes 65 times. Tests of what is forced, and when, put their own function there.
    """
    with mock.patch.object(os, "fsync", lambda descriptor: None):
        yield


@pytest.fixture
def drawings() -> Iterator[None]:
    """Reports have drawings."""
    from tiny import drawn

    with drawn():
        yield


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Training runs on a device that is not there."""
    from pretend import DEVICE, PretendDevice

    monkeypatch.setattr("sda.runs.train.find_device", lambda _: DEVICE)
    monkeypatch.setattr("sda.runs.run.same_device_or_cpu", lambda _: DEVICE)
    with PretendDevice():
        yield


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Answer]:
    """Call the command line in this process, as the installed script does."""
    from tiny import Answer

    from sda.cli import main

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
