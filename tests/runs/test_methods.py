"""Every method runs, differs from every other, and says what it cost."""

import json
from pathlib import Path

import pytest
from tiny import tiny_settings, train_tiny

from sda.errors import UserError
from sda.runs.plan import first_writer, plan
from sda.runs.run import Run
from sda.runs.seeds import seed_rows, seed_table
from sda.settings.layers import names_of
from sda.text.corpus import Corpus
from sda.training.schedule import Phase
from sda.training.step_kinds import CONTINUED, MIXED, RANKED

JUDGED = {
    "rl",
    "sda",
    "sda-gail",
    "sda-two-policy",
    "random-buffer",
    "train-as-buffer",
    "d-rejection",
}


# BLEU-3 of a model that knows next to nothing.
MORE = {
    "metric-rejection": ("selection.above=0.02",),
    "un-rare": ("objective.threshold=20",),  # no word of the file is as rare as the paper has it
}


@pytest.fixture(scope="module")
def runs(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("methods")
    return {
        name: train_tiny(toy_file, folder / name, MORE.get(name, ()), method=name)
        for name in names_of("methods")
    }


@pytest.mark.slow
def test_no_two_methods_write_the_same(runs: dict[str, Run]) -> None:
    texts = {name: run.folder.samples.read_text() for name, run in runs.items()}

    assert len(set(texts.values())) == len(texts) > 12
    assert all(len(text.splitlines()) == 30 for text in texts.values())


@pytest.mark.slow
def test_the_last_row_is_the_method(runs: dict[str, Run]) -> None:
    assert {name: run.scores()[-1].name for name, run in runs.items()} == {
        name: name for name in runs
    }


@pytest.mark.slow
def test_sampling_selects_as_the_run_does(runs: dict[str, Run]) -> None:
    for name in ("best-of-n", "d-rejection"):
        chosen = runs[name].sample(8, seed=3)
        assert chosen == runs[name].sample(8, seed=3)
        assert chosen != runs[name].sample(8, seed=3, stage="mle")


@pytest.mark.slow
def test_only_methods_that_read_the_discriminator_train_it(runs: dict[str, Run]) -> None:
    trained = {
        name for name, run in runs.items() if any("d_loss" in line for line in run.progress())
    }

    assert trained == JUDGED & set(runs)


@pytest.mark.slow
def test_controls_have_as_many_updates_as_sda(runs: dict[str, Run]) -> None:
    ends = {name: json.loads(run.folder.finished.read_text()) for name, run in runs.items()}
    for name in ("rl", "constant", "random-buffer", "raft", "metric-reward", "mle-longer"):
        assert ends[name]["updates"] == ends["sda"]["updates"]
    # Rollouts are written, too.
    assert ends["sda"]["written"] > ends["rl"]["written"] > ends["constant"]["written"] > 0
    assert ends["mle"]["written"] == ends["mle-longer"]["written"] == 0
    assert all(end["cpu_seconds"] > 0 for end in ends.values())


@pytest.mark.slow
def test_costs_stand_beside_the_scores(runs: dict[str, Run]) -> None:
    rows = {row.name: row for row in seed_rows([runs["sda"], runs["raft"]])}
    header = seed_table(list(rows.values())).header

    assert {"updates", "tokens", "cpu-seconds"} < set(header)
    assert rows["sda: sda"].values["updates"] == rows["raft: raft"].values["updates"]
    start = rows["mle"].values
    assert start["updates"] < rows["sda: sda"].values["updates"] and start["tokens"] == [0]
    assert rows["real text"].figure("updates") is None
    updates = rows["sda: sda"].figure("updates")
    assert updates is not None and updates.text().isdigit()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "is_renewed"), [("raft", True), ("mixed", True), ("train-as-buffer", False)]
)
def test_buffers_of_the_rivals(name: str, is_renewed: bool, runs: dict[str, Run]) -> None:
    records = [json.loads(line) for line in runs[name].folder.buffer.read_text().splitlines()]

    assert len(records) == runs[name].progress()[-1]["buffer_size"]
    # What comes from the training data is there from the start; what is written comes later, too.
    assert any(record["epoch"] > 0 for record in records) == is_renewed


def test_plans() -> None:
    plans = {name: plan(tiny_settings("captions", method=name)[0]) for name in names_of("methods")}
    rounds = {name: phases.count(Phase.DISCRIMINATOR) for name, (phases, _, _) in plans.items()}
    kinds = {name: {step for epoch in found[1] for step in epoch} for name, found in plans.items()}

    assert {name for name, count in rounds.items() if count} >= JUDGED
    assert rounds["constant"] == rounds["raft"] == rounds["mle"] == 0
    assert plans["metric-reward"][2].discriminator_phase.rounds == 0
    assert kinds["raft"] == {RANKED}
    assert kinds["mle-longer"] == {CONTINUED}
    assert kinds["mixed"] == {MIXED}
    assert kinds["d-rejection"] == kinds["best-of-n"] == set()
    assert plans["train-as-buffer"][2].buffer.candidates == 0


def test_training_sentences_fill_the_buffer_where_they_are_its_source(corpus: Corpus) -> None:
    ordinary, replaced = (
        first_writer(plan(tiny_settings("captions", method=name)[0])[2], corpus)
        for name in ("sda", "train-as-buffer")
    )

    assert ordinary is None
    assert replaced is not None and replaced(7) is corpus.train


def test_training_sentences_that_are_rejected_as_copies(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'buffer\.source'"):
        train_tiny(
            "captions", tmp_path / "run", ("buffer.reject_copies=true",), method="train-as-buffer"
        )


def test_the_metric_as_a_reward_needs_a_metric(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'stage2\.reward': .*needs a metric"):
        train_tiny("captions", tmp_path / "run", ("stage2.reward=metric",), method="rl")
