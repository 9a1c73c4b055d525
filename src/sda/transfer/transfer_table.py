"""The scores of rewritings as tables and as a page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sda.evaluation.interval import Interval
from sda.show.evaluation_table import signature_table
from sda.show.page import render
from sda.show.table import Cell, Column, Figure, Group, Table
from sda.transfer.human_ratings import RatingReport
from sda.transfer.transfer_evaluation import ScoredSystem, TransferEvaluation
from sda.transfer.transfer_task import System, TransferTask

_TITLES = {
    "style-cnn": (
        "style, CNN",
        "share that a network of windows of words gives the target's style",
    ),
    "style-language-model-ratio": (
        "style, LM",
        "share that is likelier under the language model of the target's style than of any other",
    ),
    "style-naive-bayes": ("style, Bayes", "share that naive Bayes gives the target's style"),
    "source-bleu": ("BLEU source", "what is left of the source: corpus BLEU-4 against it"),
    "reference-bleu-1": ("BLEU 1 ref", "corpus BLEU-4 against the first person's rewritings"),
    "perplexity": ("perplexity", "of a token, under a language model of the training sentences"),
    "copies": ("copies", "share of rewritings that are the source"),
}
_REFERENCES = re.compile(r"reference-bleu-(\d+)")
STYLE_NOTE = (
    "Style is the share of rewritings, in per cent, that a judge gives the target's style. One"
    " judge is not enough: rewritings that were chosen by a judge of one kind look better to that"
    " kind than to others. The rows of people say how far good rewritings get."
)
EXAMPLES = 10  # sentences of each style that a page shows
INTERVAL_NOTE = "± is half of the 95 % interval, from 1,000 draws of sentences."


def tables(found: TransferEvaluation, ratings: RatingReport | None = None) -> list[Table]:
    """The scores, differences where there are several systems, and what ratings say."""
    made = [score_table(found)]
    if sum(each.is_given for each in found.systems) > 1:
        made.append(difference_table(found))
    return made if ratings is None else [*made, *ratings.tables()]


def score_table(found: TransferEvaluation) -> Table:
    """One row a system, one column a score."""
    names = _columns(found.systems)
    groups = [
        Group(title, [[each.name, *(_cell(each, name) for name in names)] for each in chosen])
        for title, chosen in (
            ("to compare with", [each for each in found.systems if not each.is_given]),
            ("systems", [each for each in found.systems if each.is_given]),
        )
    ]
    people = len(found.task.references)
    notes = [INTERVAL_NOTE]
    if any(name.startswith("style-") for name in names):
        notes.insert(0, STYLE_NOTE)
    if people > 1:
        notes.append(f"Each person is held against the others, so against {people - 1} at most.")
    title = f"{len(found.task.sources):,} sentences rewritten"
    return Table(title, [_NAME, *map(_column, names)], groups, notes)


def difference_table(found: TransferEvaluation) -> Table:
    """By how much the scores of the other systems are higher than those of one."""
    names = _columns([each for each in found.systems if each.is_given])
    given = {each.name for each in found.systems if each.is_given}
    rows: list[list[Cell]] = [
        [name, *(_difference(scores.get(score)) for score in names)]
        for name, scores in found.differences()
        if name in given
    ]
    note = "Both systems are scored on the same draws of sentences, so intervals may be narrow."
    title = f"Higher than {found.against} by"
    return Table.of_rows(title, [_NAME, *map(_column, names)], rows, [note])


def page(
    found: TransferEvaluation,
    systems: Sequence[System] = (),
    ratings: RatingReport | None = None,
) -> str:
    """All tables, sentences of the systems side by side, and the signature of every figure."""
    return render(
        "transfer_scores.html",
        "Scores of rewritings",
        tables=tables(found, ratings),
        examples=example_tables(found.task, systems),
        signatures=[
            signature_table(each.name, [part.score() for part in each.measured.values()])
            for each in found.systems
        ],
    )


def example_tables(task: TransferTask, systems: Sequence[System]) -> list[Table]:
    """The first sources of each style, what the systems made of them, and what people did."""
    people = [System(f"human {number}", texts) for number, texts in enumerate(task.references)]
    shown = [System("source", task.sources), *systems, *people]
    columns = [Column(each.name, "left") for each in shown]
    made = []
    for target in sorted(set(task.targets)):
        rows = [row for row, own in enumerate(task.targets) if own == target][:EXAMPLES]
        body: list[list[Cell]] = [[each.texts[row] for each in shown] for row in rows]
        made.append(Table.of_rows(f"To {task.names[target]}", columns, body))
    return made if systems else []


_NAME = Column("", align="left", is_whole=True)


def _columns(systems: Sequence[ScoredSystem]) -> list[str]:
    """The names of all scores, in the order of the system that has the most of them."""
    most = max((each.measured for each in systems if each.is_given), key=len)
    return list(most)


def _column(name: str) -> Column:
    many = _REFERENCES.fullmatch(name)
    if name in _TITLES:
        title, about = _TITLES[name]
    elif many is not None:
        title = f"BLEU {many[1]} refs"
        about = f"corpus BLEU-4 against the rewritings of {many[1]} people"
    else:
        title, about = name, ""
    return Column(title, digits=1, about=about)


def _cell(system: ScoredSystem, name: str) -> Figure | None:
    found = system.measured.get(name)
    if found is None and (many := _REFERENCES.fullmatch(name)) is not None:
        # A person has one reference less than a system.
        found = system.measured.get(f"reference-bleu-{int(many[1]) - 1}")
        if found is None or int(many[1]) <= 2:
            return None
    if found is None:
        return None
    return Figure(found.value, deviation=_half(found.interval))


def _difference(found: tuple[float, Interval | None] | None) -> Figure | None:
    if found is None:
        return None
    value, interval = found
    return Figure(value, deviation=_half(interval), is_signed=True)


def _half(interval: Interval | None) -> float | None:
    return None if interval is None else (interval[1] - interval[0]) / 2
