"""Results of a sweep that are written down by hand."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest
from matplotlib.figure import Figure

from sda.runs.curve import judge_all


def scores(**values: float) -> list[dict[str, Any]]:
    """Scores as JSON has them; an underscore stands for a dash."""
    names = [(name.replace("_", "-"), value) for name, value in values.items()]
    return [{"name": name, "value": value, "signature": f"of {name}"} for name, value in names]


def track(
    name: str,
    start: str | None,
    points: Mapping[float, list[tuple[float, float]]],
    by: str = "temperature",
) -> dict[str, Any]:
    """A curve through pairs of self-BLEU-5 and BLEU-5, one pair for each sampling."""
    return {
        "name": name,
        "start": start,
        "by": by,
        "points": [
            {
                "decoding": decoding,
                "samplings": [scores(self_bleu_5=x, bleu_5=y, distinct_2=1 - x) for x, y in pairs],
            }
            for decoding, pairs in points.items()
        ],
    }


MLE = track("mle", None, {1.0: [(0.2, 0.3), (0.22, 0.32)], 0.5: [(0.6, 0.5), (0.62, 0.52)]})
SDA = track("sda", "mle", {1.0: [(0.3, 0.4), (0.32, 0.42)], 0.5: [(0.7, 0.6), (0.72, 0.62)]})
REAL = scores(self_bleu_5=0.25, bleu_5=0.4)


def result(*curves: dict[str, Any], real: list[dict[str, Any]] = REAL) -> dict[str, Any]:
    return {
        "settings": {"repeats": 2, "samples": 2000},
        "real": real,
        "curves": list(curves),
        "comparisons": [verdict.as_dict() for verdict in judge_all(curves, real)],
    }


def kept_figures(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> list[Figure]:
    """The figures that drawings of the module are made from, as they are made."""
    figures: list[Figure] = []

    def keep(*arguments: Any, **options: Any) -> Figure:
        figures.append(Figure(*arguments, **options))
        return figures[-1]

    monkeypatch.setattr(module, "Figure", keep)
    return figures
