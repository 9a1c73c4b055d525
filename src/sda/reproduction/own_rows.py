"""Rows of a user's own beside those of an experiment.

A row is a settings file, a method or a generator under a name. Its definition is kept in the user's
ledger, `EXPERIMENT/rows.toml`, so that tables find it again; its records are written there too.
The records of the project stay as they are, and are read beneath for the other rows, unless the
user's runs are about other texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from sda.errors import UserError
from sda.files import naming, write_text
from sda.reproduction.definitions import Experiment, RowDefinition, chosen
from sda.reproduction.jobs import make_job
from sda.reproduction.ledger import Ledger
from sda.reproduction.shipped import over_shipped
from sda.runs.plan import plan
from sda.settings.layers import named, names_of
from sda.settings.schema import read_toml

FILE = "rows.toml"
# What a file may say beside settings, as the definition of a row does.
KEYS = ("method", "preset", "title")
DEFAULTS = {"method": "sda", "preset": "paper"}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class OwnRows:
    """Rows of one experiment in a user's ledger; `is_beside` the records of the project or not."""

    rows: list[RowDefinition] = field(default_factory=list)
    is_beside: bool = False

    @property
    def names(self) -> list[str]:
        return [row.name for row in self.rows]


def parse_row(text: str, experiment: Experiment, profile: str) -> RowDefinition:
    """The row that `NAME=WHAT` asks for, where WHAT is a settings file, a method or a generator."""
    name, equals, what = text.partition("=")
    if not equals or not what or not _NAME.fullmatch(name):
        raise UserError(
            f"--row {text!r}: write it as NAME=FILE.toml, NAME=METHOD or NAME=GENERATOR"
        )
    if any(row.name == name for row in experiment.rows):
        raise UserError(f"--row {text}: {experiment.name} has a row {name!r}; take another name")
    row = RowDefinition.model_validate(
        {"name": name, "title": name, "is_own": True, **_what(what, text, experiment)}
    )
    try:
        for base in row.bases or experiment.bases:
            plan(make_job(experiment, row, base, profile, seed=0).settings)
    except UserError as error:
        raise UserError(f"--row {text}: {error}") from None
    return row


def _what(what: str, text: str, experiment: Experiment) -> dict[str, Any]:
    if what.endswith(".toml") or Path(what).is_file():
        table = read_toml(Path(what))
        about = {key: table.pop(key) for key in KEYS if key in table}
        for key, value in about.items():
            if not isinstance(value, str):
                raise UserError(f"--row {text}: {what}: {key!r} is no text")
        return {**DEFAULTS, **about, "settings": table}
    if what in names_of("methods"):
        return {"method": what}
    if what in names_of("generators"):
        # It stands for a base of its own, so it needs no place beside each of the experiment's.
        method = named("generators", what).get("method", "mle")
        return {"method": method, "generator": what, "bases": experiment.bases[:1]}
    methods, generators = ", ".join(names_of("methods")), ", ".join(names_of("generators"))
    raise UserError(
        f"--row {text}: {what!r} is no settings file (.toml), no method ({methods}) and no"
        f" generator ({generators})"
    )


def keep_rows(folder: Path, experiment: Experiment, new: OwnRows) -> OwnRows:
    """The ledger in the folder knows the rows; those of the same names give way."""
    before = kept_rows(folder, experiment)
    rows = {row.name: row for row in (*before.rows, *new.rows)}
    found = OwnRows(list(rows.values()), new.is_beside)
    path = folder / experiment.name / FILE
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    table = {
        "is_beside": found.is_beside,
        "rows": [row.model_dump(mode="json", exclude_defaults=True) for row in found.rows],
    }
    write_text(path, tomli_w.dumps(table))
    return found


def kept_rows(folder: Path, experiment: Experiment) -> OwnRows:
    """The rows of a user's own that the ledger in the folder knows; none where it has no file."""
    path = folder / experiment.name / FILE
    if not path.is_file():
        return OwnRows()
    table = read_toml(path)
    try:
        rows = [RowDefinition.model_validate({**row, "is_kept": True}) for row in table["rows"]]
        return OwnRows(rows, bool(table["is_beside"]))
    except (KeyError, TypeError, ValueError):
        raise UserError(
            f"{path}: not a list of rows as `sda reproduce --row` keeps it; take the file away and"
            " give the rows again"
        ) from None


def with_rows(experiment: Experiment, own: OwnRows) -> Experiment:
    """The experiment with the further rows below its own."""
    return experiment.model_copy(update={"rows": [*experiment.rows, *own.rows]})


def with_kept_rows(experiment: Experiment, ledger: Ledger) -> tuple[Experiment, Ledger]:
    """The experiment with the rows that the ledger knows, and the ledger to read them all from."""
    own = kept_rows(ledger.folder, experiment)
    beside = over_shipped(ledger.folder) if own.is_beside else ledger
    return with_rows(experiment, own), beside


def wanted_rows(
    experiment: Experiment, own: OwnRows, rows: Sequence[str] | None
) -> list[str] | None:
    """What to run: the rows of one's own, and with them those that are asked for by name."""
    if not own.rows:
        return None if rows is None else list(rows)
    known = [row.name for row in experiment.rows if row.name not in own.names]
    return [*own.names, *(chosen(rows, known, "row") if rows else [])]
