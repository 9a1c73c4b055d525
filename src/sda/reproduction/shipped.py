"""The records that come with the project: where they stand, and when and by what they were made."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sda.errors import UserError
from sda.files import naming
from sda.reproduction.ledger import Ledger, RunRecord

HERE = Path("results")
"""Where records are kept unless a user names another folder."""
DATES = "commits.toml"


def shipped_folder() -> Path:
    """In an installed package a folder beside its modules, in a clone the folder `results`."""
    package = Path(__file__).parents[1]
    inside = package / "results"
    return inside if inside.is_dir() else package.parents[1] / "results"


def is_shipped(folder: Path) -> bool:
    """Whether the folder is that of the project's own records."""
    return folder.resolve() == shipped_folder().resolve()


def open_ledger(folder: Path | None) -> Ledger:
    """The ledger in a folder; without one that of `results` here, over the project's own records.

    A folder that is named has to be there: a wrong name would pass for one without runs.
    """
    if folder is None:
        return over_shipped(HERE)
    if not folder.is_dir():
        raise UserError(f"{folder}: no folder of records; --results says where they are")
    return Ledger(folder)


def over_shipped(folder: Path) -> Ledger:
    """The ledger in a folder, which also finds the project's own records and never writes there."""
    return Ledger(folder, beneath=None if is_shipped(folder) else shipped_folder())


def made_by(records: Sequence[RunRecord]) -> str:
    """Days and commits of the records in words, such as `on 2026-11-16 by commit 65e5d86c8744`."""
    days = _commit_days(shipped_folder() / DATES)
    commits = Counter(str(record.data["commit"]) for record in records)
    known = {
        record.data.get("date") or days.get(str(record.data["commit"])) for record in records
    } - {None}
    when = sorted(map(str, known))
    said = f"on {when[0]}" if len(when) == 1 else f"from {when[0]} to {when[-1]}" if when else ""
    names = ", ".join(commit for commit, _ in commits.most_common())
    return f"{said} by commit{'s' if len(commits) > 1 else ''} {names}".strip()


def _commit_days(path: Path) -> dict[str, str]:
    """The day of each commit that made records before these told it themselves."""
    if not path.is_file():
        return {}
    with naming(path):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {commit: str(day) for commit, day in table.items()}
