"""E4, the paper's human evaluation: a study of its rows, ready to be served (decision 0186).

Ratings by people cannot be made by a program, and none are invented. What stands beside the study
is what its design can see, and what automatic scores in the ledger say of the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sda.errors import UserError
from sda.reproduction import definitions
from sda.reproduction.data_files import require
from sda.reproduction.definitions import Portion
from sda.reproduction.jobs import Job, needed_files, plan_jobs
from sda.reproduction.rows import base_title
from sda.reproduction.work import Places, train_job
from sda.runs.folder import RunFolder
from sda.show.table import NAMES, Cell, Column, Table
from sda.studies.from_files import REAL, study_from_texts
from sda.studies.make_study import MadeStudy, Wishes
from sda.studies.study import StudyFolder
from sda.text.reading import read_lines

NAME = "human"
SOURCE = "emnlp"
ROWS = {"mle": "", "rl": " +RL", "sda": " +SDA"}
PAPER = {"mle": 2.97, "rl": 2.67, "sda": 3.11, REAL: 4.10}
BASE = "leakrnn"
ITEMS, RATINGS, JUDGES = 100, 3, 30
PROXIES = ("lm-perplexity", "grammar-issues", "length")
INTRODUCTION = (
    "E4 Human evaluation (Table 3): do people rate news by SDA above its base and +RL?",
    "Ratings by people cannot be made here, and none are invented: this builds the study, and shows"
    " what it can see and what automatic scores say of the same rows.",
)
GUIDE = (
    "You will see sentences of news, one after the other; some were written by people and some by"
    " programs. Rate how good each is as a sentence of English news: whether it is grammatical,"
    " whether it makes sense, and whether somebody could have written it. Read each by itself."
    " There are no right answers, but please read every sentence: a few are there to see that"
    " somebody does. You may stop at any time and go on later with the same link."
)


@dataclass(frozen=True)
class HumanStudy:
    """The runs whose sentences are rated, and where all is."""

    base: str
    jobs: Sequence[Job]
    places: Places
    folder: StudyFolder

    def missing(self) -> list[Job]:
        """Runs whose sentences are not on the disk; the ledger keeps only a few of each."""
        return [job for job in self.jobs if not self._run(job).is_finished]

    def _run(self, job: Job) -> RunFolder:
        return RunFolder(self.places.folder(job))

    def title(self, row: str) -> str:
        return REAL if row == REAL else f"{base_title(self.base)}{ROWS[row]}"

    def train(self, job: Job) -> None:
        """The run folder of the job holds its sentences."""
        require(self.places.data, needed_files([job]))
        train_job(job, self.places)

    def build(self, seed: int = 0) -> MadeStudy:
        """The study of the paper's table: its models and real text, 100 sentences each."""
        texts = {self.title(job.row): read_lines(self._run(job).samples) for job in self.jobs}
        test = self.jobs[0].settings.data.test
        assert test is not None
        require(self.places.data, [test])
        texts[REAL] = read_lines(self.places.data / test)
        wishes = Wishes(ratings=RATINGS, judges=JUDGES, seed=seed, guide=GUIDE)
        made = study_from_texts(texts, REAL, None, ITEMS, wishes)
        self.folder.begin(made.study)
        return made

    def proxies(self) -> Table:
        """Automatic scores of the rows from the ledger, beside the paper's ratings."""
        columns = [NAMES, Column("human rating, paper", digits=2)]
        columns += [Column(name) for name in PROXIES]
        rows: list[list[Cell]] = []
        real: dict[str, float] = {}
        for job in self.jobs:
            record = self.places.ledger.find(job.key)
            scores = {} if record is None else record.scores()
            real = real if record is None else record.scores("real")
            paper = PAPER[job.row] if self.base == BASE else None
            rows.append([self.title(job.row), paper, *(scores.get(name) for name in PROXIES)])
        rows.append([REAL, PAPER[REAL], *(real.get(name) for name in PROXIES)])
        notes = [
            "lm-perplexity: under an n-gram model of news that no run has learned from;"
            " grammar-issues in 1,000 words; length in words. Lower is better for the first two,"
            " and neither is a rating.",
            "The paper's ratings are of its own models, trained on far more text.",
        ]
        return Table.of_rows("Instead of ratings: the ledger's scores", columns, rows, notes)


def human_study(
    profile: str, models: Sequence[str] | None, places: Places, study: Path | None
) -> HumanStudy:
    """The study of E4 for a base, by default the paper's."""
    if models is not None and len(models) != 1:
        raise UserError("human: give one of --models; a study has one base and its rows")
    base = BASE if models is None else models[0]
    experiment = definitions.experiment(SOURCE)
    jobs = plan_jobs(experiment, Portion(profile, [base], 1, list(ROWS)))
    folder = study or places.runs / f"{NAME}-{base}-{profile}"
    return HumanStudy(base, jobs, places, StudyFolder(folder))
