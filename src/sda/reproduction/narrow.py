"""The table of an experiment for a terminal of 80 columns: main scores, each beside the paper's."""

from __future__ import annotations

from dataclasses import replace

from sda.reproduction.rows import base_title
from sda.reproduction.sheets import over_seeds, plain
from sda.reproduction.summary import summarize
from sda.reproduction.tables import ABOVE, BaseTable, TableLine
from sda.show.shown_scores import score_column
from sda.show.table import NAMES, Cell, Column, Table

PAPER = "paper"
MORE = "All scores, differences seed by seed and alarms: --all."


def narrow_sheet(table: BaseTable) -> Table:
    """The rows that have a figure, under names without the base, which the title has.

    No cell breaks into lines but a name, or a distance with a remark.
    """
    in_paper = {column for line in table.lines for column in line.paper}
    columns = [NAMES]
    for column in table.main_columns:
        columns.append(replace(score_column(column), is_whole=True))
        columns += [Column(PAPER, is_whole=True)] if column in in_paper else []
    usual = max((len(line.seeds) for line in table.lines), default=0)
    body = []
    for line in table.lines:
        cells: list[Cell] = []
        for column in table.main_columns:
            values = list(line.values.get(column, {}).values())
            cells.append(over_seeds(summarize(values), column))
            cells += [plain(line.paper.get(column), column)] if column in in_paper else []
        cells.append(table.above(line))
        if any(cell is not None for cell in cells):
            body.append([_name(line, table.base, usual), *cells])
    notes = [
        f"Mean ± standard deviation of {usual} seeds." if usual > 1 else "Single runs.",
        *table.main_notes(),
        *table.missing_notes(),
        MORE,
    ]
    return Table.of_rows(table.title, [*columns, Column(ABOVE)], body, notes)


def _name(line: TableLine, base: str, usual: int) -> str:
    """What the line is about, and how many seeds it has if that is not what the others have."""
    title = line.title.removeprefix(f"{base_title(base)} ")
    count = len(line.seeds)
    if count == usual:
        return title
    few = "no run" if not count else "single run" if count == 1 else f"{count} seeds"
    return f"{title} ({few})"
