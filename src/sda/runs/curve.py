"""Quality against diversity over temperatures, for the generators of one or several runs.

Every run brings the state that its Stage I ended with, so the curve of plain maximum likelihood is
always there to be held against: a colder softmax is the first rival of any further training.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from sda import __version__
from sda.errors import UserError
from sda.evaluation.dominance import Comparison, compare
from sda.evaluation.score import Convention
from sda.files import naming
from sda.randomness import seeded
from sda.runs.curve_models import Model, collect_models
from sda.runs.report import run_names, write_report
from sda.runs.run import Run, make_decoding
from sda.sampling import Decoding
from sda.scoring.cache import Cache, Scores
from sda.scoring.planes import PLANES, PRIMARY, curve_on, real_point
from sda.scoring.points import PointScorer
from sda.show.curve_page import write_curve
from sda.show.terminal import Counter
from sda.source import Loaded, load_source
from sda.text.sentences import Flat

CACHE = "curve.jsonl"
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
    samples: int = 2000
    """Sentences of a sampling: self-BLEU and distinct-2 change with it."""
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
        if self.samples < 2:
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


def draw_runs(runs: Sequence[Run], sweep: Sweep, out: Path, counter: Counter) -> dict[str, Any]:
    """The folder `out` holds points, figure and page; the report of a run in it shows them too."""
    runs = list({run.path.resolve(): run for run in runs}.values())
    result = sweep_runs(runs, sweep, out, counter)
    write_curve(result, f"Quality and diversity: {', '.join(run_names(runs))}", out)
    for run in runs:
        if run.path.resolve() == out.resolve() and run.folder.report.is_file():
            write_report([run], run.folder.report)
    return result


def sweep_runs(runs: Sequence[Run], sweep: Sweep, out: Path, counter: Counter) -> dict[str, Any]:
    """All points, and what they say about the models, ready for JSON.

    Points that the cache in `out` or in a run's folder has are not measured again.
    """
    torch.set_num_threads(runs[0].settings.threads)
    loaded = load_common(runs)
    data = runs[0].settings.data
    convention = Convention(data.tokenizer, data.lowercase)
    scorer = PointScorer(loaded, sweep.samples, sweep.seed, convention)
    models = collect_models(runs, loaded)
    # Only now: a mistake must not leave a folder.
    with naming(out):
        out.mkdir(parents=True, exist_ok=True)
    cache = Cache(out / CACHE, [run.path / CACHE for run in runs])
    sweeper = _Sweeper(scorer, cache, sweep, loaded.vocabulary.unk)
    counter.begin(len(models) * len(sweep.points()))
    curves = [track for model in models for track in sweeper.tracks(model, counter)]
    real = sweeper.real_text()
    comparisons = compare_all(curves, real)
    return {
        "settings": asdict(sweep) | {"samples": scorer.count},
        "text": scorer.fingerprint(),
        "primary": asdict(PRIMARY),
        "real": real,
        "curves": curves,
        "comparisons": [comparison.as_dict() for comparison in comparisons],
    }


class _Sweeper:
    """Measures each point of a model once, unless the cache has it."""

    def __init__(self, scorer: PointScorer, cache: Cache, sweep: Sweep, never: int | None) -> None:
        self._scorer = scorer
        self._cache = cache
        self._sweep = sweep
        self._never = never
        self._conditions = {"text": scorer.fingerprint(), "version": __version__}

    def tracks(self, model: Model, counter: Counter) -> list[dict[str, Any]]:
        """The curve over temperatures, and the one over top-p where it was asked for."""
        tracks: dict[str, dict[str, Any]] = {}
        for by, value in self._sweep.points():
            name = model.name if by == "temperature" else f"{model.name} with top-p"
            track = tracks.setdefault(by, {"name": name, "start": model.start, "by": by})
            point = {"decoding": value, "samplings": self._point(model, by, value)}
            track.setdefault("points", []).append(point)
            counter.step(f"{name}, {by} {value:g}")
        return list(tracks.values())

    def real_text(self) -> Scores:
        return self._cache.scores({**self._conditions, "model": "real"}, self._scorer.real_text)

    def _point(self, model: Model, by: str, value: float) -> list[Scores]:
        """The scores of each sampling; what needs no sampling is the same in all.

        A selection leaves a distribution whose likelihoods nobody knows.
        """
        decoding = make_point_decoding(by, value, self._never)
        facts = {**self._conditions, "model": model.digest, by: value}
        likelihood: Scores = []
        if model.selector is None:
            likelihood = self._cache.scores(
                facts, partial(self._scorer.likelihood, model.generator, decoding)
            )
        samplings = []
        for repeat in range(self._sweep.repeats):
            point = (model.digest, by, value, repeat)
            measure = partial(
                self._scorer.samples,
                model.generator,
                decoding,
                seeded(self._sweep.seed, "curve", *point),
                model.selection(seeded(self._sweep.seed, "selection", *point)),
            )
            samplings.append(self._cache.scores({**facts, "repeat": repeat}, measure) + likelihood)
        return samplings


def load_common(runs: Sequence[Run]) -> Loaded:
    """The source of the runs; runs on different texts cannot be compared and are refused."""
    first, loaded = runs[0], load_source(runs[0].settings)
    _check_unchanged(first, loaded)
    mark = _mark(loaded)
    for run in runs[1:]:
        other = loaded if _origin(run) == _origin(first) else load_source(run.settings)
        _check_unchanged(run, other)
        if _mark(other) != mark:
            raise UserError(
                f"{run.path}: the run has other validation and test sentences, or another"
                f" vocabulary, than {first.path}; curves are compared on one text"
            )
    return loaded


def _origin(run: Run) -> tuple[object, ...]:
    settings = run.settings
    return settings.source, settings.data, settings.embedded, settings.seed


def _mark(loaded: Loaded) -> tuple[object, ...]:
    """What two sources must share for scores to be comparable."""
    held_out = loaded.held_out
    texts = [_bytes(flat) for flat in (held_out.references, held_out.real)]
    return loaded.vocabulary.to_json(), *texts


def _check_unchanged(run: Run, loaded: Loaded) -> None:
    """A source file may have another text by now than the run was trained on."""
    run.folder.keep_text(loaded)


def _bytes(flat: Flat) -> bytes:
    return flat.ids.tobytes() + flat.starts.tobytes()


def compare_all(curves: Sequence[dict[str, Any]], real: Scores) -> list[Comparison]:
    """Each model against its start and against the models before it, on all planes.

    A curve over top-p is held against the same model's curve over temperatures, and on the plane
    that decides each of the latter against real text.
    """
    pairs = []
    by_name = {track["name"]: track for track in curves}
    for number, track in enumerate(curves):
        if track["by"] == "top-p":
            pairs.append((track, curves[number - 1]))
        elif track["start"] is not None:
            pairs.append((track, by_name[track["start"]]))
            earlier = [other for other in curves[:number] if other["by"] == "temperature"]
            pairs += [(track, other) for other in earlier if other["start"] is not None]
    found = []
    for plane in PLANES:
        for first, second in pairs:
            one, other = curve_on(plane, first), curve_on(plane, second)
            if one is not None and other is not None:
                found.append(compare(one, other, plane))
        if plane == PRIMARY:
            point = real_point(plane, real)
            warm = [track for track in curves if track["by"] == "temperature"]
            lines = [curve_on(plane, track) for track in warm]
            found += [compare(line, point, plane) for line in lines if line and point]
    return found
