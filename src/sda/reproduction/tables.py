"""The table of an experiment: real text, then each row beside the paper's figures, over seeds.

A start also stands at a colder temperature, because a gain in quality has to be held against what
a colder softmax gives. Every other row tells how far it lies above the curve of its start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sda.evaluation.dominance import Plane
from sda.reproduction.definitions import Experiment, Portion, chosen
from sda.reproduction.distance import (
    has_points_like_its_table,
    is_on_equal_terms,
    measured_like,
    plane_title,
    planes_for,
)
from sda.reproduction.ledger import Ledger, RunRecord
from sda.reproduction.rows import Row, base_title, read_rows
from sda.reproduction.sheets import distance_cell, over_seeds, plain, row_name, sheet
from sda.reproduction.summary import summarize
from sda.runs.seeds import REAL
from sda.show.shown_scores import score_column
from sda.show.table import Cell, Column, Table

ABOVE = "above the curve"
CURVE = "the curve"
ON_CURVE = " on the curve"
COLD = 0.83


@dataclass(frozen=True)
class TableLine:
    """One line: for each column its values by seed, and what the paper has."""

    title: str
    seeds: list[int]
    values: dict[str, dict[int, float]] = field(default_factory=dict)
    paper: Mapping[str, float] = field(default_factory=dict)
    row: Row | None = None

    @property
    def name(self) -> str:
        return self.title if self.title.startswith(REAL) else row_name(self.title, len(self.seeds))

    def as_dict(self) -> dict[str, Any]:
        """Values and what they say together, ready for JSON."""
        figures = {}
        for column, values in self.values.items():
            summary = summarize(list(values.values()))
            if summary is not None:
                figures[column] = {"values": list(values.values()), **summary.as_dict()}
        return {
            "title": self.title,
            "row": None if self.row is None else self.row.name,
            "seeds": self.seeds,
            "figures": figures,
            "paper": dict(self.paper),
        }


@dataclass(frozen=True)
class BaseTable:
    """The block of one base."""

    experiment: Experiment
    profile: str
    base: str
    rows: list[Row]

    @property
    def title(self) -> str:
        return f"{self.experiment.heading()}, base {base_title(self.base)}, profile {self.profile}"

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys([*self.experiment.scores, *self.experiment.beside]))

    @property
    def main_columns(self) -> list[str]:
        """Those that a narrow table has room for."""
        usual = [*self.experiment.scores[:1], *self.experiment.beside[:1]]
        return self.experiment.main or usual

    @property
    def planes(self) -> tuple[Plane, ...]:
        """Those that rows are held against their start on; the first decides."""
        return planes_for(self.experiment.source, self.experiment.quality)

    @property
    def plane(self) -> Plane:
        """The plane that decides."""
        return self.planes[0]

    @property
    def has_runs(self) -> bool:
        return any(row.records for row in self.rows)

    @cached_property
    def lines(self) -> list[TableLine]:
        """Real text, the rows, and after each start what it is at a colder temperature."""
        groups = _real_groups(self.rows, self.columns)
        found: list[TableLine] = []
        if len(groups) < 2:
            found.append(self._real(REAL, groups[0][1] if groups else {}))
        for row in self.rows:
            for first, by_seed in groups if len(groups) > 1 else ():
                if first is row:
                    found.append(self._real(f"{REAL} for {row.title}", by_seed))
            values = {column: row.values(column) for column in self.columns}
            found.append(TableLine(row.title, sorted(row.records), values, row.paper, row))
            if row.is_start:
                found += _curve_lines(row, self.columns)
        return found

    def _real(self, title: str, by_seed: Mapping[int, Mapping[str, float]]) -> TableLine:
        values = {
            column: {seed: scores[column] for seed, scores in by_seed.items() if column in scores}
            for column in self.columns
        }
        return TableLine(title, sorted(by_seed), values, self.experiment.paper_real)

    def sheet(self) -> Table:
        """The figures, and below them what is missing and what alarmed."""
        in_paper = {column for line in self.lines for column in line.paper}
        header: list[Column] = []
        for column in self.columns:
            header.append(score_column(column))
            if column in in_paper:
                header.append(Column(f"{column}, paper"))
        body = []
        for line in self.lines:
            cells: list[Cell] = [line.name, len(line.seeds) or None]
            for column in self.columns:
                values = line.values.get(column, {})
                cells.append(over_seeds(summarize(list(values.values())), column))
                if column in in_paper:
                    cells.append(plain(line.paper.get(column), column))
            body.append([*cells, self.above(line)])
        return sheet(self.title, [*header, Column(ABOVE)], body, self._notes())

    def above(self, line: TableLine) -> Cell:
        """How far the row of the line lies above the curve of its start; None for other lines."""
        if line.row is None:
            return None
        if line.row.is_start:
            return CURVE if line.seeds else None
        found = line.row.distances(self.plane).values()
        return distance_cell([distance.as_trained for distance in found], has_interval=False)

    def _notes(self) -> list[str]:
        notes = self.main_notes()
        controls = [row.short_title for row in self.rows if row.definition.is_control]
        if controls and len(controls) < len(self.rows):
            notes.append(f"Not in the paper: {'; '.join(controls)}.")
        notes += self.missing_notes()
        alarms = [f"{name}: {self._named(where)}" for name, where in self.alarms.items()]
        return [*notes, *([f"Alarms: {'; '.join(alarms)}."] if alarms else [])]

    def main_notes(self) -> list[str]:
        """What a reader of the figures has to know."""
        notes = [
            f"{ABOVE}: {plane_title(self.plane)}, as trained (T = 1), over that of the row's own"
            " start at some temperature; positive is better, whichever way the score runs. Outside:"
            " no temperature that was tried makes the start equally varied."
        ]
        if any(line.title.endswith(ON_CURVE) for line in self.lines):
            notes.append(
                f"Rows{ON_CURVE} are about other numbers of sentences than the other rows, which"
                " BLEU, self-BLEU and distinct n-grams depend on: compare them with each other."
            )
        elif self._has_older_curves:
            notes.append(
                "The start at a colder temperature is a point of its curve, with NLL_test on fewer"
                " sentences."
            )
        unequal = [row.short_title for row in self.rows if self._is_unequal(row)]
        if unequal:
            notes.append(
                f"No distance: {', '.join(unequal)}, whose curve is about another number of"
                " sentences than that of the start."
            )
        own = [row.short_title for row in self.rows if row.definition.is_own]
        return [*notes, *([f"Rows of your own: {'; '.join(own)}."] if own else [])]

    def missing_notes(self) -> list[str]:
        """Which runs the ledger lacks."""
        missing: dict[str, list[str]] = {}
        for row in self.rows:
            if row.missing:
                missing.setdefault(_seeds(row.missing), []).append(row.short_title)
        if not missing:
            return []
        parts = [f"{seeds} of {self._named(titles)}" for seeds, titles in missing.items()]
        return [f"Missing runs: {'; '.join(parts)}."]

    @property
    def _has_older_curves(self) -> bool:
        """Whether a start has points that were not measured as its row was."""
        records = [record for row in self.rows if row.is_start for record in row.records.values()]
        has_lines = any("T = " in line.title for line in self.lines)
        return has_lines and not all(map(has_points_like_its_table, records))

    def _is_unequal(self, row: Row) -> bool:
        """Whether a run of the row cannot be held against its start, because of their numbers."""
        pairs = [(run, row.ledger.find(row.starts[seed])) for seed, run in row.records.items()]
        return any(
            start is not None and not is_on_equal_terms(self.plane, run, measured_like(run, start))
            for run, start in pairs
        )

    def _named(self, titles: list[str]) -> str:
        return "all rows" if titles == [row.short_title for row in self.rows] else ", ".join(titles)

    @property
    def alarms(self) -> dict[str, list[str]]:
        """For each alarm the rows that raised it, and with how many of their seeds if not all."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            raised = [name for record in row.records.values() for name in record.data["alarms"]]
            for name in dict.fromkeys(raised):
                count, runs = raised.count(name), len(row.records)
                share = "" if count == runs else f" ({count} of {runs} seeds)"
                found.setdefault(name, []).append(f"{row.short_title}{share}")
        return dict(sorted(found.items()))


