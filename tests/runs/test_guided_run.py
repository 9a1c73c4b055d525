"""Runs whose judge weighs each word as it is written."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tiny import NO_LIMITS, Answer, metric_file, train_tiny

from sda.errors import UserError
from sda.models.guided import Guided
from sda.runs.curve_models import collect_models
from sda.runs.hand_over import read_handed_over
from sda.runs.keeping import strengths
from sda.runs.run import Run
from sda.source import load_source

GUIDED = (
    *NO_LIMITS,
    "calls.limit=300",
    "judge.candidates=['states']",
    "judge.updates=200",
    "judge.check_every=20",
    "judge.rate=0.01",
    "judge.keep=1.0",
    "judge.guide=16",
    "hand_over.samples=60",
    "hand_over.quality=0",
)


@pytest.fixture(scope="module")
def run(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A word that is wrong wherever it stands is what a product of verdicts learns."""
    room = tmp_path_factory.mktemp("guided")
    metric = metric_file(room, "catless", "'cat' not in text.split()")
    return train_tiny(toy_file, room / "run", GUIDED, preset="recommended", metric=metric)


def share_of_cats(texts: list[str]) -> float:
    return sum("cat" in text.split() for text in texts) / len(texts)


def test_what_is_handed_over_is_guided(run: Run) -> None:
    handed = read_handed_over(run.folder.handed_over)
    start = share_of_cats(run.sample(200, stage="mle"))

    assert handed is not None and handed.guide == run.guide == 16 and run.keep == 1
    assert not handed.is_start and handed.is_judged
    assert run.verdict is not None and "weighing every word" in run.verdict
    assert "for each one kept" not in run.verdict
    assert share_of_cats(run.folder.samples.read_text().splitlines()) < start - 0.1
    assert share_of_cats(run.sample(200)) < start - 0.1


def test_the_words_are_weighed_as_strongly_as_is_wanted(run: Run) -> None:
    stage = handed.stage if (handed := read_handed_over(run.folder.handed_over)) else "last"

    assert run.sample(30) == run.sample(30, guide=run.guide)
    assert run.sample(30, guide=0) == run.sample(30, stage=stage, keep=1)
    assert run.sample(30, guide=1, stage="mle") != run.sample(30, stage="mle")
    assert len(run.sample(10, guide=4, keep=0.5, unique=True)) == 10
    with pytest.raises(UserError, match="guide must be between 0 and 1000, not -1"):
        run.sample(5, guide=-1)


def test_a_judge_of_whole_sentences_does_not_guide(
    run: Run, toy_file: Path, tmp_path: Path
) -> None:
    metric = run.settings.metric[0]["function"]
    sums = ("judge.candidates=['states-sum']", "judge.keep=0.5")
    other = train_tiny(
        toy_file, tmp_path / "run", (*GUIDED, *sums), preset="recommended", metric=str(metric)
    )

    assert other.guide == 0 and other.keep < 1
    with pytest.raises(UserError, match="judges whole sentences, not words as they are written"):
        other.sample(5, guide=1)


def test_its_curve_is_of_what_is_handed_over(run: Run) -> None:
    _, handed = collect_models([run], load_source(run.settings))

    assert isinstance(handed.generator, Guided) and handed.generator.strength == run.guide
    assert handed.selection(torch.Generator()) is None


def test_commands(run: Run, command: Callable[..., Answer]) -> None:
    answer = command("sample", run.path, "-n", 5, "--guide", "2", "--keep", "0.5")
    wrong = command("sample", run.path, "-n", 5, "--guide", "1e9")

    assert answer.code == 0 and len(answer.out.splitlines()) == 5
    assert wrong.code == 2 and "guide must be between 0 and 1000, not 1e+09" in wrong.err


def test_strengths() -> None:
    assert strengths(16) == [16, 8, 4, 2]
    assert strengths(0) == []
