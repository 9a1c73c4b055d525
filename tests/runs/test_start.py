"""Several runs from one Stage I: what they share, what they cost, and which starts are refused."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import (
    EPOCHS,
    SMOKE,
    Answer,
    Interrupting,
    assert_one_sentence,
    contents,
    outcome,
    tiny_settings,
    train_tiny,
    write_toy,
)

from sda.errors import UserError
from sda.runs.checkpoint import Checkpoints
from sda.runs.costs import run_costs
from sda.runs.keeper import Keeper
from sda.runs.run import Run
from sda.runs.start import JUDGE, SECTIONS, start_rows
from sda.scoring.row_scorer import ScoredRow
from sda.settings.schema import Settings
from sda.show.terminal import JsonLines
from sda.training.stages import DiscriminatorSettings

Command = Callable[..., Answer]
# These tell where the start is.
TELLING = ("config.toml", "report.html")


def from_start(start: Run, out: Path, more: tuple[str, ...] = (), **choices: Any) -> Run:
    """A tiny run on the text of the start, which begins with its Stage I."""
    values = {"start": str(start.path)}
    return train_tiny(start.settings.source, out, more, values=values, **choices)


def interrupted(start: Run, out: Path, more: tuple[str, ...] = (), **when: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        resumed(start, out, more, Interrupting(**when))


def resumed(
    start: Run, out: Path, more: tuple[str, ...] = (), reporter: Interrupting | None = None
) -> Run:
    return from_start(start, out, more, reporter=reporter, resume=True)


def outcome_without_start(run: Run) -> dict[str, Any]:
    found = outcome(run.path)
    for name in TELLING:
        found["files"].pop(name)
    return found


def stage_one_lines(run: Run) -> list[dict[str, Any]]:
    return [line for line in run.progress() if line["stage"] != "imitation"]


@pytest.fixture(scope="module")
def start(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Stage I with its discriminator, and nothing after it."""
    folder = tmp_path_factory.mktemp("start") / "run"
    return train_tiny(toy_file, folder, ("stage2.epochs=0",))


