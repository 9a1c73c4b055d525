"""A run on a labelled file: from the column to samples, scores, buffer and resume."""

import json
from itertools import product
from pathlib import Path

import pytest
from tiny import EPOCHS, Interrupting, outcome, train_tiny

from sda.errors import UserError
from sda.runs.curve import sweep_runs
from sda.runs.run import Run
from sda.runs.sweep import Sweep
from sda.show.terminal import Counter

DATA = ("data.column=text", "data.label=mood")


@pytest.fixture(scope="module")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 lines about two moods, of which one is three times as frequent."""
    path = tmp_path_factory.mktemp("labelled") / "reviews.csv"
    things = ("soup", "bread", "table", "place", "coffee")
    good = [f"the {a} was {b} {c},good" for a, b, c in product(things, ("so", "very"), range(9))]
    bad = [
        f"the {a} was {b} bad,bad"
        for a, b in product(things, ("never", "not", "quite", "rather", "too", "truly"))
    ]
    path.write_text("\n".join(["text,mood", *good, *bad]) + "\n")
    return path


@pytest.fixture(scope="module")
def labelled_run(reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_tiny(reviews, tmp_path_factory.mktemp("runs") / "run", DATA)


def test_the_buffer_has_a_bin_for_each_label(labelled_run: Run) -> None:
    records = [json.loads(line) for line in labelled_run.folder.buffer.read_text().splitlines()]
    labels = [record["label"] for record in records]

    assert set(labels) == {"good", "bad"}
    # A tenth of the training sentences, in equal parts: the rare label is not crowded out.
    assert abs(labels.count("good") - labels.count("bad")) <= 1


def test_sentences_of_one_label_or_of_all_in_turn(labelled_run: Run) -> None:
    assert len(labelled_run.sample(7)) == 7
    assert labelled_run.sample(20, label="good") != labelled_run.sample(20, label="bad")
    with pytest.raises(UserError, match=r"no label 'ugly' \(known: bad, good\)"):
        labelled_run.sample(3, label="ugly")


def test_the_table_has_all_rows(labelled_run: Run) -> None:
    rows = labelled_run.scores()

    assert [row.name for row in rows] == ["real text", "mle", "mle", "sda"]
    assert all("nll-test" in {score.name for score in row.scores} for row in (rows[1], rows[3]))


def test_a_run_without_labels_has_none_to_ask_for(toy_run: Run) -> None:
    with pytest.raises(
        UserError, match=r"no label 'good' \(known: none: the run's text has no labels"
    ):
        toy_run.sample(3, label="good")


def test_a_generator_that_does_not_read_labels_is_refused(reviews: Path, tmp_path: Path) -> None:
    more = (*DATA, "generator.use=sda.models.leak:LeakGenerator", "generator.goal_size=8")
    with pytest.raises(UserError, match="LeakGenerator does not read labels"):
        train_tiny(reviews, tmp_path / "run", more)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_labelled_run_interrupted_after_every_epoch(
    reviews: Path, labelled_run: Run, tmp_path: Path
) -> None:
    for _ in range(EPOCHS):
        with pytest.raises(KeyboardInterrupt):
            train_tiny(reviews, tmp_path / "run", DATA, Interrupting(epochs=1), resume=True)
    train_tiny(reviews, tmp_path / "run", DATA, resume=True)

    assert outcome(tmp_path / "run") == outcome(labelled_run.path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "use", ["sda.models.causal_cnn:CnnGenerator", "sda.models.transformer:TransformerGenerator"]
)
def test_other_generators_are_told_the_label(use: str, reviews: Path, tmp_path: Path) -> None:
    size = "channels" if "Cnn" in use else "width"
    more = (*DATA, f"generator.use={use}", f"generator.{size}=8")
    run = train_tiny(reviews, tmp_path / "run", more)

    # Read again from the folder.
    written = [Run(run.path).sample(20, label=label) for label in ("good", "bad")]
    assert written[0] != written[1]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["best-of-n", "eda", "raft", "metric-reward", "sda-two-policy"])
def test_other_methods_take_labels(method: str, reviews: Path, tmp_path: Path) -> None:
    run = train_tiny(reviews, tmp_path / "run", DATA, method=method)

    assert run.is_finished
    assert len(run.sample(4, label="bad")) == 4


def test_curves_of_runs_with_other_labels_are_refused(
    labelled_run: Run, reviews: Path, tmp_path: Path
) -> None:
    plain = train_tiny(reviews, tmp_path / "plain", DATA[:1])
    sweep = Sweep((1.0, 0.8), repeats=1)
    found = sweep_runs([labelled_run], sweep, tmp_path / "curve", Counter())

    assert len(found["curves"]) == 2
    with pytest.raises(UserError, match="other labels than"):
        sweep_runs([plain, labelled_run], sweep, tmp_path / "other", Counter())
