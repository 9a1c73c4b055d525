"""One job done: its start trained, the run trained, measured and written into the ledger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from sda.files import write_text
from sda.reproduction.jobs import Job, located
from sda.reproduction.ledger import Ledger
from sda.reproduction.measure import commit, make_record, note_commit, sweep_for
from sda.runs.folder import RunFolder
from sda.runs.paths import with_absolute_paths
from sda.runs.run import Run, trained_run
from sda.runs.train import train_run
from sda.settings.schema import Settings, write_toml
from sda.show.terminal import Quiet

KEY_LETTERS = 10  # enough to tell folders apart


@dataclass(frozen=True)
class Places:
    """Where data, run folders and the ledger are; `beneath` is a ledger that is only read."""

    data: Path
    runs: Path
    results: Path
    beneath: Path | None = None

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.results, self.beneath)

    def folder(self, job: Job) -> Path:
        """The run folder of a job; jobs with the same settings share it, whatever their names."""
        short = job.key[:KEY_LETTERS]
        found = sorted(self.runs.glob(f"*-{short}"))
        return found[0] if found else self.runs / f"{job.experiment}-{job.name}-{short}"


def do_job(job: Job, places: Places) -> None:
    """The ledger holds the job's record; whatever was done of it before is not done again."""
    run = train_job(job, places)
    ledger = places.ledger
    # A start may be trained again for others to begin with, because its folder is gone.
    if ledger.find(job.key) is None:
        ledger.write(make_record(job, run, sweep_for(job)))


def train_job(job: Job, places: Places) -> Run:
    """The finished run of the job, after that of its start."""
    settings = with_absolute_paths(located(job.settings, places.data))
    if job.start is not None:
        start = train_job(job.start, places)
        settings = settings.model_copy(update={"start": str(start.path)})
    folder = RunFolder(places.folder(job))
    if folder.holds_run:
        _lead_to_files(folder, settings, job.origins)
    if folder.is_finished:
        # Several may begin with it at once, and training would lock it.
        folder.check_same(settings)
        return trained_run(folder.path, settings)
    made_by = _commit()
    run = train_run(settings, job.origins, folder.path, Quiet(), resume=True)
    note_commit(run, made_by)
    return run


@cache
def _commit() -> str | None:
    """That of the code in this process, which stays when the repository goes on."""
    return commit()


def _lead_to_files(folder: RunFolder, settings: Settings, origins: dict[str, str]) -> None:
    """The run looks for its data and its start where they are now; they may have been moved."""
    before = folder.settings()
    data = replace(before.data, valid=settings.data.valid, test=settings.data.test)
    places = {"source": settings.source, "start": settings.start, "data": data}
    now = before.model_copy(update=places)
    if now != before:
        write_text(folder.config, write_toml(now, origins))


def epochs_done(job: Job, places: Places) -> int:
    """Epochs of the job that are on the disk."""
    folder = RunFolder(places.folder(job))
    if not folder.progress.is_file():
        return 0
    return folder.progress.read_bytes().count(b"\n")
