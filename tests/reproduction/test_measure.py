"""What the ledger keeps of a run, and that it holds every column that an experiment shows."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import SMALL_ORACLE

from reproduction.small_jobs import places_in, tiny_job, write_splits
from sda.doors import check
from sda.reproduction import measure
from sda.reproduction.definitions import Portion, experiment, experiment_names
from sda.reproduction.jobs import NUMERICS, Job, make_job, plan_jobs
from sda.reproduction.measure import (
    FEW_TEMPERATURES,
    commit,
    lacks_checker,
    make_record,
    packages,
    sweep_for,
)
from sda.reproduction.record_shape import RecordShape
from sda.reproduction.work import Places, train_job
from sda.runs.sweep import TEMPERATURES, Sweep
from sda.settings.layers import source_kind

COSTS = {"updates", "tokens", "calls", "cpu-minutes"}
FEW = Sweep((1.0, 0.8), repeats=2)


def record_of(job: Job, places: Places) -> dict[str, Any]:
    return make_record(job, train_job(job, places), FEW)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    found = places_in(tmp_path_factory.mktemp("measure"))
    found.data.mkdir()
    write_splits(found.data)
    return found


@pytest.fixture(scope="module")
def job() -> Job:
    return tiny_job("sda")


@pytest.fixture(scope="module")
def record(job: Job, places: Places) -> dict[str, Any]:
    return record_of(job, places)


def test_where_runs_are_measured() -> None:
    small = {job.row: job for job in plan_jobs(experiment("coco"), Portion("small", ["rnn"], 1))}
    smoke = make_job(experiment("coco"), experiment("coco").rows[0], "rnn", "smoke", 0)

    assert sweep_for(small["mle"]) == Sweep(TEMPERATURES, repeats=2)
    few = Sweep(FEW_TEMPERATURES, repeats=2)
    assert sweep_for(small["sda"]) == sweep_for(small["eda"]) == few
    # They are among those of the start, which they are held against.
    assert set(FEW_TEMPERATURES) < set(TEMPERATURES)
    assert sweep_for(smoke).temperatures == (1.0, 0.8)


def test_a_record_is_json_with_all_fields(record: dict[str, Any], job: Job) -> None:
    written = json.loads(json.dumps(record, allow_nan=False))
    assert written == json.loads(json.dumps(record))
    check(RecordShape, {"format": 1, **written}, "record")
    assert record["key"] == job.key and record["numerics"] == NUMERICS
    assert job.start is not None and record["start"] == job.start.key
    assert record["settings"] == job.settings.model_dump(mode="json", exclude_defaults=True)
    assert set(record["signatures"]) == set(record["scores"])
    assert record["packages"].keys() == {"python", "torch", "numpy", "numba"}


def test_scores_are_those_of_the_last_row(record: dict[str, Any], job: Job, places: Places) -> None:
    run = train_job(job, places)
    real, *_, last = run.scores()
    for row, found in ((real, record["real"]), (last, record["scores"])):
        assert {score.name for score in row.scores} == found.keys()
        for score in row.scores:
            assert found[score.name]["value"] == pytest.approx(score.value, rel=1e-5)
    assert record["samples"] == run.folder.samples.read_text().splitlines()[:10]
    low, high = record["scores"]["bleu-2"]["interval"]
    assert low <= record["scores"]["bleu-2"]["value"] <= high


def test_costs_and_progress_of_a_run_with_a_start(
    record: dict[str, Any], job: Job, places: Places
) -> None:
    assert job.start is not None
    first = record_of(job.start, places)

    assert [line["stage"] for line in record["progress"]] == ["imitation", "imitation"]
    assert [line["stage"] for line in first["progress"]] == ["mle", "mle", "discriminator"]
    assert record["first_stage_costs"] == first["costs"] == first["first_stage_costs"]
    for name in ("updates", "written", "seconds"):
        assert record["costs"][name] > first["costs"][name]
    assert first["start"] is None
    assert first["real"] == record["real"]


def test_points_of_a_curve(record: dict[str, Any]) -> None:
    curve = record["curve"]

    assert (curve["samples"], curve["sentences"], curve["repeats"]) == (30, 30, 2)
    assert [point["temperature"] for point in curve["points"]] == [1.0, 0.8]
    assert curve["temperatures"] == (1.0, 0.8)
    for point in curve["points"]:
        one, other = point["samplings"]
        assert one.keys() == other.keys() and one != other
        # It needs no samples.
        assert one["nll-test"] == other["nll-test"]
    # Points are about as many sentences, and the same references, as the scores are.
    table = {name: score["value"] for name, score in record["real"].items()}
    assert {"bleu-5", "self-bleu-5", "distinct-2", "nll-oracle"} <= curve["real"].keys()
    assert {name: table.get(name, value) for name, value in curve["real"].items()} == curve["real"]


def test_a_selection_is_measured_as_such(places: Places, record: dict[str, Any]) -> None:
    chosen = record_of(tiny_job("best-of-n"), places)

    assert chosen["start"] == record["start"]
    # It asks the metric, which is all that it costs: 16 sentences to try it, four for each sample.
    assert 16 < chosen["costs"]["calls"] <= 136 and chosen["first_stage_costs"]["calls"] == 0
    assert {**chosen["costs"], "calls": 0} == chosen["first_stage_costs"]
    assert chosen["progress"] == []
    # A selection has no likelihood of its own.
    assert "nll-test" not in chosen["curve"]["points"][0]["samplings"][0]
    assert "nll-test" not in chosen["scores"]


def test_a_record_made_in_another_life_is_the_same(
    record: dict[str, Any], job: Job, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads change sums, and a process that found the run finished has not set them."""
    seen = []
    load = measure.load_source

    def noting(settings: Any) -> Any:
        seen.append(torch.get_num_threads())
        return load(settings)

    monkeypatch.setattr(measure, "load_source", noting)
    torch.set_num_threads(2)
    again = record_of(job, places)

    assert seen == [1]
    assert again.pop("measuring_seconds") > 0
    assert again == {name: part for name, part in record.items() if name in again}


