"""Experiments of style transfer as files: `configs/transfer/NAME.toml` has sources and rows.

They stand apart from the other experiments: a row is a system that rewrites sentences, trained or
not, and what a base is there, a source of sentences is here (decision 0206).
"""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any, Literal

from pydantic import Field, PositiveInt

from sda.training.stages import Section


class RewritingBase(Section):
    """Sentences of two styles; without files, those of the source without data of its name."""

    title: str
    seeds: PositiveInt
    train: list[str] = Field(default_factory=list)
    """Files to learn from, one for each style, inside the data folder."""
    sources: list[str] = Field(default_factory=list)
    """Files with sentences to rewrite, one for each style."""
    references: list[str] = Field(default_factory=list)
    """Files with rewritings by people."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """What runs on these sentences change."""


class RewritingRow(Section):
    """One system that rewrites."""

    name: str
    title: str
    kind: Literal["copy", "chance", "person", "published", "rival", "run"]
    of: str = ""
    """The number of a person, the outputs without their endings, or the name of a rival."""
    bases: list[str] | None = None
    """Those that have this row; by default all."""
    seeds: PositiveInt | None = None
    """By default those of the base; what is not trained has one."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """What a run changes."""
    paper: dict[str, float] = Field(default_factory=dict)
    """Printed figures: accuracy and bleu."""

    @property
    def is_trained(self) -> bool:
        return self.kind in ("rival", "run")


class SmokeScale(Section):
    """What the profile smoke changes."""

    settings: dict[str, Any]
    rival: dict[str, int]


class RewritingExperiment(Section):
    """A table of systems that rewrite the same sentences."""

    name: str
    number: str
    title: str
    question: str
    note: str
    bases: dict[str, RewritingBase]
    smoke: SmokeScale
    rows: list[RewritingRow]

    def heading(self) -> str:
        return f"{self.number} {self.title}"

    def introduction(self) -> list[str]:
        """The question, and what differs from the paper."""
        return [self.question, self.note.strip()]

    def rows_of(self, base: str) -> list[RewritingRow]:
        return [row for row in self.rows if row.bases is None or base in row.bases]


def rewriting_names() -> list[str]:
    """The names of all experiments of style transfer."""
    folder = resources.files("sda.configs") / "transfer"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())


def rewriting_experiment(name: str) -> RewritingExperiment:
    """The experiment of that name."""
    file = resources.files("sda.configs") / "transfer" / f"{name}.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return RewritingExperiment.model_validate({"name": name, **table})
