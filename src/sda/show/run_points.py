"""The rows of runs as points on the planes of quality and diversity, and a sentence on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sda.evaluation.catalogue import kind_of
from sda.evaluation.dominance import Axis, Plane
from sda.scoring.comparison import Comparison
from sda.scoring.planes import PLANES
from sda.show.run_view import Row, RunView, value_of
from sda.show.shown_scores import score_figure

DIVERSITY = "self-bleu-5"
START = "start"


def table_points(runs: Sequence[RunView]) -> dict[str, Any]:
    """What drawings of curves take: each name of a table is one, with a point a temperature.

    Runs may share a start, which is there once.
    """
    tracks: list[dict[str, Any]] = []
    for run in runs:
        for name in dict.fromkeys(row["name"] for row in run.rows if row["temperature"]):
            rows = [row for row in run.rows if row["name"] == name and row["temperature"]]
            points = [_point(row["temperature"], row["scores"]) for row in rows]
            is_start = rows[0] is run.start
            if is_start and any(track["points"] == points for track in tracks):
                continue
            title = f"{START} ({name})" if is_start and run.last not in rows else str(name)
            known = [track["name"] for track in tracks]
            is_shared = is_start and title not in known
            if len(runs) > 1 and not is_shared and title != run.name:
                title = f"{run.name}: {title}"
            start = None if is_start else START
            tracks.append({"name": title, "start": start, "by": "temperature", "points": points})
    real = runs[0].real if runs else None
    return {"real": [] if real is None else real["scores"], "curves": tracks}


def metric_points(comparison: Comparison) -> tuple[Plane, dict[str, Any]] | None:
    """Start and result as the run's metric saw them; None where no metric did."""
    quality = comparison.quality
    change = next((found for found in comparison.changes if found.name == DIVERSITY), None)
    if quality is None or change is None:
        return None
    sides = {START: (change.start, quality.start), "result": (change.result, quality.result)}
    tracks = [
        {
            "name": name,
            "start": None if name == START else START,
            "by": "temperature",
            "points": [_point(1.0, _scores({DIVERSITY: x, quality.name: y}))],
        }
        for name, (x, y) in sides.items()
    ]
    plane = Plane(Axis(DIVERSITY, higher_is_better=False), Axis(quality.name, True))
    return plane, {"real": [], "curves": tracks}


def plain_verdict(run: RunView) -> str | None:
    """What happened on the first plane that the rows have; nothing was decided by it."""
    start, last = run.start, run.last
    if start is None or last is None:
        return None
    for plane in PLANES:
        names = plane.quality.name, plane.diversity.name
        if all(value_of(row, name) is not None for row in (start, last) for name in names):
            break
    else:
        return None
    said = _and([_change(name, start, last) for name in names])
    real = [value_of(run.real, name) for name in names]
    figures = [score_figure(n, v).text() for n, v in zip(names, real, strict=True) if v is not None]
    if len(figures) == len(names):
        said += f"; real text has {_and(figures)}"
    if last is start:
        return f"{last['name']}, with nothing after it: {said}."
    return f"From the start to {last['name']}: {said}. Which of them is better was not checked."


def _change(name: str, start: Row, last: Row) -> str:
    values = [value_of(row, name) for row in ((start,) if start is last else (start, last))]
    figures = [score_figure(name, value).text() for value in values if value is not None]
    return f"{kind_of(name).title} {' to '.join(figures)}"


def _and(words: Sequence[str]) -> str:
    return " and ".join(words)


def _point(decoding: float, scores: object) -> dict[str, Any]:
    return {"decoding": decoding, "samplings": [scores]}


def _scores(values: dict[str, float]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in values.items()]
