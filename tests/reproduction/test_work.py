"""One job done: what is shared, what is not done again, and what may have been moved since."""

import shutil
from pathlib import Path

import pytest
from tiny import contents

from reproduction.small_jobs import places_in, tiny_job, write_splits
from sda.errors import UserError
from sda.reproduction import work
from sda.reproduction.jobs import Job
from sda.reproduction.ledger import Ledger
from sda.reproduction.work import Places, do_job, epochs_done, train_job
from sda.runs.folder import RunFolder
from sda.runs.run import Run

FILES = ("data.valid=valid.txt", "data.test=test.txt")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = places_in(tmp_path)
    found.data.mkdir()
    write_splits(found.data)
    return found


@pytest.fixture
def job() -> Job:
    return tiny_job("sda", *FILES, source="train.txt")


def test_a_folder_is_named_after_the_first_job_and_found_by_the_key(places: Places) -> None:
    first = tiny_job("mle")
    same = Job("others", "base", "rnn", "smoke", 0, first.settings, {}, None)
    expected = places.runs / f"tests-rnn-mle-smoke-0-{first.key[:10]}"

    assert places.folder(first) == expected
    expected.mkdir(parents=True)
    assert places.folder(same) == expected
    assert places.folder(tiny_job("mle", seed=1)) != expected


def test_epochs_that_are_on_the_disk(places: Places) -> None:
    job = tiny_job("mle")
    assert epochs_done(job, places) == 0
    folder = RunFolder(places.folder(job))
    folder.path.mkdir(parents=True)
    folder.append_progress({"stage": "mle"})
    folder.append_progress({"stage": "mle"})

    assert epochs_done(job, places) == 2


def test_a_job_its_start_and_its_record(job: Job, places: Places) -> None:
    do_job(job, places)
    assert job.start is not None

    record = Ledger(places.results).find(job.key)
    run, start = (Run(places.folder(found)) for found in (job, job.start))
    assert record is not None and record.data["start"] == job.start.key
    assert run.settings.start == str(start.path) and start.is_finished
    # A start has its record when it is a job of its own.
    assert Ledger(places.results).find(job.start.key) is None
    do_job(job.start, places)
    assert Ledger(places.results).find(job.start.key) is not None

    before = contents(places.results), contents(places.runs)
    do_job(job, places)
    assert (contents(places.results), contents(places.runs)) == before


def test_a_run_is_not_measured_on_another_text(job: Job, places: Places) -> None:
    train_job(job, places)
    test = places.data / "test.txt"
    lines = test.read_text().splitlines(keepends=True)
    test.write_text("".join(lines[1:]))

    with pytest.raises(UserError, match="text"):
        do_job(job, places)
    assert Ledger(places.results).find(job.key) is None


def test_the_commit_is_that_of_the_training(
    job: Job, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "_commit", lambda: "before")
    train_job(job, places)
    monkeypatch.setattr(work, "_commit", lambda: "later")
    do_job(job, places)

    record = Ledger(places.results).find(job.key)
    assert record is not None and record.data["commit"] == "before"


def test_a_finished_start_serves_several_at_once(job: Job, places: Places) -> None:
    assert job.start is not None
    start = train_job(job.start, places)
    # As by another process that looks at it in the same moment.
    with start.folder.locked():
        assert train_job(job, places).is_finished


def test_a_start_that_is_trained_again_leaves_its_record_alone(job: Job, places: Places) -> None:
    assert job.start is not None
    do_job(job.start, places)
    before = contents(places.results)
    shutil.rmtree(places.runs)
    do_job(job.start, places)

    assert places.folder(job.start).is_dir()
    assert contents(places.results) == before


def test_data_and_runs_may_be_moved(job: Job, places: Places, tmp_path: Path) -> None:
    assert job.start is not None
    train_job(job.start, places)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        # The run is begun and has not come to its first checkpoint.
        patch.setattr("sda.runs.train.take_start", interrupted)
        train_job(job, places)
    (tmp_path / "far").mkdir()
    for folder in (places.data, places.runs):
        folder.rename(tmp_path / "far" / folder.name)
    now = places_in(tmp_path / "far")
    run = train_job(job, now)

    assert run.is_finished and run.path.is_relative_to(tmp_path / "far")
    assert Run(now.folder(job)).settings.source == str(now.data / "train.txt")
    assert Run(now.folder(job.start)).settings.data.test == str(now.data / "test.txt")
    # Even a finished run can be measured where its data are now.
    do_job(job, now)
    assert Ledger(now.results).find(job.key) is not None


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_another_text_under_the_same_name_is_refused(job: Job, places: Places) -> None:
    assert job.start is not None
    train_job(job.start, places)
    text = places.data / "train.txt"
    text.write_text("".join(reversed(text.read_text().splitlines(keepends=True))))

    with pytest.raises(UserError, match="has another text now than when the run began"):
        train_job(job, places)
    assert not places.folder(job).exists()


def test_a_folder_with_other_settings_is_refused(job: Job, places: Places) -> None:
    """As after a default was changed, and the version number of the numerics was not."""
    assert job.start is not None
    config = train_job(job.start, places).folder.config
    config.write_text(config.read_text().replace("clip = 5.0", "clip = 4.0"))

    with pytest.raises(UserError, match=r"the run there has mle\.clip = 4\.0, not 5\.0"):
        train_job(job.start, places)


def test_what_was_trained_is_not_trained_again_to_be_measured(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = tiny_job("mle")
    run = train_job(job, places)
    before = contents(run.path)
    monkeypatch.setattr(work, "train_run", None)
    do_job(job, places)

    assert contents(run.path) == before
    assert Ledger(places.results).find(job.key) is not None
