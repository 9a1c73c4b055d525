"""A score as an axis of a figure shows it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pydantic import model_validator

from sda.evaluation.catalogue import Kind, kind_of
from sda.training.stages import Section

Scores = Mapping[str, float]


class Quantity(Section):
    """A score, how its axis is called, and which way the axis runs.

    Settings may give the name of the score alone: label and direction then come from the catalogue.
    """

    score: str
    label: str
    """It says which way is good."""
    is_turned: bool
    """Whether the axis runs from high to low; by default where lower is better."""
    from_one: bool = False
    """Whether the difference from 1 is shown."""

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        given = {"score": data} if isinstance(data, str) else data
        if not isinstance(given, Mapping) or not isinstance(given.get("score"), str):
            return given
        kind = kind_of(given["score"])
        is_turned = kind.higher_is_better is False
        return {"label": axis_label(kind), "is_turned": is_turned, **given}

    def of(self, scores: Scores) -> float:
        """The value, not a number where the score is missing."""
        value = scores.get(self.score, math.nan)
        return 1 - value if self.from_one else value


def axis_label(kind: Kind) -> str:
    """The title of the score, and which way is good if one is."""
    if kind.higher_is_better is None:
        return kind.title
    good = "more varied" if kind.group == "diversity" else "better"
    return f"{kind.title} ({'higher' if kind.higher_is_better else 'lower'} is {good})"
