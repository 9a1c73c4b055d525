"""Runs with a judge: taught by a few answers of the metric, it rewards, and it chooses."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import NO_LIMITS, Answer, Interrupting, metric_file, outcome, toy_lines, train_tiny

from sda.archive import TRIAL
from sda.errors import UserError
from sda.runs.curve_models import collect_models
from sda.runs.examples import examples_of
from sda.runs.keeping import shares
from sda.runs.run import Run
from sda.source import load_source

# A file of eighty lines measures nothing finely, so that each test has the limits it is about.
JUDGED = (
    *NO_LIMITS,
    "calls.limit=300",
    "judge.candidates=['states-sum', 'rnn']",
    "judge.updates=200",
    "judge.check_every=20",
    "judge.rate=0.01",
    "hand_over.samples=60",
    "hand_over.quality=0",
    "evaluation.every=1",
)


Train = Callable[..., Run]


@pytest.fixture(scope="module")
def dogs(tmp_path_factory: pytest.TempPathFactory) -> str:
    return metric_file(tmp_path_factory.mktemp("metric"), "dogs", "'dog' in text.split()")


@pytest.fixture(scope="module")
def train(toy_file: Path, dogs: str) -> Train:
    def call(out: Path, *more: str, **choices: Any) -> Run:
        choices = {"metric": dogs, **choices}
        return train_tiny(toy_file, out, (*JUDGED, *more), preset="recommended", **choices)

    return call


@pytest.fixture(scope="module")
def run(train: Train, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tmp_path_factory.mktemp("judged") / "run")


def share_of_dogs(texts: list[str]) -> float:
    return sum("dog" in text.split() for text in texts) / len(texts)


def test_what_is_handed_over_is_better_and_within_the_calls(run: Run) -> None:
    archive = (run.path / "archive.jsonl").read_text().splitlines()
    written = run.folder.samples.read_text().splitlines()

    assert run.verdict is not None and "bought: dogs" in run.verdict
    assert run.keep == 0.4 and "2.5 sentences for each one kept" in run.verdict
    assert len(archive) <= 300 and len({json.loads(line)["text"] for line in archive}) > 100
    assert json.loads(run.folder.finished.read_text())["calls"] == len(archive)
    assert share_of_dogs(written) > share_of_dogs(run.sample(200, stage="mle")) + 0.1


def test_progress_tells_how_well_the_judge_judges(run: Run) -> None:
    lines = [line for line in run.progress() if line["stage"] == "imitation"]

    assert lines and all(0 <= line["judge_auc"] <= 1 for line in lines)
    assert "discriminator" not in {line["stage"] for line in run.progress()}


def test_the_buffer_is_the_best_of_what_the_metric_was_asked(run: Run) -> None:
    archive, kept = run.path / "archive.jsonl", run.folder.buffer
    asked = {json.loads(line)["text"] for line in archive.read_text().splitlines()}
    records = [json.loads(line) for line in kept.read_text().splitlines()]

    assert records and {record["text"] for record in records} <= asked
    assert records[0]["score"] == 1


def test_the_judge_chooses_as_much_as_is_wanted(run: Run) -> None:
    all_of_it, half = (run.sample(100, keep=keep) for keep in (1.0, 0.3))

    assert share_of_dogs(half) > share_of_dogs(all_of_it)
    assert run.sample(100) == run.sample(100, keep=run.keep)
    assert run.sample(20, stage="mle") == run.sample(20, stage="mle", keep=1.0)
    with pytest.raises(UserError, match="keep must be above 0 and at most 1, not 0"):
        run.sample(10, keep=0.0)


def test_no_sentence_twice_and_no_copy(run: Run) -> None:
    train = set(load_source(run.settings).vocabulary.decode(load_source(run.settings).corpus.train))
    found = run.sample(60, unique=True, no_copies=True, keep=1.0)

    assert len(found) == 60 == len(set(found))
    assert not set(found) & train


def test_the_judge_says_what_it_thinks_of_the_examples(run: Run) -> None:
    found = examples_of(run)
    scored = {s["by"] for sentences in found.values() for s in sentences}

    assert scored <= {"judge", "metric"} and "judge" in scored
    assert all(0 <= s["score"] <= 1 for sentences in found.values() for s in sentences)


def test_a_run_without_a_judge_cannot_choose(toy_run: Run) -> None:
    with pytest.raises(UserError, match="this run has no judge that could choose"):
        toy_run.sample(10, keep=0.5)
    assert len(set(toy_run.sample(40, unique=True))) == 40


def test_its_curve_is_of_what_is_handed_over(run: Run) -> None:
    start, handed = collect_models([run], load_source(run.settings))

    assert (start.name, handed.name, handed.start) == ("mle", "sda", "mle")
    assert handed.selection(torch.Generator()) is not None
    assert start.selection(torch.Generator()) is None


def test_commands(run: Run, command: Callable[..., Answer]) -> None:
    answer = command("sample", run.path, "-n", 5, "--unique", "--no-copies", "--keep", "0.5")
    wrong = command("sample", run.path, "-n", 5, "--keep", "1.5")

    assert answer.code == 0 and len(set(answer.out.splitlines())) == 5
    assert wrong.code == 2 and "keep must be above 0 and at most 1, not 1.5" in wrong.err


def test_interrupted_it_ends_the_same(train: Train, run: Run, tmp_path: Path) -> None:
    with suppress(KeyboardInterrupt):
        train(tmp_path / "run", reporter=Interrupting(epochs=4))
    train(tmp_path / "run", resume=True)

    assert outcome(tmp_path / "run") == outcome(run.path)


def test_interrupted_while_it_learns_no_call_is_paid_twice(
    train: Train, run: Run, tmp_path: Path
) -> None:
    # Stage I has ticks of its own: this is in the middle of the first epoch of Stage II.
    ticks = sum(line["updates"] for line in run.progress() if line["stage"] == "mle") // 2 + 3
    with suppress(KeyboardInterrupt):
        train(tmp_path / "run", reporter=Interrupting(ticks=ticks))
    paid = (tmp_path / "run" / "archive.jsonl").read_text().splitlines()
    train(tmp_path / "run", resume=True)
    now = (tmp_path / "run" / "archive.jsonl").read_text().splitlines()

    assert now[: len(paid)] == paid
    assert outcome(tmp_path / "run") == outcome(run.path)


def test_a_metric_that_says_the_same_of_all_buys_nothing(train: Train, tmp_path: Path) -> None:
    same = tmp_path / "same.py"
    same.write_text("def same(texts):\n    return [1.0] * len(texts)\n")
    run = train(tmp_path / "run", metric=f"{same}:same")

    assert run.verdict is not None and "the metric said the same of all" in run.verdict
    assert run.keep == 1.0
    assert run.sample(5) == run.sample(5, stage="mle")


def test_without_training_the_judge_chooses_among_sentences_of_the_start(
    train: Train, tmp_path: Path
) -> None:
    run = train(tmp_path / "run", "stage2.steps='none'")

    assert run.verdict is not None and run.verdict.startswith("The judge, choosing among")
    assert [row.name for row in run.scores()] == ["real text", "mle", "mle", "sda"]


def test_limits_that_nothing_keeps_hand_over_the_start(train: Train, tmp_path: Path) -> None:
    # Of many shares one may keep such limits by chance.
    few = ("judge.keep=0.5", "judge.shares=1", "stage2.epochs=1")
    run = train(tmp_path / "run", "hand_over.mauve=0", "hand_over.self_bleu=0", *few)

    assert run.verdict is not None and "bought nothing" in run.verdict
    assert run.sample(5) == run.sample(5, stage="mle")


def test_too_few_calls_are_one_sentence(train: Train, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="calls of the metric are left to teach a judge"):
        train(tmp_path / "run", "calls.limit=20")
    with pytest.raises(UserError, match="without a metric nothing is rejected"):
        train(tmp_path / "run", "metric=[]")


def test_shares_that_may_be_kept() -> None:
    assert shares(0.5, 4) == [0.5, 0.625, 0.75, 0.875, 1.0]
    assert shares(0.4, 24)[:4] == [0.4, 0.425, 0.45, 0.475]
    assert len(shares(0.4, 24)) == 25
    assert shares(0.5, 1) == [0.5, 1.0]
    assert shares(1.0, 4) == [1.0]


def test_the_metric_is_never_asked_about_the_unknown_word(tmp_path: Path, dogs: str) -> None:
    """Birds have numbers, so that in a third of the text a word is unknown."""
    file = tmp_path / "rare.txt"
    file.write_text(
        "\n".join(line.replace("bird", f"bird{n}") for n, line in enumerate(toy_lines()))
    )
    more = (*JUDGED, "data.min_count=2")
    run = train_tiny(file, tmp_path / "run", more, preset="recommended", metric=dogs)
    archive = map(json.loads, (run.path / "archive.jsonl").read_text().splitlines())
    asked = [entry["text"] for entry in archive if entry["epoch"] != TRIAL]

    assert run.folder.load_vocabulary()[0].unk is not None
    assert len(asked) > 100 and not any("<unk>" in text for text in asked)
