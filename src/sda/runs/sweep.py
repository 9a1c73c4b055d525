"""The one sweep over temperatures: for curves of runs, and for the records of experiments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sda import __version__
from sda.errors import UserError
from sda.evaluation.score import Score
from sda.randomness import seeded
from sda.runs.curve_models import Model
from sda.runs.run import make_decoding
from sda.sampling import Decoding
from sda.scoring.cache import Cache, Measured
from sda.scoring.row_scorer import RowScorer

PURPOSES = ("curve", "selection")  # of random numbers
# The literature's logit factors 0.9 to 2, in steps that move self-BLEU about equally far. One is
# warmer, since a model that training made sharper than real text needs it to be as varied; one is
# colder, and none beyond, since a long straight line there would stand for a curve that is bent.
TEMPERATURES = (1.25, 1.11, 1.0, 0.91, 0.83, 0.74, 0.67, 0.59, 0.5, 0.42)


@dataclass(frozen=True)
class Sweep:
    """What is swept over, and how often each point is sampled; values are kept in falling order."""

    temperatures: tuple[float, ...] = TEMPERATURES
    top_p: tuple[float, ...] = ()
    """A second curve at temperature 1, where there are any."""
    samples: int | None = None
    """Sentences that are written for a sampling; None writes as many as for the run's table."""
    repeats: int = 3
    """Samplings of a point; one alone gives no intervals."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("temperatures", "top_p"):
            values = sorted(set(getattr(self, name)), reverse=True)
            object.__setattr__(self, name, tuple(values))
        for by, value in self.points():
            if not math.isfinite(value):
                raise UserError(f"--{by}: {value} is not a number to use")
            make_point_decoding(by, value, None)
        if not self.temperatures:
            raise UserError("--temperature needs at least one value")
        if self.samples is not None and self.samples < 2:
            raise UserError(f"--samples must be at least 2, not {self.samples}")
        if self.repeats < 1:
            raise UserError(f"--repeats must be at least 1, not {self.repeats}")

    def points(self) -> list[tuple[str, float]]:
        """Every point of a model: what is turned, and how far."""
        warm = [("temperature", value) for value in self.temperatures]
        return warm + [("top-p", value) for value in self.top_p]


def make_point_decoding(by: str, value: float, never: int | None) -> Decoding:
    """The way of choosing words at a point, where the unknown word is never chosen."""
    temperature, top_p = (1.0, value) if by == "top-p" else (value, None)
    return make_decoding(temperature, None, top_p, never)


class Sweeper:
    """Measures each point of a model once, unless the cache has it."""

    def __init__(
        self, scorer: RowScorer, sweep: Sweep, never: int | None, cache: Cache | None = None
    ) -> None:
        self._scorer = scorer
        self._sweep = sweep
        self._never = never
        self._cache = cache
        self._conditions = {"text": scorer.fingerprint(), "version": __version__}

    def tracks(self, model: Model, done: Callable[[str], None]) -> list[dict[str, Any]]:
        """The curve over temperatures, and the one over top-p where it was asked for."""
        tracks: dict[str, dict[str, Any]] = {}
        for by, value in self._sweep.points():
            name = model.name if by == "temperature" else f"{model.name} with top-p"
            track = tracks.setdefault(by, {"name": name, "start": model.start, "by": by})
            point = {"decoding": value, "samplings": self._point(model, by, value)}
            track.setdefault("points", []).append(point)
            done(f"{name}, {by} {value:g}")
        return list(tracks.values())

    def real_text(self) -> Measured:
        """What real text scores under the same conditions."""

        def measure() -> list[Score]:
            return [*self._scorer.real_text().scores, *self._scorer.truth_likelihood()]

        return self._scores({"model": "real"}, measure)

    def _point(self, model: Model, by: str, value: float) -> list[Measured]:
        """The scores of each sampling; what needs no sampling is the same in all.

        A selection leaves a distribution whose likelihoods nobody knows.
        """
        decoding = make_point_decoding(by, value, self._never)
        facts = {"model": model.digest, by: value}
        likelihood: Measured = []
        if model.choose is None:
            likelihood = self._scores(
                facts, partial(self._scorer.likelihood, model.generator, decoding)
            )
        samplings = []
        for repeat in range(self._sweep.repeats):
            point = (model.digest, by, value, repeat)

            def measure(point: tuple[str | float, ...] = point) -> list[Score]:
                rng, other = (seeded(self._sweep.seed, what, *point) for what in PURPOSES)
                selection = model.selection(other)
                return self._scorer.sampled(model.generator, decoding, rng, selection)[0]

            samplings.append(self._scores({**facts, "repeat": repeat}, measure) + likelihood)
        return samplings

    def _scores(self, facts: Mapping[str, object], measure: Callable[[], list[Score]]) -> Measured:
        if self._cache is None:
            return [score.as_dict() for score in measure()]
        return self._cache.scores({**self._conditions, **facts}, measure)
