"""Quality against diversity over temperatures, for the generators of one or several runs.

Every run brings the state that its Stage I ended with, so the curve of plain maximum likelihood is
always there to be held against: a colder softmax is the first rival of any further training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from sda.errors import UserError
from sda.evaluation.dominance import Verdict, judge
from sda.files import naming
from sda.runs.curve_models import collect_models
from sda.runs.report import run_names, write_report
from sda.runs.run import Run
from sda.runs.sweep import Sweep, Sweeper
from sda.scoring.cache import Cache, Measured
from sda.scoring.planes import PLANES, PRIMARY, curve_on, real_point
from sda.scoring.row_scorer import CURVE_KINDS, RowScorer
from sda.show.curve_page import write_curve
from sda.show.terminal import Counter
from sda.source import Loaded
from sda.text.sentences import Flat

CACHE = "curve.jsonl"


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
    scorer = RowScorer(
        loaded, runs[0].settings, CURVE_KINDS, samples=sweep.samples, seed=sweep.seed
    )
    models = collect_models(runs, loaded)
    # Only now: a mistake must not leave a folder.
    with naming(out):
        out.mkdir(parents=True, exist_ok=True)
    cache = Cache(out / CACHE, [run.path / CACHE for run in runs])
    sweeper = Sweeper(scorer, sweep, loaded.vocabulary.unk, cache)
    counter.begin(len(models) * len(sweep.points()))
    curves = [track for model in models for track in sweeper.tracks(model, counter.step)]
    real = sweeper.real_text()
    verdicts = judge_all(curves, real)
    return {
        "settings": asdict(sweep) | {"samples": scorer.count},
        "text": scorer.fingerprint(),
        "primary": asdict(PRIMARY),
        "real": real,
        "curves": curves,
        "comparisons": [verdict.as_dict() for verdict in verdicts],
    }


def load_common(runs: Sequence[Run]) -> Loaded:
    """The source of the runs; runs on different texts cannot be compared and are refused."""
    first, loaded = runs[0], runs[0].load_source()
    mark = _mark(loaded)
    for run in runs[1:]:
        other = loaded
        if _origin(run) == _origin(first):
            run.folder.keep_text(loaded)
        else:
            other = run.load_source()
        if _mark(other) != mark:
            raise UserError(
                f"{run.path}: the run has other validation and test sentences, another vocabulary"
                f" or other labels than {first.path}; curves are compared on one text"
            )
    return loaded


def _origin(run: Run) -> tuple[object, ...]:
    settings = run.settings
    return settings.source, settings.data, settings.embedded, settings.seed


def _mark(loaded: Loaded) -> tuple[object, ...]:
    """What two sources must share for scores to be comparable."""
    held_out = loaded.held_out
    texts = [_bytes(flat) for flat in (held_out.references, held_out.real)]
    context = loaded.corpus.valid.context
    labels = None if context is None else context.numbers().tobytes()
    return loaded.vocabulary.to_json(), loaded.corpus.labels, labels, *texts


def _bytes(flat: Flat) -> bytes:
    return flat.ids.tobytes() + flat.starts.tobytes()


def judge_all(curves: Sequence[dict[str, Any]], real: Measured) -> list[Verdict]:
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
                found.append(judge(one, other, plane))
        if plane == PRIMARY:
            point = real_point(plane, real)
            warm = [track for track in curves if track["by"] == "temperature"]
            lines = [curve_on(plane, track) for track in warm]
            found += [judge(line, point, plane) for line in lines if line and point]
    return found