def columns(name: str) -> set[str]:
    found = experiment(name)
    return {*found.scores, *found.beside} - COSTS


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["captions", "oracle", "text"])
def test_records_hold_the_columns_of_every_experiment(kind: str, places: Places) -> None:
    features = "evaluation.features=true"
    files = ("data.valid=valid.txt", "data.test=test.txt", features)
    job = {
        "captions": lambda: tiny_job("sda", features),
        "oracle": lambda: tiny_job("sda", *SMALL_ORACLE, source="oracle"),
        "text": lambda: tiny_job("sda", *files, source="train.txt"),
    }[kind]()
    found = record_of(job, places)
    experiments = [
        name for name in experiment_names() if source_kind(experiment(name).source) == kind
    ]
    without = {"grammar-issues"} if lacks_checker("train.txt") else set()

    assert experiments
    for name in experiments:
        assert columns(name) - without - found["scores"].keys() == set()
    assert {"updates", "written", "cpu_seconds"} <= found["costs"].keys()
    # A record tells nothing of the machine that it was made on.
    assert str(places.data) not in json.dumps(found)


def test_only_text_lacks_a_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "find_spec", lambda name: None)
    assert lacks_checker("coco/train.txt") and not lacks_checker("captions")
    monkeypatch.setattr(measure, "find_spec", lambda name: name)
    assert not lacks_checker("coco/train.txt")


def test_the_commit_and_the_packages() -> None:
    assert re.fullmatch(r"[\w.-]+", commit() or "outside")
    assert packages()["torch"] == torch.__version__


def test_a_repository_that_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package in an environment within a user's own project."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "mine"]):
        subprocess.run([*git, *command], check=True)
    file = tmp_path / "measure.py"
    file.write_text("")
    monkeypatch.setattr(measure, "__file__", str(file))

    assert commit() is None
    subprocess.run([*git, "add", "measure.py"], check=True)
    assert commit() is not None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit() is None
