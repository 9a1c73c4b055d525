"""The rows of an experiment as the ledger has them: for each row its runs by seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import mean

from sda.evaluation.dominance import Plane
from sda.reproduction.cost_columns import COSTS
from sda.reproduction.definitions import Experiment, Portion, RowDefinition
from sda.reproduction.distance import (
    Distance,
    distance_on,
    has_points_like_its_table,
    start_key,
)
from sda.reproduction.jobs import Job, plan_jobs
from sda.reproduction.ledger import Ledger, RunRecord

BASE_TITLES = {"rnn": "RNN", "leakrnn": "LeakRNN"}


@dataclass(frozen=True)
class Row:
    """One row of a table: the jobs that it needs, and what the ledger has of them by seed."""

    definition: RowDefinition
    base: str
    jobs: tuple[Job, ...]
    ledger: Ledger
    is_later: bool = False
    """Whether points that were measured again are taken: those of all other rows are as new."""

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def title(self) -> str:
        if self.definition.generator is not None:
            return self.definition.title
        return f"{base_title(self.base)} {self.definition.title}".strip()

    @property
    def short_title(self) -> str:
        """The title without the base, unless it has nothing else."""
        return self.definition.title or base_title(self.base)

    @property
    def paper(self) -> Mapping[str, float]:
        return self.definition.paper.get(self.base, {})

    @cached_property
    def records(self) -> dict[int, RunRecord]:
        """The finished runs."""
        found = {job.seed: self.ledger.find(job.key) for job in self.jobs}
        return {
            seed: (record.later or record) if self.is_later else record
            for seed, record in found.items()
            if record is not None
        }

    @cached_property
    def starts(self) -> dict[int, str]:
        """The keys of the runs whose curves this row is held against."""
        return {job.seed: start_key(job) for job in self.jobs}

    @property
    def is_start(self) -> bool:
        """Whether the row is maximum likelihood alone, which others are held against."""
        return all(self.starts[job.seed] == job.key for job in self.jobs)

    @property
    def missing(self) -> list[int]:
        return [job.seed for job in self.jobs if job.seed not in self.records]

    def values(self, column: str) -> dict[int, float]:
        """A score at temperature 1, or a cost of the whole run."""
        found = {seed: _value(record, column) for seed, record in self.records.items()}
        return {seed: value for seed, value in found.items() if value is not None}

    def distances(self, plane: Plane) -> dict[int, Distance]:
        """How far the row lies above the curve of its start, where both are in the ledger."""
        found: dict[int, Distance] = {}
        for seed, record in self.records.items():
            start = self.ledger.find(self.starts[seed])
            distance = None if start is None else distance_on(plane, record, start)
            if distance is not None:
                found[seed] = distance
        return found

    def point_values(self, temperature: float, column: str) -> dict[int, float]:
        """A score at a point of the row's curve, the mean of its samplings."""
        found: dict[int, float] = {}
        for seed, record in self.records.items():
            for point in record.data["curve"]["points"]:
                values = [scores[column] for scores in point["samplings"] if column in scores]
                if point["temperature"] == temperature and values:
                    found[seed] = mean(values)
        return found


def base_title(base: str) -> str:
    return BASE_TITLES.get(base, base)


def read_rows(experiment: Experiment, ledger: Ledger, portion: Portion, base: str) -> list[Row]:
    """The rows that the base has, in the order of the table."""
    jobs: dict[str, list[Job]] = {}
    for job in plan_jobs(experiment, replace(portion, bases=[base])):
        jobs.setdefault(job.row, []).append(job)
    found = [
        Row(definition, base, tuple(jobs[definition.name]), ledger)
        for definition in experiment.rows
        if definition.name in jobs
    ]
    others = [record for row in found if not row.is_start for record in row.records.values()]
    if not others or not all(map(has_points_like_its_table, others)):
        return found
    return [replace(row, is_later=row.is_start) for row in found]


def _value(record: RunRecord, column: str) -> float | None:
    if column in COSTS:
        return COSTS[column].of(record.costs)
    return record.scores().get(column)
