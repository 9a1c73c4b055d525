"""The tables of an experiment of style transfer, from the ledger, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sda.reproduction.definitions import Portion
from sda.reproduction.ledger import Ledger, RunRecord
from sda.reproduction.rewriting_jobs import plan_rewritings
from sda.reproduction.rewriting_rows import RewritingExperiment, RewritingRow
from sda.reproduction.rewriting_work import RIGHT, once_scores
from sda.reproduction.sheets import row_name
from sda.reproduction.summary import summarize
from sda.show.table import NAMES, Cell, Column, Figure, Group, Table
from sda.transfer.transfer_run import CANDIDATES

SUBJECT = "sda"
MINUTES = "CPU minutes"
MINUTE = 60
ACCURACY, BLEU = "style-cnn", "reference-bleu-4"
TITLES = {
    RIGHT: "exactly right",
    ACCURACY: "style, CNN",
    "style-language-model-ratio": "style, LM",
    "style-naive-bayes": "style, Bayes",
    "source-bleu": "BLEU source",
    "reference-bleu-1": "BLEU 1 ref",
    BLEU: "BLEU 4 refs",
    "perplexity": "perplexity",
    "copies": "copies",
}
# What a table of some width shows; the first two have the paper's figures beside them.
MAIN = (RIGHT, ACCURACY, "source-bleu", BLEU, MINUTES)
OTHER = (
    "style-language-model-ratio",
    "style-naive-bayes",
    "reference-bleu-1",
    "perplexity",
    "copies",
)
PAPER = {ACCURACY: "accuracy", BLEU: "bleu"}
KINDS = {
    "to compare with": ("copy", "chance", "person"),
    "published outputs": ("published",),
    "rivals at the scale of one CPU": ("rival",),
    "this project's model": ("run",),
}


@dataclass(frozen=True)
class RewritingLine:
    """A line of the table: a row, or one of the two ways in which a run rewrites."""

    row: RewritingRow
    title: str
    is_once: bool
    records: dict[int, RunRecord] = field(repr=False)

    def values(self, name: str) -> dict[int, float]:
        """A figure by seed."""
        found: dict[int, float] = {}
        for seed, record in self.records.items():
            scores = once_scores(record.data) if self.is_once else record.scores()
            if name == MINUTES and self.row.is_trained:
                found[seed] = record.costs["cpu_seconds"] / MINUTE
            elif name in scores:
                found[seed] = scores[name]
            elif name == BLEU and "reference-bleu-3" in scores:
                # A person has one reference less than a system.
                found[seed] = scores["reference-bleu-3"]
        return found


@dataclass(frozen=True)
class RewritingTable:
    """All lines about the sentences of one source."""

    experiment: RewritingExperiment
    base: str
    profile: str
    lines: list[RewritingLine]

    @property
    def has_runs(self) -> bool:
        return any(line.records for line in self.lines)

    @property
    def records(self) -> list[RunRecord]:
        """Each record once, in the order of their files."""
        found = {record.key: record for line in self.lines for record in line.records.values()}
        return sorted(found.values(), key=lambda record: record.path)

    def sheets(self) -> list[Table]:
        """All figures, and E12's sentences below them."""
        return [*self.figures(), *filter(None, [self.examples()])]

    def figures(self) -> list[Table]:
        """The paper's layout; the other scores; differences between forms of this project."""
        title = f"{self.experiment.heading()}: {self.experiment.bases[self.base].title}"
        notes = [
            "Mean and standard deviation over seeds, in per cent; a single run says so. style: the"
            " share that a judge gives the new style. BLEU: corpus BLEU-4.",
        ]
        if any(line.row.kind == "person" and line.records for line in self.lines):
            notes.append("Each person is held against the other three.")
        made = [self._sheet(title, MAIN, notes), self._sheet(f"{title}, other scores", OTHER, [])]
        return [*made, *filter(None, [self._differences()])]

    def examples(self) -> Table | None:
        """E12: rewritings of the first sentences of each style, whatever they are."""
        # Sentences that are drawn for a seed can only stand beside others of that seed.
        firsts = {
            line.title: line.records[0].data["samples"]
            for line in self.lines
            if 0 in line.records and not line.is_once
        }
        texts = {title: samples for title, samples in firsts.items() if samples}
        if not texts:
            return None
        groups = [
            Group(
                f"sentence {place + 1}",
                [[title, str(samples[place])] for title, samples in texts.items()],
            )
            for place in range(min(map(len, texts.values())))
        ]
        title = "E12: the first sentences of each style, rewritten; none was chosen (seed 0)"
        return Table(title, [NAMES, Column("text", align="left")], groups)

    def _sheet(self, title: str, scores: Sequence[str], notes: Sequence[str]) -> Table:
        names = [name for name in scores if any(line.values(name) for line in self.lines)]
        has_paper = bool(self.experiment.bases[self.base].train) and ACCURACY in scores
        columns = [NAMES, Column("seeds", digits=0)]
        for name in names:
            columns.append(Column(TITLES.get(name, name), digits=1))
            if has_paper and name in PAPER:
                columns.append(Column(f"{TITLES[name]}, paper", digits=1))
        groups = []
        for kind, kinds in KINDS.items():
            rows = []
            for line in self.lines:
                if line.row.kind not in kinds or not line.records:
                    continue
                cells: list[Cell] = [_name(line), len(line.records)]
                for name in names:
                    cells.append(_figure(list(line.values(name).values())))
                    if has_paper and name in PAPER:
                        cells.append(line.row.paper.get(PAPER[name]))
                rows.append(cells)
            if rows:
                groups.append(Group(kind, rows))
        return Table(title, columns, groups, notes, fixed=2)

    def _differences(self) -> Table | None:
        """By how much SDA's figures are higher than those of the other forms, seed by seed."""
        subjects = {line.is_once: line for line in self.lines if line.row.name == SUBJECT}
        if not subjects:
            return None  # other rows alone were asked for
        names = [
            name for name in (*MAIN, *OTHER) if name not in ("reference-bleu-1", "source-bleu")
        ]
        rows: list[list[Cell]] = []
        for line in self.lines:
            if line.row.kind != "run" or line.row.name == SUBJECT:
                continue
            subject = subjects[line.is_once]
            cells: list[Cell] = []
            for name in names:
                own, other = subject.values(name), line.values(name)
                shared = sorted(own.keys() & other.keys())
                found = summarize([own[seed] - other[seed] for seed in shared])
                cells.append(
                    None
                    if found is None
                    else Figure(found.mean, interval=found.interval, is_signed=True)
                )
            if any(cell is not None for cell in cells):
                rows.append([f"less {line.title}", *cells])
        if not rows:
            return None
        kept = [place for place in range(len(names)) if any(row[place + 1] for row in rows)]
        columns = [NAMES, *(Column(TITLES.get(names[i], names[i]), digits=1) for i in kept)]
        cut = [[row[0], *(row[place + 1] for place in kept)] for row in rows]
        title = f"{subjects[False].row.title}: higher by, with 95 % intervals over seeds"
        return Table.of_rows(title, columns, cut)


