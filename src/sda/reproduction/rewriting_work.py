"""One system of style transfer run, scored, and written into the ledger."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from sda.evaluation.score import Score
from sda.files import read_json
from sda.reproduction.measure import commit, packages, score_figures
from sda.reproduction.rewriting_jobs import RewritingJob
from sda.reproduction.work import KEY_LETTERS, Places
from sda.runs.folder import RunFolder
from sda.show.terminal import Quiet
from sda.transfer.judge_folder import evaluation_judges
from sda.transfer.rewriting_scores import right_share
from sda.transfer.rivals.rival import fit_rival
from sda.transfer.styled import StyledTexts, read_styled
from sda.transfer.transfer_evaluation import random_targets
from sda.transfer.transfer_run import CANDIDATES
from sda.transfer.transfer_scores import TransferScorer
from sda.transfer.transfer_settings import TransferSettings
from sda.transfer.transfer_task import SourceFiles, TransferTask
from sda.transfer.transfer_texts import load_transfer_texts
from sda.transfer.transfer_training import train_transfer_run

SHOWN = 5  # rewritings of the first sentences of each style that the ledger keeps
COPIED = "(a copy of the source)"
ONCE = "once"
RIGHT = "exactly-right"


def do_rewriting(job: RewritingJob, places: Places) -> None:
    """The ledger holds the job's record; a run that was begun goes on."""
    torch.set_num_threads(1)
    made_by = commit()
    sentences = _sentences(job, places)
    began = time.process_time()
    outputs, costs = _rewritten(job, places, sentences)
    costs.setdefault("cpu_seconds", round(time.process_time() - began, 3))
    folder = places.runs / f"{job.experiment}-judges-{job.base}-{_judges_seed(job)}-{job.profile}"
    judges = evaluation_judges(sentences.train, _judges_seed(job), folder)
    scorer = TransferScorer(sentences.task, judges, sentences.train)
    figures = {way: _figures(job, sentences.task, scorer, texts) for way, texts in outputs.items()}
    record = {
        "key": job.key,
        "numerics": job.numerics,
        "experiment": job.experiment,
        "row": job.row.name,
        "base": job.base,
        "profile": job.profile,
        "seed": job.seed,
        "start": None,
        "commit": made_by,
        "date": datetime.now(UTC).date().isoformat(),
        "packages": packages(),
        "settings": job.facts(),
        "scores": figures[""],
        ONCE: figures.get(ONCE, {}),
        "real": {},
        "alarms": [],
        "costs": costs,
        "first_stage_costs": {},
        "curve": {},
        "progress": [],
        "samples": _samples(job, sentences.task, outputs[""]),
    }
    places.ledger.write(record)


def rewriting_epochs(job: RewritingJob, places: Places) -> int:
    """Epochs of the job that are on the disk."""
    progress = RunFolder(run_path(job, places)).progress
    return progress.read_bytes().count(b"\n") if progress.is_file() else 0


def run_path(job: RewritingJob, places: Places) -> Path:
    """The folder of a run, whose name is that of its settings."""
    return places.runs / f"{job.experiment}-{job.name}-{job.run_key[:KEY_LETTERS]}"


@dataclass(frozen=True)
class _Texts:
    """What is learned from, and what is to be rewritten."""

    train: StyledTexts
    task: TransferTask
    files: SourceFiles | None


def _sentences(job: RewritingJob, places: Places) -> _Texts:
    base = job.sentences
    if not base.train:
        found = load_transfer_texts(job.settings)
        sizes = [len(part) for part in found.valid.texts]
        origins = [style for style, size in enumerate(sizes) for _ in range(size)]
        task = TransferTask(
            found.names,
            tuple(text for part in found.valid.texts for text in part),
            tuple(origins),
            tuple((origin + 1) % len(sizes) for origin in origins),
        )
        return _Texts(found.train, task, None)
    train = read_styled(_paths(base.train, places))
    files = SourceFiles(_paths(base.sources, places), train.names)
    return _Texts(train, files.task(_paths(base.references, places)), files)


