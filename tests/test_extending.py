"""What `docs/extending.md` shows can be copied from the page: the generator keeps all promises, and
the baseline trains."""

import importlib
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from contracts import test_generators as contract
from fakes import seeded
from test_docs import ROOT, blocks
from tiny import train_tiny

from sda.errors import UserError
from sda.models.generator import Frame, Generator
from sda.runs.components import build
from sda.runs.run import Run
from sda.settings.layers import Choices
from sda.settings.vouched import Vouched
from sda.training import step_kinds

PAGE = ROOT / "docs" / "extending.md"
PROMISES = [
    value
    for name, value in vars(contract).items()
    if name.startswith("test_") and [*inspect.signature(value).parameters] == ["generator"]
]


def saved(folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> Path:
    """The folder with these files in it, where Python looks for modules."""
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(folder)
    importlib.invalidate_caches()
    return folder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the page says to save, where Python looks for modules."""
    module, *_ = blocks(PAGE, "python")
    settings, *_ = blocks(PAGE, "toml")
    return saved(tmp_path, monkeypatch, {"fading.py": module, "fading.toml": settings})


def test_the_files_go_by_the_names_on_the_page(place: Path) -> None:
    text = PAGE.read_text()

    for file in place.iterdir():
        assert f"ave {'it' if file.suffix == '.py' else 'this'} as `{file.name}`" in text


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_the_generator_keeps_the_promises(
    promise: Callable[[Generator], None], place: Path
) -> None:
    generator: Generator = build(
        {"use": Vouched("fading:FadingMemory"), "size": 5},
        "generator",
        Generator,
        frame=Frame(contract.WORDS, 0, contract.LONGEST),
        rng=seeded(3),
    )

    promise(generator)


def test_there_are_promises_to_keep() -> None:
    assert len(PROMISES) >= 10


def test_settings_of_the_profile_do_not_get_in_the_way(place: Path) -> None:
    for source in ("captions", "oracle"):
        settings, _ = Choices(source, config=place / "fading.toml").settle()
        assert settings.generator == {"use": "fading:FadingMemory", "size": 64}


def test_a_mistake_in_a_key_lists_the_right_ones(place: Path) -> None:
    with pytest.raises(UserError, match=r"unknown setting 'generator\.sise' .*\bsize, fade\)"):
        build(
            {"use": Vouched("fading:FadingMemory"), "sise": 64},
            "generator",
            Generator,
            frame=Frame(4, 0, 3),
            rng=seeded(0),
        )


@pytest.mark.slow
def test_the_run_of_the_page(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, run, *_ = blocks(PAGE, "python")
    exec(compile(run, "docs/extending.md", "exec"), {})

    assert len(capsys.readouterr().out.splitlines()) == 3
    finished = Run(place / "runs" / "fading", trust=True)
    losses = [line["nll_valid"] for line in finished.progress() if line["stage"] == "mle"]
    assert losses[-1] < losses[0]
    assert {row.name for row in finished.scores()} >= {"mle", "sda"}
    assert type(finished.generator()).__name__ == "FadingMemory"


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the baseline, where Python looks for modules."""
    files = {"smoothing.py": blocks(PAGE, "python")[2], "smoothing.toml": blocks(PAGE, "toml")[1]}
    return saved(tmp_path, monkeypatch, files)


def test_the_baseline_goes_by_the_names_on_the_page(baseline: Path) -> None:
    text = " ".join(PAGE.read_text().split())

    for file in baseline.iterdir():
        assert f"ave {'it' if file.suffix == '.py' else 'this'} as `{file.name}`" in text


@pytest.mark.slow
def test_the_baseline_of_the_page(baseline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(blocks(PAGE, "python")[3], "docs/extending.md", "exec"), {})

    plain, smooth = map(float, capsys.readouterr().out.split())
    assert plain != smooth
    runs = [Run(baseline / "runs" / name) for name in ("plain", "smooth")]
    assert runs[0].progress()[-1]["updates"] == runs[1].progress()[-1]["updates"]
    assert runs[1].settings.objective == {"use": "smoothing:Smoothing", "share": 0.05}


TOPICS = "# Add a generator that writes about something"
STEP = "# Add a kind of step in one place"


def blocks_under(heading: str, language: str) -> list[str]:
    """The blocks of a section of the page."""
    section = PAGE.read_text().partition(f"\n{heading}\n")[2].partition("\n# ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


@pytest.fixture
def topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the two files of the generator that reads labels."""
    module, settings = blocks_under(TOPICS, "python")[0], blocks_under(TOPICS, "toml")[0]
    return saved(tmp_path, monkeypatch, {"topics.py": module, "topics.toml": settings})


@pytest.mark.slow
def test_a_generator_that_reads_labels_is_two_files(
    topics: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(blocks_under(TOPICS, "python")[1], "docs/extending.md", "exec"), {})

    assert {path.name for path in topics.iterdir()} - {"__pycache__", "runs"} == {
        "topics.py",
        "topics.toml",
        "reviews.csv",
    }
    assert len(capsys.readouterr().out.splitlines()) == 2
    run = Run(topics / "runs" / "reviews", trust=True)
    words = {"good": ("lovely", "great", "fresh"), "bad": ("awful", "stale", "cold")}
    counts = {
        (label, mood): sum(text.split().count(word) for text in texts for word in words[mood])
        for label in words
        for texts in [run.sample(300, label=label)]
        for mood in words
    }
    # Words of the sentence's own mood are far more frequent than those of the other.
    assert counts["good", "good"] > 2 * counts["good", "bad"], counts
    assert counts["bad", "bad"] > 2 * counts["bad", "good"], counts
    records = [json.loads(line) for line in run.folder.buffer.read_text().splitlines()]
    assert {record["label"] for record in records} == {"good", "bad"}
    assert type(run.generator()).__name__ == "FadingTopic"


def test_a_kind_of_step_is_one_value(
    tmp_path: Path, toy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = dict(vars(step_kinds))
    exec(compile(blocks_under(STEP, "python")[0], "docs/extending.md", "exec"), names)
    monkeypatch.setitem(step_kinds.KINDS, "thrice", names["THRICE"])
    more = ("stage2.steps=thrice", "stage2.first_steps=2", "stage2.epochs=2")
    run = train_tiny(toy_file, tmp_path / "run", more)
    before, after = (line["updates"] for line in (run.progress()[-3], run.progress()[-1]))

    # Three steps, then two, as the profile's schedule has; no discriminator was asked for.
    assert after - before == (3 + 2) * 3
    assert {line["stage"] for line in run.progress()} == {"mle", "imitation"}
    assert run.scores()[-1].name == "thrice"
