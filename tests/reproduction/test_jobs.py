"""Jobs: what is planned, which share a start, and what tells one from another."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.errors import UserError
from sda.reproduction import jobs as jobs_module
from sda.reproduction.data_files import known_files
from sda.reproduction.definitions import Portion, experiment, experiment_names
from sda.reproduction.jobs import Job, located, needed_files, plan_jobs, start_settings
from sda.reproduction.ledger import Ledger
from sda.reproduction.rewriting_jobs import plan_rewritings
from sda.reproduction.rewriting_rows import rewriting_experiment, rewriting_names
from sda.runs.plan import plan
from sda.runs.start import stage_one_settings
from sda.settings.schema import HandOverSettings, Settings
from sda.training.schedule import Phase

ROOT = Path(__file__).parents[2]
PROFILES = ("smoke", "small", "full")
# Results are found by these: a change that moves them without need makes every run be run again.
KEYS = {
    ("baselines", "rnn-sda-small-0"): (
        "f80eec2703e63846d186c6a323c70143fe04ced3b79c5514c8cbc56d760b4d50"
    ),
    ("coco", "rnn-mle-small-0"): (
        "573d7926239dc2bbdcfa8e1084a4dea445d11142fa9bf0dcec57612fa610ee62"
    ),
    ("synthetic20", "leakrnn-rl-small-1"): (
        "4a3405024e9bd28152a53861bef74cc789f5f32f01fadf6a0255e029715009cd"
    ),
}


@cache
def all_jobs(name: str, profile: str) -> list[Job]:
    return plan_jobs(experiment(name), Portion(profile))


def planned(name: str, profile: str = "small", **choices: Any) -> dict[str, Job]:
    part = Portion(profile, **choices)
    found = plan_jobs(experiment(name), part) if choices else all_jobs(name, profile)
    return {job.name: job for job in found}


@pytest.mark.parametrize(("name", "job"), KEYS)
def test_keys_stay_as_they_are(name: str, job: str) -> None:
    assert planned(name)[job].key == KEYS[name, job]


def test_every_record_of_the_ledger_is_that_of_a_job() -> None:
    jobs = [job for name in experiment_names() for job in all_jobs(name, "small")]
    known = {job.key for job in jobs} | {job.start.key for job in jobs if job.start}
    for name in rewriting_names():
        known |= {job.key for job in plan_rewritings(rewriting_experiment(name), Portion("small"))}
    records = Ledger(ROOT / "results").records()

    assert len(records) > 200
    assert [str(record.path) for record in records if record.key not in known] == []
    assert {record.data["profile"] for record in records} == {"small"}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_can_be_planned(name: str, profile: str) -> None:
    found = experiment(name)
    wanted = all_jobs(name, profile)

    expected = {
        f"{base}-{row.name}-{profile}-{seed}"
        for base in found.bases
        for row in found.rows
        if base in (row.bases or found.bases)
        for seed in range(found.seeds[base])
    }
    assert {job.name for job in wanted} == expected
    # No two rows of a table are the same run.
    assert len({job.key for job in wanted}) == len(wanted) == len(expected)
    for job in wanted:
        phases, schedule, _ = plan(job.settings)
        assert (job.start is None) == (not schedule and not job.settings.selection)
        assert job.settings.seed == job.seed
        if job.start is not None:
            first, nothing, _ = plan(job.start.settings)
            # What `sda train --start` asks for, and no more than Stage I.
            ours, theirs = map(stage_one_settings, (job.settings, job.start.settings))
            assert ours == theirs
            assert Phase.DISCRIMINATOR in first or first == phases
            assert not nothing and job.start.start is None


@pytest.mark.parametrize("name", experiment_names())
def test_rows_of_one_base_and_seed_share_a_start_which_is_a_row(name: str) -> None:
    jobs = all_jobs(name, "small")
    rows = {job.key: job for job in jobs}
    for job in jobs:
        if job.start is not None:
            first = rows[job.start.key]
            assert (first.base, first.seed) == (job.base, job.seed)
            assert first.row.startswith("mle") and first.settings.method == "mle"
            # A start with a mark, such as a size, is that of the rows with the mark.
            assert first.row.removeprefix("mle") in job.row


def test_seeds_bases_and_rows_can_be_chosen() -> None:
    assert list(planned("coco", bases=["leakrnn"], rows=["sda", "mle"], seeds=1)) == [
        "leakrnn-mle-small-0",
        "leakrnn-sda-small-0",
    ]
    assert len(planned("samples", rows=["mle"], bases=["rnn"], seeds=5)) == 5
    # A row that the base does not have.
    assert planned("coco", bases=["leakrnn"], rows=["raft"]) == {}


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"profile": "huge"}, r"unknown profile 'huge' \(known: full, small, smoke\)"),
        ({"bases": ["gru"]}, r"unknown model 'gru' \(known: rnn, leakrnn\)"),
        ({"rows": ["rll"]}, r"unknown row 'rll' \(known: mle, rl, "),
    ],
)
def test_choices_that_are_not_there(choices: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        planned("coco", **choices)


def test_rows_of_different_experiments_are_one_run() -> None:
    coco, news = planned("coco"), planned("emnlp")
    for row in ("mle", "rl", "sda"):
        name = f"rnn-{row}-small-0"
        assert planned("samples")[name].key == coco[name].key
        assert planned("memorization")[name].key == planned("grammar")[name].key == news[name].key
    assert planned("imitation")["rnn-raft-small-2"].key == coco["rnn-raft-small-2"].key
    # Half of 20,000 captions have the words of all of them.
    assert planned("size")["rnn-mle-50-small-1"].key != coco["rnn-mle-small-1"].key
    # Another metric is another run from the same start.
    rare, plain = (table["rnn-sda-small-0"] for table in (planned("vocabulary"), news))
    assert rare.key != plain.key
    assert rare.start is not None and plain.start is not None
    assert rare.start.key == plain.start.key


@cache
def sda_job() -> Job:
    return planned("coco", "smoke", bases=["rnn"], rows=["sda"], seeds=1)["rnn-sda-smoke-0"]


def changed(job: Job, **values: Any) -> Job:
    return replace(job, settings=job.settings.model_copy(update=values))


def test_names_and_places_are_not_in_the_key() -> None:
    job = sda_job()

    assert replace(job, experiment="x", row="y", profile="z", origins={}).key == job.key
    assert changed(job, start="runs/somewhere", checkpoint_every=7).key == job.key


def test_what_changes_figures_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    job = sda_job()
    assert job.start is not None
    stage2 = job.settings.stage2.model_copy(update={"rate": 0.5})
    others = [
        changed(job, seed=1),
        changed(job, stage2=stage2),
        changed(job, threads=2),
        changed(job, dtype="bfloat16"),
        changed(job, source="coco/other.txt"),
        replace(job, start=None),
        replace(job, start=changed(job.start, seed=1)),
    ]
    keys = {other.key for other in (job, *others)}
    assert len(keys) == len(others) + 1

    monkeypatch.setattr(jobs_module, "NUMERICS", jobs_module.NUMERICS + 1)
    assert job.key not in keys


@given(st.integers(0, 2**31), st.floats(1e-6, 1.0), st.booleans())
def test_the_key_is_that_of_the_settings_when_read_again(
    seed: int, rate: float, is_control: bool
) -> None:
    job = sda_job()
    stage2 = job.settings.stage2.model_copy(update={"rate": rate, "two_policy": is_control})
    one = changed(job, seed=seed, stage2=stage2)
    text = json.dumps(one.settings.model_dump(mode="json", exclude_defaults=True))

    assert replace(one, settings=Settings.model_validate(json.loads(text))).key == one.key


def test_a_start_has_nothing_of_stage_two() -> None:
    job = sda_job()
    changed = {"selection": {"use": "x:Y"}, "hand_over": HandOverSettings(check=True)}
    settings = job.settings.model_copy(update=changed)
    first = start_settings(settings)

    assert first.method == "mle"
    assert first.metric == [] and first.selection == {} and first.guard.rules == []
    assert first.stage2.epochs == 0 and not first.hand_over.check
    assert first.evaluation == job.settings.evaluation
    assert job.start is not None and job.start.row == "sda-start"


def test_files_lead_to_the_data_folder() -> None:
    job = sda_job()
    settings = located(job.settings, Path("my data"))

    assert settings.source == "my data/coco/train.txt"
    assert (settings.data.valid, settings.data.test) == (
        "my data/coco/valid.txt",
        "my data/coco/test.txt",
    )
    assert settings.data.min_count == job.settings.data.min_count == 2
    # The job itself knows no folder: its record is the same everywhere.
    assert job.settings.source == "coco/train.txt"


def test_an_oracle_leads_to_the_data_folder_if_it_is_a_file() -> None:
    published = planned("synthetic20", rows=["mle"], seeds=1, bases=["rnn"])["rnn-mle-small-0"]
    drawn = planned("synthetic40", rows=["mle"], seeds=1, bases=["rnn"])["rnn-mle-small-0"]

    found = located(published.settings, Path("data"))
    assert found.source == "oracle:data/oracle/oracle_lstm.npz"
    captions = planned("baselines", rows=["mle"], seeds=1)["rnn-mle-small-0"]
    for job in (drawn, captions):
        # Figures of the ledger are all made on one kind of device.
        on_cpu = job.settings.model_copy(update={"device": "cpu"})
        assert located(job.settings, Path("data")) == on_cpu
        assert replace(job, settings=on_cpu).key == job.key


@pytest.mark.parametrize("name", experiment_names())
def test_needed_files_are_known_to_the_table_of_data(name: str) -> None:
    needed = needed_files(all_jobs(name, "small"))
    told = {file.path for file in known_files() if name in file.experiments}

    assert len(set(needed)) == len(needed)
    assert set(needed) <= {file.path for file in known_files()}
    # E12 stands beside samples that others published, and sentences of both sets. An experiment
    # that the paper does not have need not be named beside a file.
    assert name == "samples" or told == set(needed) or not (told or experiment(name).number)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_row_as_long_as_another_has_its_steps_and_nothing_else(profile: str) -> None:
    rows = ["mle-longer", "recommended"]
    longer, recommended = (
        job.settings for job in planned("recommended", profile, rows=rows, seeds=1).values()
    )

    assert [longer.stage2.steps, longer.stage2.kl, longer.guard.rules] == ["likelihood", 0.0, []]
    for name in ("epochs", "first_steps", "fewer_every", "mle_every", "mle_batches"):
        assert getattr(longer.stage2, name) == getattr(recommended.stage2, name)
    assert longer.stage2.mle_batches == 4


def test_needed_files_of_no_job() -> None:
    assert needed_files([]) == []
