"""A run from its settings to its scores, and the run as an object."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import Interrupting, train_tiny

from sda.errors import UserError
from sda.evaluation.evaluator import Evaluation
from sda.runs.run import Run
from sda.show.terminal import Quiet


def test_a_finished_run(toy_run: Run) -> None:
    assert toy_run.is_finished
    assert repr(toy_run) == f"Run({str(toy_run.path)!r})"
    rows = [(row.name, row.temperature) for row in toy_run.scores()]
    assert rows == [("real text", None), ("mle", 1.0), ("mle", 0.8), ("sda", 1.0)]
    info = json.loads(toy_run.folder.samples_info.read_text())
    assert info == {"count": 30, "seed": 0, "temperature": 1.0, "checkpoint": "000005"}
    assert len(toy_run.folder.samples.read_text().splitlines()) == 30
    records = [json.loads(line) for line in toy_run.folder.buffer.read_text().splitlines()]
    scores = [record["score"] for record in records]
    assert scores == sorted(scores, reverse=True)
    assert len(records) == toy_run.progress()[-1]["buffer_size"]


def test_scores_are_what_evaluate_gives(toy_run: Run) -> None:
    real, start, colder, last = toy_run.scores()
    rows = json.loads(toy_run.folder.scores.read_text())["rows"]

    assert all(isinstance(row, Evaluation) for row in (real, start, colder, last))
    assert last.value("bleu-3") == next(
        score["value"] for score in rows[3]["scores"] if score["name"] == "bleu-3"
    )
    assert (last.sentences, last.scored) == (30, real.sentences) == (30, real.scored)
    # Real text stands beside every row but its own, and what alarms beside it is told.
    assert last.ceiling == start.ceiling == real.scores and real.ceiling == []
    assert [alarm.as_dict() for alarm in last.alarms] == rows[3]["alarms"]
    assert any(row["alarms"] for row in rows)
    with pytest.raises(UserError, match=r"there is no score 'blue' here \(known: bleu-2, "):
        last.value("blue")


def test_scores_that_are_damaged(toy_run: Run, tmp_path: Path) -> None:
    shutil.copytree(toy_run.path, tmp_path / "run")
    run = Run(tmp_path / "run")
    for rows in ([], [{"name": "sda", "temperature": 1.0, "scores": [{"name": "bleu-3"}]}]):
        run.folder.scores.write_text(json.dumps({"rows": rows}))
        with pytest.raises(UserError, match=r"scores\.json: "):
            run.scores()


def test_lines_of_progress(toy_run: Run) -> None:
    places = [(line["stage"], line["epoch"]) for line in toy_run.progress()]

    assert places == [
        ("mle", 1),
        ("mle", 2),
        ("discriminator", 1),
        ("imitation", 1),
        ("imitation", 2),
    ]


@pytest.mark.parametrize("method", ["mle", "sda"])
def test_the_first_and_the_last_epoch_of_a_stage_are_measured(
    method: str, toy_file: Path, tmp_path: Path
) -> None:
    more = ("evaluation.every=100", "mle.epochs=3", "stage2.epochs=3", "stage2.first_steps=1")
    run = train_tiny(toy_file, tmp_path / "run", more, method=method)
    measured = [(line["stage"], line["epoch"]) for line in run.progress() if "bleu_3" in line]

    expected = [("mle", 1), ("mle", 3), ("imitation", 1), ("imitation", 3)]
    assert measured == (expected if method == "sda" else expected[:2])


@pytest.mark.parametrize("method", ["mle", "rl"])
def test_the_other_methods(method: str, toy_file: Path, tmp_path: Path) -> None:
    run = train_tiny(toy_file, tmp_path / "run", method=method)

    names = [row.name for row in run.scores()]
    assert names == ["real text", "mle", "mle"] + (["rl"] if method == "rl" else [])
    assert not run.folder.buffer.exists()
    assert len(run.sample(3)) == 3


def test_no_training_at_all(toy_file: Path, tmp_path: Path) -> None:
    nothing = ("mle.epochs=0", "discriminator_phase.first_rounds=0", "stage2.epochs=0")
    run = train_tiny(toy_file, tmp_path / "run", nothing)

    assert run.is_finished
    assert run.progress() == []
    assert [row.name for row in run.scores()] == ["real text", "mle", "mle"]


def test_sentences_of_both_stages(toy_run: Run) -> None:
    last, start = (toy_run.generator(stage).state_dict() for stage in ("last", "mle"))

    assert any(not torch.equal(last[name], start[name]) for name in last)
    assert toy_run.sample(5) == toy_run.sample(5)
    assert toy_run.sample(5) != toy_run.sample(5, seed=1)
    assert toy_run.sample(5) != toy_run.sample(5, temperature=5.0)
    assert toy_run.sample(20, max_length=2) != toy_run.sample(20)
    assert max(len(text.split()) for text in toy_run.sample(20, max_length=2)) <= 2
    # The likeliest word alone gives one sentence again and again.
    assert len(set(toy_run.sample(5, top_k=1))) == 1


@pytest.mark.parametrize(
    "settings",
    [{"temperature": 0.0}, {"temperature": 1e-300}, {"top_k": 0}, {"top_p": 1.5}],
)
def test_ways_of_choosing_words_that_make_no_sense(settings: Any, toy_run: Run) -> None:
    with pytest.raises(UserError, match=f"{next(iter(settings))} must be"):
        toy_run.sample(1, **settings)


def test_a_run_without_a_checkpoint(toy_run: Run, tmp_path: Path) -> None:
    shutil.copytree(toy_run.path, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "checkpoints")

    for stage in ("last", "mle"):
        with pytest.raises(UserError, match="no checkpoint of this run yet"):
            Run(tmp_path / "run").generator(stage)


def test_a_run_before_its_end(toy_file: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_tiny(toy_file, tmp_path / "run", (), Interrupting(epochs=1))
    run = Run(tmp_path / "run")

    assert not run.is_finished
    assert len(run.progress()) == 1
    assert len(run.sample(3)) == 3
    with pytest.raises(UserError, match=r"scores\.json: No such file"):
        run.scores()


def test_a_mistake_does_not_make_a_run(toy_file: Path, tmp_path: Path) -> None:
    for wrong in ("generator.hiden=3", "metric.0.order=0", "discriminator.maps=[1]"):
        with pytest.raises(UserError):
            train_tiny(toy_file, tmp_path / "run", (wrong,))
    assert not (tmp_path / "run" / "config.toml").exists()

    train_tiny(toy_file, tmp_path / "run", ("mle.epochs=0", "stage2.epochs=0"))


class Noting(Quiet):
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, text: str) -> None:
        self.warnings.append(text)


def test_collapse_is_told_once(toy_file: Path, tmp_path: Path) -> None:
    # At this temperature nothing but the likeliest word is written.
    more = ("mle.rate=100", "stage2.rate=1e-6", "evaluation.every=1")
    reporter = Noting()
    train_tiny(toy_file, tmp_path / "run", more, reporter)

    assert len([text for text in reporter.warnings if "duplicates" in text]) == 1


@pytest.mark.parametrize("key", ["mle.rate", "stage2.rate"])
def test_divergence_stops_the_run_and_keeps_the_last_state(
    key: str, toy_file: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"training stopped: .* the last good state is in"):
        train_tiny(toy_file, tmp_path / "run", (f"{key}=1e30",))

    progress = Run(tmp_path / "run").progress()
    assert [line["stage"] for line in progress] == (
        [] if key == "mle.rate" else ["mle", "mle", "discriminator"]
    )
    if progress:
        assert len(Run(tmp_path / "run").sample(3)) == 3


def test_threads_are_set_before_sentences_are_read(
    toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def refuse(_: object) -> None:
        seen.append(torch.get_num_threads())
        raise UserError("that is enough")

    monkeypatch.setattr("sda.runs.train.load_source", refuse)
    torch.set_num_threads(2)
    with pytest.raises(UserError, match="that is enough"):
        train_tiny(toy_file, tmp_path / "run")

    assert seen == [1]
