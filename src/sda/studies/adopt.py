"""A study of ratings that others made: a table with texts and ratings, such as a published one.

Nothing was fixed beforehand, and the results say so. Where a table does not name the systems, they
are found by their published outputs: the text that a system wrote for that source. Several systems
may have written the same; as many rows with that text are dealt to them in the order given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sda.errors import UserError, brief
from sda.studies.cells import read_rows, require_columns
from sda.studies.imports import checked_value
from sda.studies.store import Store
from sda.studies.study import Criterion, Item, Rules, Study, StudyFolder
from sda.text.detokenise import detokenise
from sda.text.reading import read_lines


@dataclass(frozen=True)
class Columns:
    """Which column of the table is what; None where there is none."""

    text: str
    questions: Sequence[str]
    group: str | None = None
    """What rows have in common that are about one source."""
    source: str | None = None
    system: str | None = None
    judge: str | None = None


@dataclass(frozen=True)
class Outputs:
    """Published outputs: files of each system, and the files that their lines answer."""

    systems: Mapping[str, Sequence[Path]]
    sources: Sequence[Path]


@dataclass(frozen=True)
class _Row:
    line: int
    system: str
    item: Item
    judge: str | None
    values: dict[str, int]


def adopt_study(
    folder: StudyFolder,
    path: Path,
    columns: Columns,
    outputs: Outputs | None,
    scale: tuple[int, int],
    title: str,
) -> tuple[int, int]:
    """The folder holds a study with the ratings of the table: how many rows, how many systems."""
    header, rows = read_rows(path)
    wanted: dict[str, str | None] = {"--text": columns.text, "--group": columns.group}
    wanted |= {"--source": columns.source, "--system": columns.system, "--judge": columns.judge}
    wanted |= {f"--questions {name}": name for name in columns.questions}
    require_columns(path, header, wanted)
    if (columns.system is None) == (outputs is None):
        raise UserError("give either --system or --model and --sources, to tell whose text it is")
    table = list(rows)
    systems = (
        [row[columns.system] for _, row in table]
        if columns.system is not None
        else _found_systems(path, table, columns, outputs)
    )
    values = range(scale[0], scale[1] + 1)
    read = _read(path, table, systems, columns, values)
    names = list(dict.fromkeys(systems)) if outputs is None else list(outputs.systems)
    study = Study(
        title=title,
        task="scale",
        low=scale[0],
        high=scale[1],
        criteria=[Criterion(name=name, question=name) for name in columns.questions],
        guide="",
        models=names,
        real=None,
        ratings=1,
        seed=0,
        rules=Rules(duplicates="none were taken out"),
        removed=dict.fromkeys(names, 0),
        is_imported=True,
        items=list({row.item.id: row.item for row in read}.values()),
        blocks=[],
    )
    folder.begin(study)
    _keep(path, folder, read, knows_judges=columns.judge is not None)
    return len(read), len(names)


def _read(
    path: Path,
    table: Sequence[tuple[int, dict[str, str]]],
    systems: Sequence[str],
    columns: Columns,
    values: range,
) -> list[_Row]:
    groups: dict[str, int] = {}
    ids: dict[tuple[str, int | None, str], str] = {}
    found = []
    for (line, row), system in zip(table, systems, strict=True):
        where = f"{path}, line {line}"
        text = detokenise(row[columns.text])
        if not text:
            raise UserError(f"{where}: no text in {columns.text!r}")
        group = None
        if columns.group is not None:
            group = groups.setdefault(row[columns.group], len(groups) + 1)
        key = (system, group, text)
        item = Item(
            id=ids.setdefault(key, f"{len(ids):06x}"),
            texts=[text],
            models=[system],
            source=None if columns.source is None else detokenise(row[columns.source]),
            line=group,
        )
        given = {name: checked_value(where, row[name], values) for name in columns.questions}
        found.append(
            _Row(line, system, item, None if columns.judge is None else row[columns.judge], given)
        )
    return found


def _keep(path: Path, folder: StudyFolder, rows: Sequence[_Row], knows_judges: bool) -> None:
    store = Store.of(folder)
    seen: dict[str, int] = defaultdict(int)
    with store.transaction():
        if not knows_judges:
            store.forget_judges()
        for row in rows:
            # Without names the ratings of an item are told apart by their order.
            seen[row.item.id] += 1
            name = row.judge if row.judge is not None else f"unknown {seen[row.item.id]}"
            judge = store.imported_judge(f"file:{name}")
            given, _ = store.given(judge, row.item.id, False)
            if given:
                raise UserError(
                    f"{path}, line {row.line}: judge {brief(name)} rates the same text of"
                    f" {row.system} a second time"
                )
            store.rate(judge, row.item.id, False, row.values, "", version=0)
    store.close()


def _found_systems(
    path: Path,
    table: Sequence[tuple[int, dict[str, str]]],
    columns: Columns,
    outputs: Outputs | None,
) -> list[str]:
    """For each row the system that wrote its text."""
    assert outputs is not None
    if columns.source is None:
        raise UserError("--model: systems are found by source and text, so give --source too")
    written = _written(outputs)
    dealt: dict[tuple[str, str, str], int] = defaultdict(int)
    found = []
    for line, row in table:
        source, text = _plain(row[columns.source]), _plain(row[columns.text])
        candidates = written.get((source, text), [])
        if not candidates:
            raise UserError(
                f"{path}, line {line}: no system wrote {brief(row[columns.text])} for that source"
            )
        group = row[columns.group] if columns.group is not None else ""
        place = dealt[group, source, text]
        dealt[group, source, text] += 1
        if place >= len(candidates):
            raise UserError(
                f"{path}, line {line}: {brief(row[columns.text])} stands there more often than"
                " systems wrote it"
            )
        found.append(candidates[place])
    return found


def _written(outputs: Outputs) -> dict[tuple[str, str], list[str]]:
    """By source and text the systems that wrote it, in the order given."""
    sources = [line for path in outputs.sources for line in read_lines(path)]
    written: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, paths in outputs.systems.items():
        lines = [line for path in paths for line in read_lines(path)]
        if len(lines) != len(sources):
            raise UserError(
                f"--model {name}: {len(lines):,} lines where --sources have {len(sources):,}"
            )
        for source, text in zip(sources, lines, strict=True):
            names = written[_plain(source), _plain(text)]
            if name not in names:
                names.append(name)
    return written


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
