"""The planes of quality and diversity that models are held against one another on.

Which plane decides was fixed before any run: BLEU-5 at equal self-BLEU-5. The answer depends on the
axis of diversity, so the others always stand beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sda.evaluation.dominance import Axis, Curve, Plane

Table = Mapping[str, Any]

_BLEU = Axis("bleu-5", True)
_NLL_TEST = Axis("nll-test", False)

PRIMARY = Plane(Axis("self-bleu-5", False), _BLEU)
PLANES = (
    PRIMARY,
    Plane(Axis("distinct-2", True), _BLEU),
    Plane(_NLL_TEST, _BLEU),
    Plane(Axis("reverse-bleu-5", True), _BLEU),
    Plane(Axis("reverse-lm-perplexity", False), Axis("lm-perplexity", False)),
    Plane(_NLL_TEST, Axis("nll-oracle", False)),
)
REAL = "real text"


def curve_on(plane: Plane, track: Table) -> Curve | None:
    """The points of a track that have both scores in every sampling; None where there is none."""
    points = []
    for point in track["points"]:
        samplings = [_pair(plane, scores) for scores in point["samplings"]]
        pairs = [pair for pair in samplings if pair is not None]
        if len(pairs) == len(samplings):
            points.append((point["decoding"], pairs))
    if not points:
        return None
    values = np.array([pairs for _, pairs in points])
    decodings = tuple(decoding for decoding, _ in points)
    return Curve(track["name"], decodings, values[:, :, 0], values[:, :, 1])


def real_point(plane: Plane, scores: Sequence[Table]) -> Curve | None:
    """Real text as a curve of one point."""
    pair = _pair(plane, scores)
    if pair is None:
        return None
    diversity, quality = np.array(pair)[:, None, None]
    return Curve(REAL, (1.0,), diversity, quality)


def _pair(plane: Plane, scores: Sequence[Table]) -> tuple[float, float] | None:
    found = {score["name"]: score["value"] for score in scores}
    names = plane.diversity.name, plane.quality.name
    return (found[names[0]], found[names[1]]) if all(name in found for name in names) else None


def planes_of(result: Table) -> list[Plane]:
    """The planes that any of the curves has a point on."""
    return [
        plane
        for plane in PLANES
        if any(curve_on(plane, track) is not None for track in result["curves"])
    ]