def _rewritten(
    job: RewritingJob, places: Places, sentences: _Texts
) -> tuple[dict[str, Sequence[str]], dict[str, float]]:
    """The rewritings, of a run also those of a single pass, and what training cost."""
    task, row = sentences.task, job.row
    if row.kind == "copy":
        return {"": task.sources}, {}
    if row.kind == "chance":
        drawn = random_targets(task, sentences.train, job.seed)
        assert drawn is not None
        return {"": drawn}, {}
    if row.kind == "person":
        return {"": task.references[int(row.of)]}, {}
    if row.kind == "published":
        assert sentences.files is not None
        outputs = [
            places.data / f"{row.of}.{file.rpartition('.')[2]}" for file in job.sentences.sources
        ]
        return {"": sentences.files.systems(outputs)[0].texts}, {}
    if row.kind == "rival":
        rival = fit_rival(row.of, sentences.train, job.seed, job.rival)
        return {"": _by_style(task, rival.rewrite)}, {}
    settings = _located(job.settings, places)
    run = train_transfer_run(settings, run_path(job, places), Quiet(), resume=True)

    def of(candidates: int) -> list[str]:
        return _by_style(
            task,
            lambda texts, _, target: run.transfer(texts, run.styles[target], candidates),
        )

    return {"": of(CANDIDATES), ONCE: of(1)}, dict(read_json(run.folder.run.finished))


def _by_style(
    task: TransferTask, rewrite: Callable[[Sequence[str], int, int], list[str]]
) -> list[str]:
    """All sources rewritten, those of one style at a time."""
    found = [""] * len(task.sources)
    for origin, target in sorted(set(zip(task.origins, task.targets, strict=True))):
        rows = [place for place, own in enumerate(task.origins) if own == origin]
        texts = rewrite([task.sources[row] for row in rows], origin, target)
        for row, text in zip(rows, texts, strict=True):
            found[row] = text
    return found


def _figures(
    job: RewritingJob, task: TransferTask, scorer: TransferScorer, texts: Sequence[str]
) -> dict[str, dict[str, Any]]:
    references = None
    if job.row.kind == "person":
        # A person is held against the others.
        own = int(job.row.of)
        references = [each for place, each in enumerate(task.references) if place != own]
    scores = [measured.score() for measured in scorer.measure(texts, references).values()]
    if not job.sentences.train:
        right = 100 * right_share(job.base, task, texts)
        scores.insert(0, Score(RIGHT, right, True, f"source:{job.base}|sentences:{len(texts)}"))
    return score_figures(scores)


def _samples(job: RewritingJob, task: TransferTask, texts: Sequence[str]) -> list[str]:
    """Rewritings of the first sentences of each style, whatever they are.

    Sentences of others may not be given on: of files only what a model wrote is kept, and not where
    that is the source.
    """
    is_others = bool(job.sentences.train)
    if is_others and job.row.kind != "run":
        return []
    firsts: list[int] = []
    for style in sorted(set(task.origins)):
        firsts += [place for place, own in enumerate(task.origins) if own == style][:SHOWN]
    return [
        COPIED if is_others and texts[place] == task.sources[place] else texts[place]
        for place in firsts
    ]


def _judges_seed(job: RewritingJob) -> int:
    """One fit of the judges serves all seeds where all are about the same sentences."""
    return 0 if job.sentences.train else job.seed


def _located(settings: TransferSettings, places: Places) -> TransferSettings:
    if len(settings.sources) == 1:
        return settings
    files = [str(path) for path in _paths(settings.sources, places)]
    return settings.model_copy(update={"sources": files})


def _paths(files: Sequence[str], places: Places) -> list[Path]:
    return [places.data / file for file in files]


def once_scores(data: Mapping[str, Any]) -> dict[str, float]:
    """The figures of a single pass by name; none of what has but one way."""
    return {name: score["value"] for name, score in data.get(ONCE, {}).items()}