def base_tables(experiment: Experiment, ledger: Ledger, portion: Portion) -> list[BaseTable]:
    """One table for each base."""
    return [
        BaseTable(experiment, portion.profile, base, read_rows(experiment, ledger, portion, base))
        for base in chosen(portion.bases, experiment.bases, "model")
    ]


def _real_groups(
    rows: Sequence[Row], columns: Sequence[str]
) -> list[tuple[Row, dict[int, dict[str, float]]]]:
    """Rows with the same figures for real text, as the first of them and the figures by seed.

    Another vocabulary makes other figures: the unknown word is a word.
    """
    groups: list[tuple[Row, dict[int, dict[str, float]]]] = []
    for row in rows:
        own = {
            seed: {name: value for name, value in record.scores("real").items() if name in columns}
            for seed, record in row.records.items()
        }
        if not own:
            continue
        for _, known in groups:
            if _agree(known, own):
                for seed, scores in own.items():
                    known[seed] = {**scores, **known.get(seed, {})}
                break
        else:
            groups.append((row, own))
    return groups


def _agree(
    one: Mapping[int, Mapping[str, float]], other: Mapping[int, Mapping[str, float]]
) -> bool:
    """Whether both have a seed in common, and nothing that differs."""
    common = one.keys() & other.keys()
    return bool(common) and all(
        one[seed][name] == other[seed][name]
        for seed in common
        for name in one[seed].keys() & other[seed].keys()
    )


def _curve_lines(row: Row, columns: Sequence[str]) -> list[TableLine]:
    """The start at a colder temperature; before it at T = 1 if that is not what the row tells."""
    records = list(row.records.values())
    known = [set(record.data["curve"]["temperatures"]) for record in records]
    cold = max((t for t in set.intersection(*known) if t <= COLD), default=None) if known else None
    if cold is None:
        return []
    is_comparable = all(_is_comparable(record, columns) for record in records)
    return [
        TableLine(
            f"{row.title} at T = {temperature:g}{'' if is_comparable else ON_CURVE}",
            sorted(row.records),
            {column: row.point_values(temperature, column) for column in columns},
        )
        for temperature in ([cold] if is_comparable else [1.0, cold])
    ]


def _is_comparable(record: RunRecord, columns: Sequence[str]) -> bool:
    """Whether points are about as many sentences, and the same references, as the scores are.

    Self-BLEU and distinct n-grams depend on the number, BLEU on the references, and real text has
    the same figures exactly if both are the same.
    """
    here, there = record.scores("real"), record.data["curve"]["real"]
    return all(here[name] == there[name] for name in columns if name in here and name in there)


def _seeds(seeds: Sequence[int]) -> str:
    return f"seed{'' if len(seeds) == 1 else 's'} {', '.join(map(str, seeds))}"
