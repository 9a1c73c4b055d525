"""What cases attack: small runs, studies and ledgers, made once and only ever copied."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest import mock

from labelled_tiny import QUICK, rows, write_table
from reproduction.records import jobs_of, record_of, write_ledger
from studies.people import by_model, rate_all, small_study, write_study
from tiny import NO_LIMITS, TINY, sets, undrawn, write_toy

from .calling import call, inside

METRIC = """def score(texts):
    return [text.count("cat") + 1 / (1 + len(text)) for text in texts]
"""
REWRITER = (
    *("data.size=60", "data.valid=6", "model.embedding=12", "model.reading=6", "model.hidden=12"),
    *("denoising.epochs=2", "denoising.walk=64", "denoising.batch_size=16", "stage2.rounds=2"),
    *("stage2.sources=12", "stage2.candidates=2", "stage2.learned=24", "stage2.least_style=0.0"),
)
QUICK_JUDGE = (
    *("judge.candidates=['states-sum']", "judge.members=2", "judge.updates=10"),
    *("judge.check_every=5", "hand_over.samples=20", "hand_over.quality=0"),
)
QUIET = ("--profile", "smoke", "--quiet")
# How the runs of each kind are trained, but for where they are written to.
TRAINED: dict[str, tuple[str, ...]] = {
    "paper": ("train", "{toy}", "--preset", "paper", *QUIET, *sets(TINY)),
    "judged": (
        *("train", "{toy}", "--metric", "{metric}:score", "--calls", "90", *QUIET),
        *sets((*TINY, *NO_LIMITS, *QUICK_JUDGE)),
    ),
    "leakrnn": (
        *("train", "{toy}", "--preset", "paper", "--generator", "leakrnn", *QUIET),
        *sets((*TINY, "mle.alternations=1")),
    ),
    "transfer": ("transfer", "train", "reviews", "--quiet", *sets(REWRITER)),
}


class Ground:
    """A folder with everything that cases begin from; each part is made when it is first asked."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def toy(self) -> Path:
        """Eighty sentences."""
        return write_toy(self.root / "toy.txt")

    @cached_property
    def metric(self) -> Path:
        """A metric of the user's own."""
        path = self.root / "metric.py"
        path.write_text(METRIC)
        return path

    @cached_property
    def table(self) -> Path:
        """Labelled rows."""
        return write_table(self.root / "rows.csv", *rows())

    def words(self, kind: str) -> list[str]:
        """The command that trains a run of that kind, but for where to."""
        places = {"toy": self.toy, "metric": self.metric}
        return [word.format(**places) for word in TRAINED[kind]]

    def trained(self, kind: str, seed: int = 0) -> Path:
        """A finished run of that kind."""
        path = self.root / "runs" / f"{kind}-{seed}"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            self._train(self.words(kind), path, seed)
        return path

    def halfway(self, kind: str) -> Path:
        """The same run, as an interruption in its last epoch left it."""
        path = self.root / "runs" / f"{kind}-half"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            with self._interrupted(kind):
                told = call(*self.words(kind), "--out", path, "--seed", 0)
            assert told.code == 130, told
        return path

    @cached_property
    def study(self) -> Path:
        """A study that six people have rated."""
        path = self.root / "study"
        if not path.exists():
            study = small_study(items=6)
            folder = write_study(path, study)
            rate_all(folder, by_model(study, {"secret-one": 2.0, "secret-two": 4.0}))
        return path

    @cached_property
    def ledger(self) -> Path:
        """Two records of an experiment, as if they had been run."""
        path = self.root / "ledger"
        scores = {"BLEU-2": 0.8, "self-BLEU-2": 0.7, "nll-test": 2.0}
        points = {1.0: [scores, scores], 0.8: [scores, scores]}
        jobs = jobs_of("baselines", seeds=1)
        records = [
            record_of(job, scores=scores, real=scores, points=points)
            for (row, _), job in jobs.items()
            if row in ("mle", "sda")
        ]
        write_ledger(path, records)
        return path

    @cached_property
    def augmented(self) -> Path:
        """The work of `sda augment`, all done; `more.csv` in it is what came out."""
        path = self.root / "augmented"
        if not path.exists():
            path.mkdir()
            told = call(*self.augment_words(path))
            assert told.code == 0, told
        return path

    def augment_words(self, folder: Path) -> list[str]:
        """The command that makes more rows, with its work and its rows in the folder."""
        words = ("augment", self.table, "-o", folder / "more.csv", "--per-class", 3, *QUICK)
        return [str(word) for word in (*words, "--work", folder / "work")]

    def _train(self, words: list[str], path: Path, seed: int) -> None:
        told = call(*words, "--out", path, "--seed", seed)
        assert told.code == 0, told

    @contextmanager
    def _interrupted(self, kind: str) -> Iterator[None]:
        """Ctrl-C is pressed when the last epoch but one has been saved."""
        from sda.show.terminal import Quiet

        lines = (self.trained(kind) / "progress.jsonl").read_bytes().count(b"\n")
        left = [lines - 1]

        def epoch(_: Quiet, __: object) -> None:
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

        with mock.patch.object(Quiet, "epoch", epoch):
            yield


@contextmanager
def quick() -> Iterator[None]:
    """What takes seconds takes none: drawings, judges of style, the choice of how strongly a
    classifier is held back, and the plan of an experiment."""
    from sda.labelled import label_classifiers
    from sda.reproduction import rows as table_rows
    from sda.reproduction.jobs import plan_jobs
    from sda.transfer import style_cnn, transfer_page

    plans: dict[str, Any] = {}

    def planned(*asked: Any) -> Any:
        key = repr(asked)
        if key not in plans:
            plans[key] = plan_jobs(*asked)
        return plans[key]

    with ExitStack() as stack:
        stack.enter_context(undrawn())
        for module, name, value in (
            (table_rows, "plan_jobs", planned),
            (label_classifiers, "MOST_TUNED", 0),
            (style_cnn, "LEAST_UPDATES", 4),
            (style_cnn, "MAPS", 4),
            (transfer_page, "draw_curves", lambda runs: []),
        ):
            stack.enter_context(mock.patch.object(module, name, value))
        yield


@contextmanager
def scratch(ground: Ground) -> Iterator[Path]:
    """A folder to be in, gone afterwards.

    What is called there once, before any child is forked, need not be loaded and compiled in each.
    """
    folder = ground.root / "scratch"
    shutil.rmtree(folder, ignore_errors=True)  # of a campaign that was killed
    folder.mkdir()
    try:
        with inside(folder):
            yield folder
    finally:
        shutil.rmtree(folder)


def copied(source: Path, target: Path) -> Path:
    """A file or a folder once more."""
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
    return target
