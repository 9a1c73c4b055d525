"""A run that was interrupted and taken up again ends bit for bit like one that was not."""

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lives import Life
from tiny import EPOCHS, SETS, SMALL_ORACLE, Answer, Interrupting, contents, outcome, train_tiny

from sda.errors import UserError
from sda.runs.run import Run

RESUMED = ("train", "captions", "--profile", "smoke", "--out", "run", "--resume", "--quiet", *SETS)


def interrupted_everywhere(source: str | Path, out: Path, more: tuple[str, ...] = ()) -> int:
    """Interrupt the run after every single epoch; returns how often that was."""
    interruptions = 0
    for _ in range(EPOCHS):
        try:
            train_tiny(source, out, more, Interrupting(epochs=1), resume=True)
        except KeyboardInterrupt:
            interruptions += 1
    train_tiny(source, out, more, resume=True)
    return interruptions


def test_a_run_interrupted_after_every_epoch(captions_run: Run, tmp_path: Path) -> None:
    assert interrupted_everywhere("captions", tmp_path / "run") == EPOCHS

    assert outcome(tmp_path / "run") == outcome(captions_run.path)


def test_a_run_on_the_oracle_interrupted_after_every_epoch(tmp_path: Path) -> None:
    whole = train_tiny("oracle", tmp_path / "whole" / "run", SMALL_ORACLE)

    assert interrupted_everywhere("oracle", tmp_path / "parts" / "run", SMALL_ORACLE) == EPOCHS
    assert outcome(tmp_path / "parts" / "run") == outcome(whole.path)


def test_a_run_with_two_policies_interrupted_after_every_epoch(
    toy_file: Path, tmp_path: Path
) -> None:
    two = ("stage2.two_policy=true", "stage2.lambda_w=0.5", "stage2.entropy=0.1")
    whole = train_tiny(toy_file, tmp_path / "whole" / "run", two)

    assert interrupted_everywhere(toy_file, tmp_path / "parts" / "run", two) == EPOCHS
    assert outcome(tmp_path / "parts" / "run") == outcome(whole.path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "size"),
    [
        ("sda.models.transformer:TransformerGenerator", "width=8"),
        ("sda.models.causal_cnn:CnnGenerator", "channels=8"),
    ],
)
def test_a_run_of_another_generator_interrupted_after_every_epoch(
    use: str, size: str, toy_file: Path, tmp_path: Path
) -> None:
    more = (f"generator.use={use}", f"generator.{size}", "generator.dropout=0.3")
    whole = train_tiny(toy_file, tmp_path / "whole" / "run", more)

    assert interrupted_everywhere(toy_file, tmp_path / "parts" / "run", more) == EPOCHS
    assert outcome(tmp_path / "parts" / "run") == outcome(whole.path)


@pytest.mark.slow
@pytest.mark.parametrize("cache", [0, 1])
def test_a_run_of_leakrnn_interrupted_after_every_epoch(
    cache: int, toy_file: Path, tmp_path: Path
) -> None:
    """The discriminator comes first, so one interruption is between two epochs of a turn."""
    more = (
        "generator.use=sda.models.leak:LeakGenerator",
        f"generator.cache_megabytes={cache}",
        "generator.dropout=0.3",
        "mle.alternations=1",
    )
    whole = train_tiny(toy_file, tmp_path / "whole" / "run", more)

    assert interrupted_everywhere(toy_file, tmp_path / "parts" / "run", more) == EPOCHS
    assert outcome(tmp_path / "parts" / "run") == outcome(whole.path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        ("stage2.kl=0.1",),
        ("stage2.steps=buffer",),
        ("stage2.steps=mixed", "stage2.mixed_share=0.5"),
        ("stage2.steps=likelihood",),
        ("buffer.source=training",),
        ("stage2.reward=metric", "stage2.baseline=batch_mean"),
    ],
    ids=lambda more: more[0],
)
def test_a_rival_interrupted_after_every_epoch(
    more: tuple[str, ...], toy_file: Path, tmp_path: Path
) -> None:
    whole = train_tiny(toy_file, tmp_path / "whole" / "run", more)
    interrupted_everywhere(toy_file, tmp_path / "parts" / "run", more)

    assert outcome(tmp_path / "parts" / "run") == outcome(whole.path)


def test_a_run_interrupted_within_epochs(toy_run: Run, toy_file: Path, tmp_path: Path) -> None:
    interruptions = 0
    for ticks in (1, 3, 4, 5, 6):
        try:
            train_tiny(toy_file, tmp_path / "run", (), Interrupting(ticks=ticks), resume=True)
        except KeyboardInterrupt:
            interruptions += 1
    train_tiny(toy_file, tmp_path / "run", resume=True)

    assert interruptions == 5
    assert outcome(tmp_path / "run") == outcome(toy_run.path)


def test_a_run_with_few_checkpoints(toy_file: Path, tmp_path: Path) -> None:
    more = ("checkpoint_every=4", "mle.patience=1", "mle.rate_drops=0", "mle.epochs=4")
    whole = train_tiny(toy_file, tmp_path / "whole" / "run", more)
    for epochs in (1, 2, 3):
        with pytest.raises(KeyboardInterrupt):
            train_tiny(toy_file, tmp_path / "run", more, Interrupting(epochs=epochs), resume=True)
    train_tiny(toy_file, tmp_path / "run", more, resume=True)

    assert outcome(tmp_path / "run") == outcome(whole.path)


