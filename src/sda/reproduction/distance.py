"""How far a run lies above the curve of its own start, at equal diversity.

The curve is what the start reaches over temperatures. Which plane decides was fixed before any
run: BLEU-5 at equal self-BLEU-5, and NLL_oracle at equal NLL_test for sentences of an oracle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from sda.evaluation.dominance import Axis, Curve, Plane, gaps
from sda.reproduction.jobs import Job, start_settings
from sda.reproduction.ledger import RunRecord
from sda.scoring.planes import PRIMARY, curve_on
from sda.settings.layers import source_kind

_NLL_TEST = Axis("nll-test", False)
_SAMENESS, _BLEU = PRIMARY.diversity, PRIMARY.quality

_NLL_ORACLE = Axis("nll-oracle", False)
_ORACLE = (
    Plane(_NLL_TEST, _NLL_ORACLE),
    Plane(Axis("distinct-2", True), _NLL_ORACLE),
    Plane(_SAMENESS, _NLL_ORACLE),
)
_TEXT = (
    PRIMARY,
    Plane(Axis("distinct-2", True), _BLEU),
    Plane(_NLL_TEST, _BLEU),
    Plane(_SAMENESS, Axis("reverse-bleu-5", True)),
)
_ENGLISH = (*_TEXT, Plane(_SAMENESS, Axis("grammar-issues", False)))
_CAPTIONS = (*_TEXT, Plane(_SAMENESS, Axis("grammatical-share", True)))


def planes_for(source: str, quality: str | None = None) -> tuple[Plane, ...]:
    """The planes that runs on this source are held against their start on; the first decides.

    That is the one with this score of quality, where an experiment is about another one.
    """
    found = {"oracle": _ORACLE, "captions": _CAPTIONS}.get(source_kind(source), _ENGLISH)
    return tuple(sorted(found, key=lambda plane: quality not in (None, plane.quality.name)))


def plane_title(plane: Plane) -> str:
    return f"{plane.quality.name} at equal {plane.diversity.name}"


def start_key(job: Job) -> str:
    """The key of the run whose curve the job's run is held against; a start has its own.

    A run that replaces Stage I, by other data or another objective, begins with nothing: it is held
    against maximum likelihood on the same data.
    """
    if job.start is not None:
        return job.start.key
    plain = start_settings(job.settings).model_copy(update={"augmentation": {}, "objective": {}})
    return replace(job, settings=plain).key


@dataclass(frozen=True)
class Distance:
    """How far one run lies above a curve, positive where it is better.

    `as_trained` is the distance at temperature 1, None outside the range of the curve; `average`
    that over all points of the run inside the range, None where there is none.
    """

    as_trained: float | None
    average: float | None
    inside: int
    points: int


def has_points_like_its_table(record: RunRecord) -> bool:
    """Whether the points are about the sentences and references that the scores are about.

    Older records have points about another number of sentences, and NLL_test on fewer.
    """
    return "sentences" in record.data["curve"]


def is_on_equal_terms(plane: Plane, one: RunRecord, other: RunRecord) -> bool:
    """Whether points of the two may be held against each other on the plane.

    Self-BLEU and distinct n-grams depend on the number of sentences. Older records, which do not
    tell how many of the samples were scored, scored them all; their NLL_test is about other
    sentences.
    """
    ways = [has_points_like_its_table(record) for record in (one, other)]
    if _NLL_TEST in (plane.diversity, plane.quality) and ways[0] != ways[1]:
        return False
    first, second = (record.data["curve"] for record in (one, other))
    return bool(
        first.get("sentences", first["samples"]) == second.get("sentences", second["samples"])
    )


def measured_like(run: RunRecord, start: RunRecord) -> RunRecord:
    """The start with the points that were measured as those of the run were, if it has such."""
    is_older = has_points_like_its_table(run) and not has_points_like_its_table(start)
    return (start.later or start) if is_older else start


def distance_on(plane: Plane, run: RunRecord, start: RunRecord) -> Distance | None:
    """The run above the curve of the start; None where either has no point on the plane.

    Also None where the two were not measured on equal terms.
    """
    start = measured_like(run, start)
    if not is_on_equal_terms(plane, run, start):
        return None
    points, curve = _curve(plane, run), _curve(plane, start)
    if points is None or curve is None:
        return None
    found = gaps(points, curve, plane).tolist()
    inside = [gap for gap in found if not math.isnan(gap)]
    at_one = [gap for gap, t in zip(found, points.decodings, strict=True) if t == 1.0]
    return Distance(
        as_trained=next((gap for gap in at_one if not math.isnan(gap)), None),
        average=sum(inside) / len(inside) if inside else None,
        inside=len(inside),
        points=len(found),
    )


def _curve(plane: Plane, record: RunRecord) -> Curve | None:
    """The points of a record on the plane, in the order of their temperatures."""
    points: list[dict[str, Any]] = [
        {
            "decoding": point["temperature"],
            "samplings": [
                [{"name": name, "value": value} for name, value in scores.items()]
                for scores in point["samplings"]
            ],
        }
        for point in sorted(record.data["curve"]["points"], key=lambda point: -point["temperature"])
    ]
    return curve_on(plane, {"name": record.data["row"], "points": points})
