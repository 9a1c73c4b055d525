"""Jobs that take a second, and records that took none."""

from pathlib import Path
from typing import Any

from tiny import tiny_settings

from sda.reproduction.jobs import Job, start_settings
from sda.reproduction.work import Places


def tiny_job(row: str, *more: str, seed: int = 0, source: str = "captions", **choices: Any) -> Job:
    """A job of a tiny run by the method that the row is called after; `mle` is the start itself."""
    settings, origins = tiny_settings(
        source, *more, method="sda" if row == "mle" else row, values={"seed": seed}, **choices
    )

    def job(name: str, settings: Any, start: Job | None) -> Job:
        return Job("tests", name, "rnn", "smoke", seed, settings, origins, start)

    first = job("mle", start_settings(settings), None)
    if row == "mle":
        return first
    return job(row, settings, None if settings.augmentation else first)


def places_in(folder: Path) -> Places:
    return Places(folder / "data", folder / "runs", folder / "results")


def record_of(job: Job, seconds: float = 10.0, first: float = 4.0) -> dict[str, Any]:
    """What the ledger might have of a job."""
    return {
        "key": job.key,
        "experiment": job.experiment,
        "row": job.row,
        "base": job.base,
        "profile": job.profile,
        "seed": job.seed,
        "start": None if job.start is None else job.start.key,
        "settings": job.settings.model_dump(mode="json", exclude_defaults=True),
        "scores": {"bleu-2": {"value": 0.25, "interval": [0.2, 0.3]}},
        "real": {"bleu-2": {"value": 0.5}},
        "costs": {"updates": 3, "seconds": seconds},
        "first_stage_costs": {"updates": 1, "seconds": first},
        "curve": {},
    }
