"""Rows of a table against one another: seed by seed, and against the curve of their start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sda.reproduction.distance import plane_title
from sda.reproduction.rows import Row
from sda.reproduction.sheets import distance_cell, row_name, sheet, with_interval
from sda.reproduction.summary import summarize
from sda.reproduction.tables import ABOVE, BaseTable
from sda.show.shown_scores import score_column
from sda.show.table import Cell, Column, Table


def difference_columns(table: BaseTable) -> list[str]:
    """The main scores, the diversity score of the plane that decides, and the distance."""
    scores = [*table.experiment.scores, table.plane.diversity.name]
    return [*dict.fromkeys(scores), ABOVE]


def differences(table: BaseTable) -> list[dict[str, Any]]:
    """Each row that the table is about minus each other of its start, for the seeds of both."""
    found = []
    for one, other in _pairs(table):
        values = {}
        for column in difference_columns(table):
            first, second = (_values(table, row, column) for row in (one, other))
            values[column] = [
                _difference(first[seed], second[seed])
                for seed in sorted(first.keys() & second.keys())
            ]
        seeds = sorted(one.records.keys() & other.records.keys())
        found.append({"row": one, "minus": other, "seeds": seeds, "values": values})
    return found


def difference_sheet(table: BaseTable) -> Table:
    """Mean differences with their 95 % intervals over seeds."""
    columns = difference_columns(table)
    body = [
        [
            row_name(
                f"{found['row'].short_title} minus {found['minus'].short_title}",
                len(found["seeds"]),
            ),
            len(found["seeds"]),
            *(_cell(found["values"][name], name) for name in columns),
        ]
        for found in differences(table)
    ]
    notes = [
        "Paired by seed: the same data, and the same start where a row has one. 95 % intervals by"
        " Student's t."
    ]
    return sheet(f"Differences: {table.title}", list(map(score_column, columns)), body, notes)


def distance_sheet(table: BaseTable) -> Table:
    """How far each row lies above the curve of its start, on every plane; the first decides."""
    planes = table.planes
    titles = [plane_title(plane) for plane in planes]
    header = [titles[0], "mean of its points", *titles[1:]]
    body: list[list[Cell]] = []
    for row in table.rows:
        if row.is_start or not row.records:
            continue
        found = [list(row.distances(plane).values()) for plane in planes]
        cells = [distance_cell([each.as_trained for each in one], True) for one in found]
        average = distance_cell([each.average for each in found[0]], True)
        count = len(row.records)
        name = row_name(row.title, count)
        body.append([name, count, cells[0], average, *cells[1:]])
    notes = [
        "As trained (T = 1), over the start at some temperature; positive is better, whichever way"
        " the score runs. The first column decides; the second is its mean over all temperatures"
        " of the row inside the range of the curve. Outside: no temperature that was tried makes"
        " the start equally varied. 95 % intervals over seeds by Student's t.",
    ]
    return sheet(f"{ABOVE.capitalize()}: {table.title}", list(map(Column, header)), body, notes)


def main_sheets(tables: Sequence[BaseTable]) -> list[Table]:
    """For each base its table, and its differences and distances where there are any."""
    sheets: list[Table] = []
    for table in tables:
        others = (difference_sheet(table), distance_sheet(table))
        sheets += [table.sheet(), *(sheet for sheet in others if sheet.groups)]
    return sheets


def as_dict(table: BaseTable) -> dict[str, Any]:
    """All that the table, the differences and the distances tell, ready for JSON."""
    return {
        "experiment": table.experiment.name,
        "heading": table.experiment.heading(),
        "base": table.base,
        "profile": table.profile,
        "columns": table.columns,
        "lines": [line.as_dict() for line in table.lines],
        "distances": [
            {
                "row": row.name,
                "plane": plane_title(plane),
                "decides": plane == table.plane,
                "seeds": list(found),
                "as_trained": [each.as_trained for each in found.values()],
                "average": [each.average for each in found.values()],
            }
            for row in table.rows
            if not row.is_start
            for plane in table.planes
            if (found := row.distances(plane))
        ],
        "differences": [
            {
                "row": found["row"].name,
                "minus": found["minus"].name,
                "seeds": found["seeds"],
                "figures": {
                    column: {"values": values, **summary.as_dict()}
                    for column, values in found["values"].items()
                    if (summary := summarize(_inside(values))) is not None
                },
            }
            for found in differences(table)
        ],
        "records": {
            row.name: [
                f"{record.path.parent.name}/{record.path.name}" for record in row.records.values()
            ]
            for row in table.rows
        },
        "missing": {row.name: row.missing for row in table.rows if row.missing},
        "alarms": table.alarms,
    }


def _pairs(table: BaseTable) -> Iterator[tuple[Row, Row]]:
    """Rows that the table is about with each other row of the same start."""
    for one in table.rows:
        if one.name not in table.experiment.subjects:
            continue
        for other in table.rows:
            is_same_start = other is not one and other.starts == one.starts
            if is_same_start and one.records.keys() & other.records.keys():
                yield one, other


def _values(table: BaseTable, row: Row, column: str) -> Mapping[int, float | None]:
    """By seed; no number where the row lies outside the curve of its start."""
    if column != ABOVE:
        return row.values(column)
    if row.is_start:
        return dict.fromkeys(row.records, 0.0)
    return {seed: each.as_trained for seed, each in row.distances(table.plane).items()}


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _inside(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _cell(values: Sequence[float | None], column: str) -> Cell:
    if column == ABOVE:
        return distance_cell(values, has_interval=True)
    return with_interval(summarize(_inside(values)), column)
