"""What an experiment has to run: one job for each row, base and seed, known by its settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sda.reproduction.definitions import Experiment, Portion, RowDefinition, chosen, merged
from sda.runs.plan import stage_two
from sda.settings.layers import Choices, source_kind
from sda.settings.schema import CallSettings, GuardSettings, HandOverSettings, Settings
from sda.training.stages import BufferSettings, JudgeSettings, StageTwoSettings

NUMERICS = 1
"""Raise it when a change of the code changes what the same settings give, a default among them."""
# Where a run stands in the file system, and how often it is saved, changes no figure.
NOT_IN_KEY = ("start", "checkpoint_every", "device")
# What says how many steps Stage II has, and how many batches of maximum likelihood between them.
LENGTH = ("epochs", "first_steps", "fewer_every", "mle_every", "mle_batches")


@dataclass(frozen=True)
class Job:
    """One run: settings with paths below the data folder, and the job whose Stage I it begins with.

    `row` is the row that the job is made for; a start that no row asks for has a name of its own.
    """

    experiment: str
    row: str
    base: str
    profile: str
    seed: int
    settings: Settings
    origins: dict[str, str]
    start: Job | None

    @property
    def name(self) -> str:
        return f"{self.base}-{self.row}-{self.profile}-{self.seed}"

    @property
    def key(self) -> str:
        """The same for jobs that must give the same figures, whatever they are called."""
        table = self.settings.model_dump(mode="json", exclude_defaults=True)
        for name in NOT_IN_KEY:
            table.pop(name, None)
        facts = {
            "numerics": NUMERICS,
            "settings": table,
            "start": None if self.start is None else self.start.key,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def plan_jobs(experiment: Experiment, portion: Portion) -> list[Job]:
    """The jobs of the table, row by row."""
    seeds = portion.seeds
    definitions = {row.name: row for row in experiment.rows}
    return [
        make_job(experiment, definitions[name], base, portion.profile, seed)
        for base in chosen(portion.bases, experiment.bases, "model")
        for name in chosen(portion.rows, list(definitions), "row")
        if base in (definitions[name].bases or experiment.bases)
        for seed in range(experiment.seeds[base] if seeds is None else seeds)
    ]


def make_job(experiment: Experiment, row: RowDefinition, base: str, profile: str, seed: int) -> Job:
    """The job of one row; a row that only is the end of Stage I is the start of the others."""
    settings, origins = _choices(experiment, row, base, profile, seed).settle()

    def job(name: str, settings: Settings, start: Job | None) -> Job:
        return Job(experiment.name, name, base, profile, seed, settings, origins, start)

    has_second_stage = bool(stage_two(settings))
    if not has_second_stage and (settings.augmentation or settings.objective):
        return job(row.name, settings, None)
    if has_second_stage or settings.selection:
        start = job(f"{row.name}-start", start_settings(settings), None)
        return job(row.name, settings, start)
    return job(row.name, start_settings(settings), None)


def _choices(
    experiment: Experiment, row: RowDefinition, base: str, profile: str, seed: int
) -> Choices:
    length: dict[str, Any] = {}
    if row.as_long_as is not None:
        other = _choices(experiment, experiment.row(row.as_long_as), base, profile, seed)
        stage2 = other.settle()[0].stage2
        length = {"stage2": {name: getattr(stage2, name) for name in LENGTH}}
    return Choices(
        source=experiment.source,
        method=row.method,
        generator=row.generator or base,
        preset=row.preset,
        profile=profile,
        metric=row.metric,
        values=merged(
            experiment.settings,
            experiment.profiles.get(profile, {}),
            length,
            row.settings,
            row.profiles.get(profile, {}),
            {"seed": seed},
        ),
        are_users=not row.is_kept,
    )


def start_settings(settings: Settings) -> Settings:
    """Stage I alone with its discriminator: what the runs of one start have in common."""
    return settings.model_copy(
        update={
            "method": "mle",
            "metric": [],
            "selection": {},
            "guard": GuardSettings(),
            "calls": CallSettings(),
            "hand_over": HandOverSettings(),
            "judge": JudgeSettings(),
            "discriminator_phase": settings.discriminator_phase.model_copy(
                update={"negatives": "written"}
            ),
            "buffer": BufferSettings(),
            "stage2": StageTwoSettings(epochs=0),
        }
    )


def located(settings: Settings, folder: Path) -> Settings:
    """The settings with paths that lead to the data folder.

    All figures of the ledger are made on the CPU, so that they can be compared.
    """
    kind = source_kind(settings.source)
    update: dict[str, Any] = {"device": "cpu"}
    if kind == "text":
        update["source"] = str(folder / settings.source)
    elif kind == "oracle" and ":" in settings.source:
        update["source"] = f"oracle:{folder / settings.source.partition(':')[2]}"
    files = {
        name: str(folder / value)
        for name in ("valid", "test")
        if (value := getattr(settings.data, name)) is not None
    }
    if files:
        update["data"] = type(settings.data)(**{**vars(settings.data), **files})
    return settings.model_copy(update=update)


def needed_files(jobs: Sequence[Job]) -> list[str]:
    """Paths below the data folder that the jobs read."""
    found: list[str] = []
    for job in jobs:
        settings = job.settings
        kind = source_kind(settings.source)
        file = settings.source.partition(":")[2] if kind == "oracle" else settings.source
        if file and kind != "captions":
            found.append(file)
        found += [path for path in (settings.data.valid, settings.data.test) if path is not None]
    return list(dict.fromkeys(found))
