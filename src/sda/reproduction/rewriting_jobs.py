"""What an experiment of style transfer has to run: one job for each source, row and seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

from sda.errors import UserError
from sda.reproduction.definitions import Portion, chosen, merged
from sda.reproduction.ledger import RunRecord
from sda.reproduction.rewriting_rows import RewritingBase, RewritingExperiment, RewritingRow
from sda.transfer.rivals.autoencoder import SMALL, AutoencoderSettings
from sda.transfer.transfer_settings import TransferSettings, make_transfer_settings

SMOKE = "smoke"
PROFILES = (SMOKE, "small")
RUN = "run"
NUMERICS = {RUN: 2}
"""By kind of row, 1 where nothing is said: raise it when a change of the code changes what the same
settings give."""


@dataclass(frozen=True)
class RewritingJob:
    """One system on the sentences of one source; `settings` are those of runs, `rival` of rivals.

    A source without data draws other sentences for every seed.
    """

    experiment: str
    base: str
    profile: str
    seed: int
    row: RewritingRow
    sentences: RewritingBase
    settings: TransferSettings
    rival: AutoencoderSettings
    start: None = None

    @property
    def name(self) -> str:
        return f"{self.base}-{self.row.name}-{self.profile}-{self.seed}"

    @property
    def key(self) -> str:
        """The same for jobs that must give the same figures."""
        return _hash({"record": self.facts(), "sentences": self.sentences.sources})

    @property
    def run_key(self) -> str:
        """The same for jobs that share a trained run."""
        return _hash(self.facts())

    @property
    def numerics(self) -> int:
        return NUMERICS.get(self.row.kind, 1)

    def facts(self) -> dict[str, Any]:
        """All that determines the system: how a model is trained says nothing of one that is
        published, or of a person."""
        told = None if self.row.kind == RUN else {"sources", "seed", "data"}
        return {
            "numerics": self.numerics,
            "kind": self.row.kind,
            "of": self.row.of,
            "settings": self.settings.model_dump(mode="json", exclude_defaults=True, include=told),
            "rival": asdict(self.rival) if self.row.kind == "rival" else None,
        }

    @property
    def needed(self) -> list[str]:
        """Paths below the data folder."""
        base = self.sentences
        found = [*base.train, *base.sources, *base.references]
        if self.row.kind == "published":
            found += [f"{self.row.of}.{file.rpartition('.')[2]}" for file in base.sources]
        return found


def plan_rewritings(experiment: RewritingExperiment, portion: Portion) -> list[RewritingJob]:
    """The jobs of the tables, source by source and row by row."""
    profile, seeds = portion.profile, portion.seeds
    if profile not in PROFILES:
        raise UserError(
            f"{experiment.name}: there is no profile {profile!r} (known: {', '.join(PROFILES)})"
        )
    wanted = chosen(portion.rows, [row.name for row in experiment.rows], "row")
    found = []
    for base in chosen(portion.bases, list(experiment.bases), "model"):
        sentences = experiment.bases[base]
        for row in experiment.rows_of(base):
            if row.name not in wanted:
                continue
            most = (row.seeds or sentences.seeds) if row.is_trained else 1
            for seed in range(most if seeds is None else min(seeds, most)):
                found.append(_job(experiment, base, row, profile, seed))
    return found


def _job(
    experiment: RewritingExperiment, base: str, row: RewritingRow, profile: str, seed: int
) -> RewritingJob:
    sentences, smoke = experiment.bases[base], experiment.smoke
    is_smoke = profile == SMOKE
    table = merged(
        {"sources": sentences.train or [base], "seed": seed},
        sentences.settings,
        smoke.settings if is_smoke else {},
        # Over a profile: a row without Stage II has none anywhere.
        row.settings if row.kind == RUN else {},
    )
    rival = AutoencoderSettings(**smoke.rival) if is_smoke else SMALL
    settings = make_transfer_settings(table)
    return RewritingJob(experiment.name, base, profile, seed, row, sentences, settings, rival)


def estimate_rewritings(
    left: Sequence[RewritingJob], records: Sequence[RunRecord], workers: int
) -> float | None:
    """Seconds until all is done, by the CPU time of records of the same rows; None if unknown."""
    total = 0.0
    for job in left:
        like = [
            record.costs["cpu_seconds"]
            for record in records
            if record.data["experiment"] == job.experiment
            and (record.data["base"], record.data["row"]) == (job.base, job.row.name)
            and record.data["profile"] == job.profile
        ]
        if not like and job.row.is_trained:
            return None
        total += mean(like) if like else 0.0
    return total / workers


def _hash(facts: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
