"""What a record of the ledger must hold, whoever wrote it (`sda.doors`)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from sda.doors import Count, Finite, Shape
from sda.runs.shapes import Pair, ProgressShape

Name = Annotated[str, Field(pattern=r"^[^/\\\x00.][^/\\\x00]*$", max_length=200)]
"""Part of the name of a file, so it leads to no other folder."""


class ValueShape(Shape):
    value: Finite
    interval: Pair | None = None


class PointShape(Shape):
    temperature: Annotated[float, Field(gt=0)]
    samplings: Annotated[list[dict[str, Finite]], Field(min_length=1)]


class CurveShape(Shape):
    points: list[PointShape]
    real: dict[str, Finite]
    temperatures: list[Finite]
    samples: Count
    sentences: Count | None = None
    repeats: Count


class NoCurveShape(Shape):
    """A record of style transfer has none."""

    model_config = ConfigDict(extra="forbid")


class RecordShape(Shape):
    """One file of the ledger."""

    format: int
    key: str
    experiment: Name
    row: Name
    base: Name
    profile: Name
    seed: Count
    start: str | None
    commit: str | None
    date: str | None = None
    packages: dict[str, str]
    settings: dict[str, Any]
    scores: dict[str, ValueShape]
    real: dict[str, ValueShape]
    once: dict[str, ValueShape] = Field(default_factory=dict)
    signatures: dict[str, str] = Field(default_factory=dict)
    alarms: list[str]
    costs: dict[str, Finite]
    first_stage_costs: dict[str, Finite]
    curve: CurveShape | NoCurveShape
    later_curve: CurveShape | None = None
    progress: list[ProgressShape]
    samples: list[str]
    measuring_seconds: Finite = 0.0

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> RecordShape:
        has_points = isinstance(self.curve, CurveShape)
        if has_points and not isinstance(self.settings.get("source"), str):
            raise ValueError("settings.source is missing")
        if not has_points and "source" in self.settings:
            raise ValueError("the points of the curve are missing")
        return self
