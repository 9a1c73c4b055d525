"""A run can be used from any folder, and moved with its text or without."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import Answer, Interrupting, outcome, tiny_settings, train_tiny, write_toy

from sda.errors import UserError
from sda.runs.folder import RunFolder
from sda.runs.paths import found_again, with_absolute_paths
from sda.runs.resume import resume_run
from sda.runs.run import Run
from sda.show.terminal import Quiet

METRIC = "def score(texts):\n    return [float(len(text)) for text in texts]\n"


def project(folder: Path) -> Path:
    folder.mkdir()
    write_toy(folder / "toy.txt")
    (folder / "mine.py").write_text(METRIC)
    return folder


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project with a run that was interrupted, and another folder to be in."""
    place = project(tmp_path / "project")
    monkeypatch.chdir(place)
    with pytest.raises(KeyboardInterrupt):
        train_tiny("toy.txt", Path("runs/x"), (), Interrupting(epochs=2), metric="mine.py:score")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    return place


def test_a_run_goes_on_from_another_folder_with_nothing_but_its_own(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path("../project/runs/x")
    resume_run(path, Quiet(), Run(path, trust=True).settings)
    run = Run(path)

    assert run.is_finished
    assert run.sample(3, no_copies=True) == Run(begun / "runs" / "x").sample(3, no_copies=True)
    monkeypatch.chdir(begun)
    whole = train_tiny("toy.txt", Path("whole/x"), metric="mine.py:score", draws=True)
    assert outcome(begun / "runs" / "x") == outcome(whole.path)


def test_a_run_that_was_moved_with_its_text(begun: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.move(begun, moved)
    settings = RunFolder(moved / "runs" / "x").settings()

    assert settings.source == str(moved / "toy.txt")
    assert settings.metric[0]["function"] == f"{moved / 'mine.py'}:score"
    path = moved / "runs" / "x"
    assert resume_run(path, Quiet(), Run(path, trust=True).settings).is_finished


def test_a_run_that_was_moved_without_its_text(begun: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    shutil.move(begun / "runs" / "x", alone)
    text = begun / "toy.txt"
    kept = shutil.move(text, tmp_path / "kept.txt")
    words = f"{alone}: the text that this run learned from, {text}, is not there any more; put it"
    for ask in (lambda: resume_run(alone, Quiet()), Run(alone).load_source):
        with pytest.raises(UserError, match=words):
            ask()
    shutil.copy(kept, alone / "toy.txt")

    assert Run(alone).load_source().corpus.train.tokens.shape[0] > 0


def test_a_run_of_before_had_relative_paths(begun: Path) -> None:
    folder = RunFolder(begun / "runs" / "x")
    text = folder.config.read_text()
    folder.config.write_text(text.replace(f'"{begun}/toy.txt"', '"toy.txt"'))

    assert folder.settings().source == str(begun / "toy.txt")


def test_every_path_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    more = ("data.valid=v.txt", "data.test=t.txt", "start=runs/s")
    settings, _ = tiny_settings("a.txt", *more, metric="bleu + mine.py:score + math:sqrt")
    now = with_absolute_paths(settings)

    here = str(tmp_path)
    assert (now.source, now.start) == (f"{here}/a.txt", f"{here}/runs/s")
    assert (now.data.valid, now.data.test) == (f"{here}/v.txt", f"{here}/t.txt")
    functions = [part.get("function") for part in now.metric]
    assert functions == [None, f"{here}/mine.py:score", "math:sqrt"]
    for source, absolute in (("captions", "captions"), ("oracle:o.npz", f"oracle:{here}/o.npz")):
        other = settings.model_copy(update={"source": source})
        assert with_absolute_paths(other).source == absolute
    assert found_again(settings, tmp_path / "run") == settings  # none of them is there


def test_resume_as_a_command(begun: Path, command: Callable[..., Answer]) -> None:
    run = begun / "runs" / "x"
    refused = command("resume", run)
    answer = command("resume", run, "--json", "--metric", begun / "mine.py:score")

    assert refused.code == 2 and "mine.py:score is no part of sda" in refused.err

    told = [json.loads(line).get("message", "") for line in answer.out.splitlines()]
    assert answer.code == 0
    assert [text for text in told if text.startswith("going on after epoch")]
    assert Run(run).is_finished
    before = outcome(run)
    again = command("resume", run)
    assert again.code == 0 and "this run is finished" in again.err
    assert outcome(run) == before
    wrong = command("resume", begun)
    assert wrong.code == 2
    assert wrong.err == f"sda: {begun}: not a run folder (no config.toml in it)\n"


def test_a_finished_run_keeps_no_more_than_it_needs(toy_run: Run) -> None:
    checkpoints = toy_run.folder.checkpoints
    latest = checkpoints.latest()
    assert latest is not None
    assert sorted(path.name for path in checkpoints.folder.iterdir()) == [latest, "stage1"]
    parts = {
        name: {key.partition(".")[0] for key in checkpoints.load(name).tensors}
        for name in (latest, "stage1")
    }
    assert {"generator", "discriminator"} <= parts[latest]
    assert parts[latest].isdisjoint(("mle_optimizer", "policy_optimizer", "best", "start"))
    assert {"generator", "mle_optimizer", "discriminator_optimizer"} <= parts["stage1"]