def rewriting_tables(
    experiment: RewritingExperiment, ledger: Ledger, portion: Portion
) -> list[RewritingTable]:
    """A table for each source of sentences."""
    jobs = plan_rewritings(experiment, portion)
    found = []
    for base in dict.fromkeys(job.base for job in jobs):
        lines: list[RewritingLine] = []
        own = [job for job in jobs if job.base == base]
        for name in dict.fromkeys(job.row.name for job in own):
            some = [job for job in own if job.row.name == name]
            row = some[0].row
            pairs = ((job.seed, ledger.find(job.key)) for job in some)
            records = {seed: record for seed, record in pairs if record is not None}
            if row.kind == "run":
                lines.append(RewritingLine(row, f"{row.title}, one pass", True, records))
                best = f"{row.title}, best of {CANDIDATES}"
                lines.append(RewritingLine(row, best, False, records))
            else:
                lines.append(RewritingLine(row, row.title, False, records))
        found.append(RewritingTable(experiment, base, portion.profile, lines))
    return found


def _name(line: RewritingLine) -> str:
    return row_name(line.title, len(line.records)) if line.row.is_trained else line.title


def _figure(values: Sequence[float]) -> Figure | None:
    found = summarize(values)
    return None if found is None else Figure(found.mean, deviation=found.sd)
