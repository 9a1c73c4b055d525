"""How far judges are, for the owner of a study: nothing here is about any model."""

from __future__ import annotations

from collections.abc import Sequence

from sda.studies.credentials import completion_code
from sda.studies.rating_pages import OwnerRow
from sda.studies.ratings import Given, failed_checks
from sda.studies.stored import JudgeEntry
from sda.studies.study import Study


def owner_rows(
    study: Study, judges: Sequence[JudgeEntry], given: Sequence[Given], secret: str
) -> list[OwnerRow]:
    """A row for each judge."""
    failed = failed_checks(study, given)
    done: dict[int, set[tuple[str, bool]]] = {}
    for number, item, is_repeat, _, _ in given:
        done.setdefault(number, set()).add((item, is_repeat))
    rows = []
    for judge in judges:
        count, planned = len(done.get(judge.number, ())), len(study.block(judge.block))
        state = "withdrawn" if judge.is_revoked else "done" if count == planned else "open"
        wrong, checks = failed.get(judge.number, (0, 0))
        code = completion_code(secret, judge.number)
        rows.append(OwnerRow(judge.number, count, planned, wrong, checks, state, code))
    return rows
