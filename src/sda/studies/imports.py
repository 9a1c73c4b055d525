"""Ratings from files: those of a crowd platform, and plain tables. All of a file, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sda.errors import UserError, brief
from sda.studies.cells import read_rows, require_columns
from sda.studies.hits import RESULT_BLOCK, answer_name
from sda.studies.store import Store
from sda.studies.stored import Conflict
from sda.studies.study import Slot, Study, StudyFolder

WORKER = "WorkerId"


@dataclass(frozen=True)
class Answers:
    """What one judge said about one page, and the line that says so."""

    line: int
    judge: str
    slot: Slot
    values: dict[str, int]


def import_ratings(folder: StudyFolder, path: Path) -> tuple[int, int]:
    """The ratings of the file are in the study: how many pages, by how many judges.

    A judge of the file is a new one, or the one of that name in a file before.
    """
    study = folder.study()
    answers = _merged(path, study, list(_read(path, study)))
    store = Store.of(folder)
    with store.transaction():
        store.freeze(study.fingerprint)
        for answer in answers:
            judge = store.imported_judge(f"file:{answer.judge}")
            try:
                store.rate(
                    judge, answer.slot.item, answer.slot.is_repeat, answer.values, "", version=0
                )
            except Conflict:
                raise UserError(
                    f"{path}, line {answer.line}: judge {brief(answer.judge)} has rated item"
                    f" {answer.slot.item!r} before"
                ) from None
    store.close()
    return len(answers), len({answer.judge for answer in answers})


def _read(path: Path, study: Study) -> Iterator[Answers]:
    header, rows = read_rows(path)
    if RESULT_BLOCK in header:
        require_columns(path, header, {"the platform's name of the judge": WORKER})
        for line, row in rows:
            yield from _of_task(path, line, row, study)
        return
    criteria = [each.name for each in study.criteria]
    question = "question" if len(criteria) > 1 or "question" in header else None
    wanted = {"who rated": "judge", "what": "item", "how": "value", "in what": question}
    require_columns(path, header, wanted)
    for line, row in rows:
        where = f"{path}, line {line}"
        name = row[question] if question else criteria[0]
        if name not in criteria:
            raise UserError(f"{where}: unknown question {brief(name)} ({', '.join(criteria)})")
        if row["item"] not in study.by_id:
            raise UserError(f"{where}: the study has no item {brief(row['item'])}")
        is_repeat = row.get("is_repeat", "0").strip() in ("1", "true", "True")
        slot = Slot(item=row["item"], is_repeat=is_repeat)
        value = checked_value(where, row["value"], study.values)
        yield Answers(line, _judge(where, row["judge"]), slot, {name: value})


def _of_task(path: Path, line: int, row: dict[str, str], study: Study) -> Iterator[Answers]:
    """The pages of one task of the crowd platform."""
    where = f"{path}, line {line}"
    number = row[RESULT_BLOCK]
    if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= len(study.blocks)):
        raise UserError(
            f"{where}: {RESULT_BLOCK} is {brief(number)}, and the study has blocks 1 to"
            f" {len(study.blocks)}"
        )
    judge = _judge(where, row[WORKER])
    for page, slot in enumerate(study.blocks[int(number) - 1], 1):
        values = {}
        for criterion in study.criteria:
            name = f"Answer.{answer_name(page, criterion.name)}"
            # Long results have a column for each button, of which one is true.
            text = row.get(name) or _pressed(row, name, study.values)
            if text is None:
                raise UserError(f"{where}: no answer in {name}")
            values[criterion.name] = checked_value(where, text, study.values)
        yield Answers(line, judge, slot, values)


def _pressed(row: dict[str, str], name: str, values: range) -> str | None:
    pressed = [v for v in values if row.get(f"{name}.{v}", "").strip().lower() == "true"]
    return str(pressed[0]) if len(pressed) == 1 else None


def _merged(path: Path, study: Study, answers: list[Answers]) -> list[Answers]:
    """One for each page of each judge; a question that was answered twice or never is refused."""
    found: dict[tuple[str, Slot], Answers] = {}
    for answer in answers:
        key = (answer.judge, answer.slot)
        before = found.get(key)
        if before is None:
            found[key] = answer
            continue
        if before.values.keys() & answer.values.keys():
            raise UserError(
                f"{path}, line {answer.line}: judge {brief(answer.judge)} rates item"
                f" {answer.slot.item!r} a second time; the first is in line {before.line}"
            )
        values = before.values | answer.values
        found[key] = Answers(before.line, answer.judge, answer.slot, values)
    for answer in found.values():
        missing = [each.name for each in study.criteria if each.name not in answer.values]
        if missing:
            raise UserError(
                f"{path}, line {answer.line}: judge {brief(answer.judge)} has no answer to"
                f" {missing[0]!r} for item {answer.slot.item!r}"
            )
    return list(found.values())


def checked_value(where: str, text: str, values: range) -> int:
    """The rating; one that the scale does not have is refused."""
    stripped = text.strip()
    if stripped.isascii() and stripped.isdecimal() and int(stripped) in values:
        return int(stripped)
    raise UserError(f"{where}: the rating {brief(text)} is not among {values[0]} to {values[-1]}")


def _judge(where: str, name: str) -> str:
    if not name.strip():
        raise UserError(f"{where}: no judge is named")
    return name.strip()
