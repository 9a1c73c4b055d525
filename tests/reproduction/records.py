"""Records of the ledger that are written down by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sda.reproduction.definitions import Portion, experiment
from sda.reproduction.jobs import Job, plan_jobs
from sda.reproduction.ledger import Ledger, RunRecord

Scores = Mapping[str, float]
Points = Mapping[float, Sequence[Scores]]

PACKAGES = {"python": "3.11.7", "torch": "2.13.0", "numpy": "2.4.6", "numba": "0.68.1"}


def record(
    row: str = "mle",
    seed: int = 0,
    key: str | None = None,
    start: str | None = None,
    scores: Scores | None = None,
    real: Scores | None = None,
    points: Points | None = None,
    real_points: Scores | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """All fields of a record; `points` has for each temperature the scores of its samplings.

    Real text has the same scores beside the points as in the table, unless `real_points` differ.
    Any other field of a record can be given by its name.
    """
    points = points or {}
    found = {
        "key": key or f"{row}-{seed}",
        "numerics": 1,
        "experiment": "coco",
        "row": row,
        "base": "rnn",
        "profile": "small",
        "seed": seed,
        "start": start,
        "commit": "0123456789ab",
        "packages": PACKAGES,
        "settings": {"source": "coco/train.txt", "seed": seed},
        "scores": {name: {"value": value} for name, value in (scores or {}).items()},
        "real": {name: {"value": value} for name, value in (real or {}).items()},
        "signatures": {},
        "alarms": [],
        "costs": {"updates": 100, "written": 5000, "seconds": 150.0, "cpu_seconds": 120.0},
        "first_stage_costs": {
            "updates": 80,
            "written": 3000,
            "seconds": 100.0,
            "cpu_seconds": 60.0,
        },
        "curve": {
            "temperatures": list(points),
            "samples": 2000,
            "repeats": max(map(len, points.values()), default=0),
            "real": dict((real if real_points is None else real_points) or {}),
            "points": [
                {"temperature": temperature, "samplings": [dict(each) for each in samplings]}
                for temperature, samplings in points.items()
            ],
        },
        "progress": [],
        "samples": [],
    }
    return {**found, **fields}


def record_of(job: Job, **contents: Any) -> dict[str, Any]:
    """The record that the ledger finds for the job; contents are those of `record`."""
    about = {
        "key": job.key,
        "start": None if job.start is None else job.start.key,
        "experiment": job.experiment,
        "base": job.base,
        "profile": job.profile,
        "settings": job.settings.model_dump(mode="json", exclude_defaults=True),
    }
    return record(job.row, job.seed, **{**about, **contents})


def as_record(data: Mapping[str, Any]) -> RunRecord:
    """The record as if it had been read from a file."""
    return RunRecord(Path(f"{data['row']}-{data['seed']}.json"), data)


def jobs_of(
    name: str, profile: str = "small", base: str = "rnn", seeds: int | None = None
) -> dict[tuple[str, int], Job]:
    """The jobs of an experiment by row and seed."""
    jobs = plan_jobs(experiment(name), Portion(profile, [base], seeds))
    return {(job.row, job.seed): job for job in jobs}


def write_ledger(folder: Path, records: Sequence[Mapping[str, Any]]) -> Ledger:
    """A ledger of these records in the folder."""
    ledger = Ledger(folder)
    for data in records:
        ledger.write(data)
    return ledger