@pytest.fixture(scope="module")
def from_it(start: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of two epochs of Stage II from that start, never interrupted."""
    return from_start(start, tmp_path_factory.mktemp("from") / "run")


PARTS = {
    "as it is": (),
    "two policies": ("stage2.two_policy=true", "stage2.lambda_w=0.5", "stage2.entropy=0.1"),
    "kl": ("stage2.kl=0.5", "stage2.rate=0.01"),
    "dropout": ("generator.dropout=0.3", "mle.keep_best=true"),
    "rolled back": (
        "stage2.rate=0.05",
        'guard.rules=[{figure="nll_valid", rise=1e-9, action="roll_back"}]',
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("more", PARTS.values(), ids=PARTS)
def test_a_run_from_its_own_stage_one_is_the_same_run(
    more: tuple[str, ...], toy_file: Path, tmp_path: Path
) -> None:
    whole = train_tiny(toy_file, tmp_path / "whole", more)
    interrupted(whole, tmp_path / "second", more, epochs=1)
    second = resumed(whole, tmp_path / "second", more)

    assert outcome_without_start(second) == outcome_without_start(whole)


def test_rolling_back_to_a_start(start: Run, tmp_path: Path) -> None:
    run = from_start(start, tmp_path / "run", PARTS["rolled back"])
    shared, last = start.generator().state_dict(), run.generator().state_dict()

    assert "goes back to the end of Stage I" in run.progress()[-1]["guard"]
    assert all(torch.equal(shared[name], last[name]) for name in shared)


def test_two_runs_from_one_start_are_equal(start: Run, from_it: Run, tmp_path: Path) -> None:
    assert outcome(from_start(start, tmp_path / "run").path) == outcome(from_it.path)


@pytest.mark.parametrize("method", ["rl", "constant", "raft", "mle-longer", "best-of-n"])
def test_every_method_begins_with_the_models_of_the_start(
    method: str, start: Run, tmp_path: Path
) -> None:
    before = contents(start.path)
    run = from_start(start, tmp_path / "run", method=method)
    ours, theirs = (found.generator("mle").state_dict() for found in (run, start))

    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    assert stage_one_lines(run) == start.progress()
    # What the start scores is not told twice in two ways.
    assert run.scores()[:3] == start.scores()
    assert [row.name for row in run.scores()[3:]] == [method]
    assert contents(start.path) == before


def test_rows_of_the_start_are_those_that_would_be_measured(
    start: Run, from_it: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sda.runs.finishing.start_rows", lambda settings: [])
    run = from_start(start, tmp_path / "run")

    assert run.scores() == from_it.scores()
    assert run.folder.samples.read_text() == from_it.folder.samples.read_text()


def test_rows_of_the_start_are_known_by_what_they_are(copied: Run, from_it: Run) -> None:
    settings, _ = tiny_settings(copied.settings.source, values={"start": str(copied.path)})
    names = ["real text", "mle", "mle"]
    whole = from_it.folder.read_scores()
    known = [ScoredRow.from_dict(row) for row in whole[:3]]

    def rows_of(table: list[dict[str, Any]]) -> list[ScoredRow]:
        copied.folder.scores.write_text(json.dumps({"rows": table}))
        return start_rows(settings)

    assert [row.name for row in known] == names
    assert rows_of(whole) == rows_of([whole[3], *whole[:3]]) == known
    # One that is missing is not made up for by the row of another model.
    assert rows_of([whole[0], whole[1], whole[3]]) == []
    # Nor can a row of what came of the start be told from it by the same name.
    assert rows_of([*whole[:3], {**whole[3], "name": "mle"}]) == []


def test_another_evaluation_is_not_taken_from_the_start(start: Run, tmp_path: Path) -> None:
    run = from_start(start, tmp_path / "run", ("evaluation.final_samples=35",))

    assert [row.name for row in run.scores()] == ["real text", "mle", "mle", "sda"]
    assert run.scores()[1] != start.scores()[1]


def test_costs_include_those_of_the_start(start: Run, from_it: Run) -> None:
    end = json.loads(from_it.folder.finished.read_text())
    first, lines = run_costs(start.progress()), from_it.progress()
    own = run_costs(lines[len(start.progress()) :])

    assert end["epochs"] == EPOCHS
    assert first["updates"] < end["updates"] == lines[-1]["updates"]
    assert first["written"] < end["written"] == lines[-1]["written"]
    for name in ("seconds", "cpu_seconds"):
        assert end[name] == pytest.approx(first[name] + own[name], abs=0.01)


def test_interrupted_after_every_epoch_and_within_one(
    start: Run, from_it: Run, tmp_path: Path
) -> None:
    for when in ({"ticks": 2}, {"epochs": 1}, {"ticks": 3}, {"epochs": 1}):
        interrupted(start, tmp_path / "run", **when)

    assert outcome(resumed(start, tmp_path / "run").path) == outcome(from_it.path)


@dataclass
class Killed:
    """Stands in the place of a method, and is as if the process ended there the first time."""

    method: Callable[..., None]
    is_first: bool = True

    def __call__(self, *arguments: Any) -> None:
        if self.is_first:
            self.is_first = False
            raise KeyboardInterrupt
        self.method(*arguments)


@pytest.mark.parametrize(
    ("owner", "name"), [(Keeper, "save"), (Checkpoints, "save_numbered")], ids=["none", "half"]
)
def test_ended_before_its_first_checkpoint(
    owner: type, name: str, start: Run, from_it: Run, tmp_path: Path, monkeypatch: Any
) -> None:
    killed = Killed(getattr(owner, name))
    monkeypatch.setattr(owner, name, lambda *arguments: killed(*arguments))
    with pytest.raises(KeyboardInterrupt):
        resumed(start, tmp_path / "run")
    assert Checkpoints(tmp_path / "run" / "checkpoints").latest() is None

    assert outcome(resumed(start, tmp_path / "run").path) == outcome(from_it.path)


@pytest.fixture
def copied(start: Run, tmp_path: Path) -> Run:
    """A start of one's own, to do with as one likes."""
    shutil.copytree(start.path, tmp_path / "start")
    return Run(tmp_path / "start")


def test_a_start_that_is_gone_later(copied: Run, from_it: Run, tmp_path: Path) -> None:
    interrupted(copied, tmp_path / "run", epochs=1)
    shutil.rmtree(copied.path)
    run = resumed(copied, tmp_path / "run")

    assert outcome_without_start(run) == outcome_without_start(from_it)
    assert run.sample(5) == from_it.sample(5)
    assert run.sample(5, stage="mle") == from_it.sample(5, stage="mle")


def begun(start: Run, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is there, and has nothing of its start yet."""
    with monkeypatch.context() as patch:
        patch.setattr("sda.runs.train.take_start", Killed(lambda: None))
        interrupted(start, out, epochs=1)


def test_a_start_that_is_gone_too_early(copied: Run, tmp_path: Path, monkeypatch: Any) -> None:
    begun(copied, tmp_path / "run", monkeypatch)
    shutil.rmtree(copied.path)

    with pytest.raises(UserError, match="no run that has come to the end of Stage I"):
        resumed(copied, tmp_path / "run")


def test_a_start_that_is_another_by_then(copied: Run, tmp_path: Path, monkeypatch: Any) -> None:
    begun(copied, tmp_path / "run", monkeypatch)
    shutil.rmtree(copied.path)
    train_tiny(copied.settings.source, copied.path, ("seed=1", "stage2.epochs=0"))

    with pytest.raises(UserError, match="its Stage I has seed = 1, not 0"):
        resumed(copied, tmp_path / "run")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--seed 1", "seed = 0, not 1, so it cannot be the start of this run"),
        ("--set generator.hidden=9", "generator.hidden = 8, not 9"),
        ("--set mle.epochs=3", "mle.epochs = 2, not 3"),
        ("--set data.max_length=49", "data.max_length = 50, not 49"),
        ("--method eda", "augmentation.use = None, not 'sda."),
        ("--method un-rare", "objective.use = None, not 'sda."),
        ("--generator gru", "generator."),
        (
            "--set discriminator_phase.first_rounds=2",
            "discriminator_phase.first_rounds = 1, not 2",
        ),
    ],
)
def test_a_start_whose_stage_one_is_another(
    options: str, words: str, start: Run, command: Command, tmp_path: Path
) -> None:
    words = f"its Stage I has {words}"
    more = options.split()
    assert_refused(command, start.settings.source, start.path, tmp_path / "run", words, *more)


def assert_refused(
    command: Command, source: object, start: Path, out: Path, words: str, *more: str
) -> None:
    answer = command("train", source, "--start", start, "--out", out, *SMOKE, *more)

    assert_one_sentence(answer, f"sda: {start}", words)
    assert answer.err.count("\n") == 1
    assert not out.exists()


def test_a_start_with_another_file(start: Run, command: Command, tmp_path: Path) -> None:
    other = write_toy(tmp_path / "other.txt")
    other.write_text(other.read_text().replace("cat", "cow"))

    assert_refused(command, other, start.path, tmp_path / "run", "its Stage I has source = ")


def test_a_start_with_another_text_in_the_same_file(command: Command, tmp_path: Path) -> None:
    text = write_toy(tmp_path / "text.txt")
    first = train_tiny(text, tmp_path / "start", ("stage2.epochs=0",))
    before = contents(first.path)
    text.write_text(text.read_text().replace("cat", "cow"))

    assert_refused(command, text, first.path, tmp_path / "run", "has another text now than when")
    assert contents(first.path) == before


def test_a_start_without_a_discriminator(command: Command, toy_file: Path, tmp_path: Path) -> None:
    plain = train_tiny(toy_file, tmp_path / "start", method="mle")

    words = "its Stage I has no discriminator, which this run needs"
    assert_refused(command, toy_file, plain.path, tmp_path / "run", words)
    # Those that ask for none may begin with it.
    run = from_start(plain, tmp_path / "raft", method="raft")
    assert stage_one_lines(run) == plain.progress()


def test_starts_that_are_none(command: Command, toy_file: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(KeyboardInterrupt):
        train_tiny(toy_file, tmp_path / "early", (), Interrupting(epochs=2))
    words = "no run that has come to the end of Stage I"
    for name in ("nowhere", "empty", "early"):
        assert_refused(command, toy_file, tmp_path / name, tmp_path / "run", words)
    assert not (tmp_path / "nowhere").exists()


def test_a_start_in_the_midst_of_stage_two(
    start: Run, from_it: Run, toy_file: Path, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_tiny(toy_file, tmp_path / "half", (), Interrupting(epochs=4))
    second = from_start(Run(tmp_path / "half"), tmp_path / "second")

    found, expected = outcome_without_start(second), outcome_without_start(from_it)
    # Lines of Stage I are those of the start, and this one had tried its metric.
    calls = [line.pop("calls") for line in found["progress"] if line["stage"] != "imitation"]
    before = [line.pop("calls") for line in expected["progress"] if line["stage"] != "imitation"]
    assert (calls, before) == ([16] * 3, [0] * 3)
    assert found == expected


def test_the_command_takes_a_start(
    command: Command, start: Run, from_it: Run, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    answer = command("train", start.settings.source, "--start", start.path, "--out", out, *SMOKE)

    assert answer.code == 0
    assert outcome_without_start(Run(out)) == outcome_without_start(from_it)
    assert Run(out).settings.start == str(start.path)


def test_leakrnn_alone_trains_the_discriminator_that_it_reads(
    toy_file: Path, tmp_path: Path
) -> None:
    run = train_tiny(toy_file, tmp_path / "mle", method="mle", generator="leakrnn")

    assert [line["stage"] for line in run.progress()] == ["discriminator", "mle", "mle"]
    # So it may be the start of a method that has a discriminator.
    second = from_start(run, tmp_path / "rl", method="rl", generator="leakrnn")
    assert stage_one_lines(second) == run.progress()
    assert second.scores()[:3] == run.scores()


def test_every_setting_is_known_to_matter_in_stage_one_or_not() -> None:
    sections = {"buffer", "stage2", "metric", "calls", "judge", "selection", "guard"}
    later = {*sections, "hand_over", "evaluation"}
    beside = {
        "start",
        "method",
        "checkpoint_every",
        "discriminator_phase",
        "device",
        "dtype",
        "parts",
    }

    assert set(Settings.model_fields) == {*SECTIONS, *later, *beside}
    later = {"rounds", "passes", "sentences", "negatives"}
    assert set(DiscriminatorSettings.model_fields) == {*JUDGE, *later}


def test_a_start_is_written_into_the_settings(start: Run) -> None:
    settings, origins = tiny_settings("captions", values={"start": "runs/first"})

    assert settings.start == "runs/first" and origins["start"] == "command line"
    assert start.settings.start is None


def test_a_run_that_begins_with_another_does_not_say_that_it_goes_on(
    start: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from_start(start, tmp_path / "run", reporter=JsonLines())
    assert "going on" not in capsys.readouterr().out

    interrupted(start, tmp_path / "again", epochs=1)
    from_start(start, tmp_path / "again", reporter=JsonLines(), resume=True)
    assert "going on after epoch" in capsys.readouterr().out
