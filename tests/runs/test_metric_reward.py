"""A run of the preset `metric-reward` says what it is, wherever its name stands."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import TINY, Answer, sets, train_tiny, write_toy

from sda.randomness import seeded
from sda.runs.curve_models import collect_models
from sda.runs.run import Run
from sda.sampling import Decoding, sample
from sda.source import load_source

NAME = "metric-reward+mle"


@pytest.fixture(scope="module")
def run(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_tiny(toy_file, tmp_path_factory.mktemp("rewarded") / "run", preset="metric-reward")


def test_rows_and_curves_have_the_name(run: Run) -> None:
    names = [model.name for model in collect_models([run], load_source(run.settings))]

    assert [row.name for row in run.scores()] == ["real text", "mle", "mle", NAME]
    assert names == ["mle", NAME]


def test_the_report_has_the_name(run: Run) -> None:
    page = run.folder.report.read_text()
    scores = page.index('class="scores')
    table = page[scores : page.index("</table>", scores)]

    assert NAME in table and "sda" not in table


def test_samples_are_drawn_as_they_were_under_the_old_name(run: Run) -> None:
    vocabulary, _ = run.folder.load_vocabulary()
    rng = seeded(run.settings.seed, "final", "sda")
    samples = sample(run.generator(), 30, rng, Decoding(never=vocabulary.unk))

    assert run.folder.samples.read_text().splitlines() == vocabulary.decode(samples)


def test_folder_and_title_have_the_name(
    command: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_toy(Path("mine.txt"))
    options = ("--profile", "smoke", "--preset", "metric-reward")
    answer = command("train", "mine.txt", *options, *sets(TINY))

    assert answer.code == 0, answer.err
    assert f"{NAME} on mine.txt, seed 0" in answer.err
    assert [path.name for path in Path("runs").iterdir()] == [f"mine-{NAME}-smoke-0"]
