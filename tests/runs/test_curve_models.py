"""Which models the curves of some runs are about, and what tells them apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes import seeded
from tiny import train_tiny

from sda.runs.curve import load_common
from sda.runs.curve_models import Model, collect_models
from sda.runs.run import Run


def models_of(*runs: Run) -> list[Model]:
    return collect_models(runs, load_common(runs))


def names(models: list[Model]) -> list[tuple[str, str | None]]:
    return [(model.name, model.start) for model in models]


@pytest.fixture(scope="module")
def mle_run(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_tiny(toy_file, tmp_path_factory.mktemp("mle") / "plain", method="mle")


@pytest.fixture(scope="module")
def best_run(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Stage I, and the best of four sentences of what it ends with."""
    return train_tiny(toy_file, tmp_path_factory.mktemp("best") / "best", method="best-of-n")


def test_runs_with_one_start_share_its_curve(mle_run: Run, toy_file: Path, tmp_path: Path) -> None:
    further = train_tiny(toy_file, tmp_path / "further", method="rl")

    assert names(models_of(further, mle_run)) == [("mle", None), ("rl (further)", "mle")]


def test_a_selection_is_a_model_of_its_own(best_run: Run) -> None:
    start, best = models_of(best_run)

    assert names([start, best]) == [("mle", None), ("best-of-n", "mle")]
    # The generator is the same, and all that is new is what chooses.
    assert start.generator.state_dict().keys() == best.generator.state_dict().keys()
    for name, weights in start.generator.state_dict().items():
        assert weights.equal(best.generator.state_dict()[name])
    assert start.digest != best.digest
    assert start.selection(seeded(0)) is None
    assert best.selection(seeded(0)) is not None


def test_a_selection_after_training_has_the_trained_generator(
    toy_file: Path, tmp_path: Path
) -> None:
    more = ['selection={use="sda.baselines.selection:BestOf"}']
    run = train_tiny(toy_file, tmp_path / "run", more)
    start, chosen = models_of(run)

    assert names([start, chosen]) == [("mle", None), ("sda", "mle")]
    weights, last = chosen.generator.state_dict(), run.generator().state_dict()
    assert all((weights[name] == last[name]).all() for name in last)
    assert chosen.digest != models_of(train_tiny(toy_file, tmp_path / "bare"))[1].digest


@pytest.mark.parametrize(
    "assignment", ["selection.candidates=5", "metric.0.order=2", "buffer.reject_copies=true"]
)
def test_another_selection_or_metric_is_another_model(
    assignment: str, best_run: Run, toy_file: Path, tmp_path: Path
) -> None:
    other = train_tiny(toy_file, tmp_path / "other", [assignment], method="best-of-n")
    start, best, changed = models_of(best_run, other)

    assert (start.name, start.start) == ("mle", None)
    assert best.digest != changed.digest


def test_a_run_has_the_same_models_each_time(best_run: Run) -> None:
    first, second = models_of(best_run), models_of(Run(best_run.path))

    assert [model.digest for model in first] == [model.digest for model in second]


def test_a_metric_whose_file_changed_is_another_model(toy_file: Path, tmp_path: Path) -> None:
    metric = tmp_path / "taste.py"
    metric.write_text("def taste(texts):\n    return [float(len(text)) for text in texts]\n")
    run = train_tiny(toy_file, tmp_path / "run", method="best-of-n", metric=f"{metric}:taste")
    before = models_of(run)
    metric.write_text("def taste(texts):\n    return [-float(len(text)) for text in texts]\n")
    after = models_of(run)

    assert before[0].digest == after[0].digest
    assert before[1].digest != after[1].digest
