"""What `sda reproduce` was asked for: which rows, in whose ledger, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sda.errors import UserError
from sda.reproduction import definitions
from sda.reproduction.data_files import not_public
from sda.reproduction.definitions import Experiment, Portion
from sda.reproduction.jobs import Job, needed_files, plan_jobs
from sda.reproduction.ledger import RunRecord
from sda.reproduction.own_rows import (
    OwnRows,
    keep_rows,
    kept_rows,
    parse_row,
    wanted_rows,
    with_rows,
)
from sda.reproduction.shipped import HERE, is_shipped, made_by, shipped_folder
from sda.reproduction.work import Places

OWN = Path("my-results")
"""Where rows of a user's own are kept unless another folder is named."""


@dataclass(frozen=True)
class Asked:
    """An experiment with the rows of a user's own, those to run, and where all is.

    `remarks` are to be said before anything runs.
    """

    experiment: Experiment
    rows: list[str] | None
    places: Places
    own: OwnRows
    remarks: list[str]

    def keep(self) -> None:
        """The user's ledger knows the new rows from now on."""
        if self.own.rows:
            keep_rows(self.places.results, definitions.experiment(self.experiment.name), self.own)

    def nothing_run(self, jobs: Sequence[Job], profile: str) -> str:
        """That all was there, whose records these are, and how to make one's own."""
        ledger = self.places.ledger
        records = [record for job in jobs if (record := ledger.find(job.key)) is not None]
        shipped = [record for record in records if _is_from(record, shipped_folder())]
        if not shipped:
            return f"Nothing was run: all records are in {self.places.results} already."
        which = "these are" if len(shipped) == len(records) else f"{len(shipped)} of them are"
        data = f" --data {self.places.data}" if needed_files(jobs) else ""
        return (
            f"Nothing was run: {which} records that come with the project, made"
            f" {made_by(shipped)}. To make your own:"
            f" sda reproduce {self.experiment.name} --profile {profile}{data} --results NEW"
        )


def as_asked(
    name: str,
    profile: str,
    new: Sequence[str],
    rows: Sequence[str] | None,
    data: Path,
    out: Path,
    results: Path | None,
) -> Asked:
    """The experiment with the rows `new`, each NAME=WHAT, and with those of the user's ledger."""
    plain = definitions.experiment(name)
    folder = results or (OWN if new else HERE)
    if new and is_shipped(folder):
        raise UserError(
            f"--row: {folder} holds the records of the project, and rows of your own are kept apart"
            " from them; give --results another folder"
        )
    before = kept_rows(folder, plain)
    parsed = {row.name: row for row in (parse_row(text, plain, profile) for text in new)}
    known = {row.name: row for row in before.rows} | parsed
    whole = with_rows(plain, OwnRows(list(known.values())))
    others = not_public(data, needed_files(plan_jobs(whole, Portion(profile, seeds=1))))
    # The records of the project are about the public files.
    is_beside = not others and (bool(new) or before.is_beside)
    if others and (results is None or is_shipped(folder)):
        raise UserError(
            f"{data}: {'; '.join(others)}; the records that come with the project are about the"
            " public files, so give --results another folder for runs on your own"
        )
    is_over = is_beside or results is None
    beneath = shipped_folder() if is_over and not is_shipped(folder) else None
    own = OwnRows(list(parsed.values()), is_beside)
    remarks = [f"Not the public file: {other}." for other in others]
    if own.rows:
        remarks.append(f"Rows of your own, kept in {folder}: {', '.join(own.names)}.")
    places = Places(data, out, folder, beneath)
    return Asked(whole, wanted_rows(whole, own, rows), places, own, remarks)


def _is_from(record: RunRecord, folder: Path) -> bool:
    return record.path.resolve().is_relative_to(folder.resolve())
