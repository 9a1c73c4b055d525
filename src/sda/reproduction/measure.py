"""What the ledger keeps of a finished run: scores, points over temperatures, costs, samples."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from sda.errors import UserError
from sda.evaluation.alarms import find_alarms
from sda.evaluation.catalogue import KINDS, figure_name
from sda.evaluation.grammar import Checker, grammar_score
from sda.evaluation.score import Score
from sda.files import naming, write_text
from sda.randomness import seeded
from sda.reproduction.jobs import NUMERICS, Job
from sda.runs.costs import run_costs
from sda.runs.curve_models import last_model
from sda.runs.run import Run
from sda.runs.sweep import TEMPERATURES, Sweep, Sweeper
from sda.scoring.cache import Measured
from sda.scoring.row_scorer import (
    CHECKED_SENTENCES,
    CURVE_KINDS,
    RowScorer,
    ScoredRow,
    own_row,
    real_row,
)
from sda.settings.layers import source_kind
from sda.source import load_source
from sda.text.reading import read_lines

PACKAGES = ("torch", "numpy", "numba")
FIGURES = (
    "nll_valid",
    *(figure_name(kind.name) for kind in KINDS if kind.monitored),
    "reward",
    "d_accuracy_real",
    "d_accuracy_fake",
    "buffer_median",
)
REPEATS = 2  # samplings of each point
FEW_TEMPERATURES = (1.11, 1.0, 0.83)
SHOWN_SAMPLES = 10
COMMIT = "commit.txt"


def sweep_for(job: Job) -> Sweep:
    """All temperatures for a start, which is the curve to be held against; three for the rest."""
    seed = job.settings.seed
    if job.profile == "smoke":
        return Sweep((1.0, 0.8), repeats=REPEATS, seed=seed)
    is_start = job.start is None and not (job.settings.augmentation or job.settings.objective)
    return Sweep(TEMPERATURES if is_start else FEW_TEMPERATURES, repeats=REPEATS, seed=seed)


def make_record(job: Job, run: Run, sweep: Sweep) -> dict[str, Any]:
    """All that the ledger keeps, ready for JSON."""
    began = time.monotonic()
    rows = [ScoredRow.from_dict(row) for row in run.folder.read_scores()]
    own, real = own_row(rows), real_row(rows)
    texts = run.folder.read_samples()
    checked = _grammar(job, run, texts)
    scores = [*own.scores, *checked[:1]]
    real_scores = [*real.scores, *checked[1:]]
    lines = run.progress()
    return {
        "key": job.key,
        "numerics": NUMERICS,
        "experiment": job.experiment,
        "row": job.row,
        "base": job.base,
        "profile": job.profile,
        "seed": job.seed,
        "start": None if job.start is None else job.start.key,
        "commit": trained_by(run),
        "date": datetime.now(UTC).date().isoformat(),
        "packages": packages(),
        "settings": job.settings.model_dump(mode="json", exclude_defaults=True),
        "scores": score_figures(scores),
        "real": score_figures(real_scores),
        "signatures": {score.name: score.signature for score in scores},
        "alarms": [alarm.name for alarm in find_alarms(own.scores, real.scores)],
        "costs": run.costs(),
        "first_stage_costs": run_costs([line for line in lines if line["stage"] != "imitation"]),
        "curve": measure_points(run, sweep),
        "progress": _progress(lines, job.start is not None),
        "samples": texts[:SHOWN_SAMPLES],
        "measuring_seconds": round(time.monotonic() - began, 3),
    }


def measure_points(run: Run, sweep: Sweep) -> dict[str, Any]:
    """The scores of each sampling at each temperature, and those of real text.

    `samples` sentences are written for a sampling, and `sentences` of them are scored: as many as
    the run's own table is about. Records without this number were measured on another one.
    """
    # A run that was finished before has not set them in this process.
    torch.set_num_threads(run.settings.threads)
    loaded = load_source(run.settings)
    run.folder.keep_text(loaded)
    checker = _checker(run.settings.source)
    scorer = RowScorer(
        loaded, run.settings, CURVE_KINDS, samples=sweep.samples, seed=sweep.seed, checker=checker
    )
    sweeper = Sweeper(scorer, sweep, loaded.vocabulary.unk)
    (track,) = sweeper.tracks(last_model(run, loaded), lambda _: None)
    return {
        "temperatures": sweep.temperatures,
        "samples": scorer.samples,
        "sentences": scorer.count,
        "repeats": sweep.repeats,
        "real": _values(sweeper.real_text()),
        "points": [
            {"temperature": point["decoding"], "samplings": list(map(_values, point["samplings"]))}
            for point in track["points"]
        ],
    }


def _grammar(job: Job, run: Run, texts: Sequence[str]) -> list[Score]:
    """Issues per 1,000 words in the samples and in real text; none without a checker or English."""
    valid = run.settings.data.valid
    checker = _checker(run.settings.source)
    if checker is None or valid is None:
        return []
    real = read_lines(Path(valid))
    order = torch.randperm(len(real), generator=seeded(job.seed, "grammar"))
    some_real = [real[place] for place in order[:CHECKED_SENTENCES].tolist()]
    return [grammar_score(some, checker) for some in (texts[:CHECKED_SENTENCES], some_real)]


def _checker(source: str) -> Checker | None:
    """The checker of English text; none without its package."""
    if source_kind(source) != "text":
        return None
    try:
        from sda.text.harper import HarperChecker

        return HarperChecker()
    except UserError:
        return None


def lacks_checker(source: str) -> bool:
    """Whether records will have no issues of grammar for want of a package."""
    return source_kind(source) == "text" and find_spec("harper") is None


def commit() -> str | None:
    """The commit of the code, marked if changed since; None outside its repository."""
    try:
        # An installed package may lie within a repository that is not its own.
        _git("ls-files", "--error-unmatch", Path(__file__).name)
        return _git("describe", "--always", "--abbrev=12", "--dirty")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def note_commit(run: Run, made_by: str | None) -> None:
    """Keep with the run which commit trained it: it may be measured by another one later."""
    if made_by is not None:
        write_text(run.path / COMMIT, f"{made_by}\n")


def trained_by(run: Run) -> str | None:
    """The commit that was kept with the run; without one that of now."""
    path = run.path / COMMIT
    if not path.is_file():
        return commit()
    with naming(path):
        return path.read_text(encoding="utf-8").strip()


def packages() -> dict[str, str]:
    """Versions of what the figures depend on."""
    found = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"python": platform.python_version(), **found}


def _values(scores: Measured) -> dict[str, float]:
    return {score["name"]: _rounded(score["value"]) for score in scores}


def score_figures(scores: Sequence[Score]) -> dict[str, dict[str, Any]]:
    """Values and intervals by name."""
    found: dict[str, dict[str, Any]] = {}
    for score in scores:
        found[score.name] = {"value": _rounded(score.value)}
        if score.interval is not None:
            found[score.name]["interval"] = [_rounded(end) for end in score.interval]
    return found


def _rounded(value: float) -> float:
    """Six digits: more than any sampling can tell apart, and a file that can be read."""
    return float(f"{value:.6g}")


def _progress(lines: Sequence[Mapping[str, Any]], has_start: bool) -> list[dict[str, Any]]:
    """The figures of each epoch; those of a shared Stage I stand in the record of the start."""
    kept = [line for line in lines if line["stage"] == "imitation"] if has_start else lines
    return [
        {
            "stage": line["stage"],
            "epoch": line["epoch"],
            **{name: _rounded(line[name]) for name in FIGURES if name in line},
        }
        for line in kept
    ]