def test_interrupted_while_the_results_are_written(toy_run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(toy_run.path, folder)
    (folder / "finished.json").unlink()
    (folder / "scores.json").unlink()
    (folder / "samples.txt").write_text("from another time\n")

    train_tiny(toy_run.settings.source, folder, resume=True)

    assert outcome(folder) == outcome(toy_run.path)


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.mark.slow
def test_a_process_killed_at_random_moments(tmp_path: Path) -> None:
    more = ("stage2.epochs=8",)
    whole = train_tiny("captions", tmp_path / "whole" / "run", more)
    chance = random.Random(20)
    command = (*RESUMED, "--set", *more)
    progress = tmp_path / "run" / "progress.jsonl"
    for _ in range(2):
        before = size_of(progress)
        life = Life(tmp_path, *command)
        # Counted from the first epoch of this life: the start takes longer than the run.
        life.wait_for(lambda before=before: size_of(progress) > before)
        time.sleep(chance.uniform(0.0, 0.2))
        life.kill()
    assert Life(tmp_path, *command).end() == 0

    assert outcome(tmp_path / "run") == outcome(whole.path)


def test_resume_with_nothing_there_starts_anew(
    command: Callable[..., Answer], toy_run: Run, toy_file: Path, tmp_path: Path
) -> None:
    train = ("train", toy_file, "--profile", "smoke", "--out", tmp_path / "run", "--quiet", *SETS)

    assert command(*train, "--resume").code == 0
    assert outcome(tmp_path / "run") == outcome(toy_run.path)


def test_resume_of_a_finished_run_says_so(
    command: Callable[..., Answer], toy_run: Run, toy_file: Path
) -> None:
    before = contents(toy_run.path)
    train = ("train", toy_file, "--profile", "smoke", "--out", toy_run.path, *SETS)

    answer = command(*train, "--resume")
    assert answer.code == 0
    assert "this run is finished" in " ".join(answer.err.split())

    answer = command(*train, "--resume", "--json")
    assert answer.code == 0
    assert "this run is finished" in answer.out
    assert contents(toy_run.path) == before


def test_without_resume_a_run_is_not_touched(
    command: Callable[..., Answer], toy_run: Run, toy_file: Path
) -> None:
    before = contents(toy_run.path)

    answer = command("train", toy_file, "--profile", "smoke", "--out", toy_run.path, *SETS)

    assert answer.code == 2
    assert answer.err == (
        f"sda: {toy_run.path} already holds a run: `sda resume {toy_run.path}` goes on with it as"
        f" it began (in Python: sda.resume('{toy_run.path}')), or choose another folder\n"
    )
    assert contents(toy_run.path) == before


def test_a_text_that_changed_is_refused(toy_file: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    shutil.copy(toy_file, text)
    with pytest.raises(KeyboardInterrupt):
        train_tiny(text, tmp_path / "run", (), Interrupting(epochs=1))
    before = contents(tmp_path / "run")
    text.write_text(text.read_text().replace("cat", "cow"))

    with pytest.raises(UserError, match="another text now"):
        train_tiny(text, tmp_path / "run", resume=True)
    assert contents(tmp_path / "run") == before


def test_two_seeds_differ(toy_run: Run, toy_file: Path, tmp_path: Path) -> None:
    other = train_tiny(toy_file, tmp_path / "run", ("seed=1",))

    assert other.progress()[0]["g_loss"] != toy_run.progress()[0]["g_loss"]
    assert other.folder.samples.read_text() != toy_run.folder.samples.read_text()


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


COUNTING = """
import time

def score(texts):
    for text in texts:
        time.sleep(0.02)
        with open("asked.txt", "a") as file:
            file.write(text + "\\n")
    return [text.count("cat") + 1 / (1 + len(text)) for text in texts]
"""


@pytest.mark.slow
def test_a_killed_process_pays_no_call_of_the_metric_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metric itself counts its calls; it is killed while it is tried, and in Stage II."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        folder.mkdir()
        (folder / "metric.py").write_text(COUNTING)
    limit, metric = "calls.limit=60", "metric.py:score"
    monkeypatch.chdir(whole)
    train_tiny("captions", Path("run"), (limit,), metric=metric)
    asked = (whole / "asked.txt").read_text().splitlines()
    assert 50 < len(asked) <= 60
    assert len(set(asked)) == len(asked)

    command = (*RESUMED, "--metric", metric, "--set", limit)
    archive = parts / "run" / "archive.jsonl"
    for enough in (3, 40):
        life = Life(parts, *command)
        life.wait_for(lambda enough=enough: lines_in(archive) >= enough)
        # The answer is on the disk, and the next call takes longer than this.
        life.kill()
    assert Life(parts, *command).end() == 0

    assert (parts / "asked.txt").read_text().splitlines() == asked
    ends = [outcome(folder / "run") for folder in (parts, whole)]
    for folder, end in zip((parts, whole), ends, strict=True):
        # They differ in the place of the metric's file.
        config = (folder / "run" / "config.toml").read_text()
        end["files"]["config.toml"] = config.replace(str(folder), "")
        del end["files"]["report.html"]
    assert ends[0] == ends[1]
