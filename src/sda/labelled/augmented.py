"""Labelled rows in, more labelled rows out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sda.errors import UserError
from sda.evaluation.score import Convention
from sda.labelled.label_classifiers import TfidfClassifier, VectorClassifier
from sda.labelled.label_writer import UNKNOWN, LabelWriter, StateVectors, WriterSettings
from sda.labelled.labelled_rows import LabelledRows
from sda.labelled.row_choice import Rejected, RowChoice, Written, choose, comparable
from sda.labelled.word_rules import WordRules
from sda.labelled.worth import Confidence, Worth, WorthWeights
from sda.runs.run import Run
from sda.show.terminal import Quiet, Reporter
from sda.text.tokens import tokenizer as named_tokenizer

NEW_COLUMNS = ("source", "score", "confidence", "nats", "copied", "nearest", "similarity")
ORIGINAL, GENERATED = "original", "generated"


@dataclass(frozen=True)
class AugmentSettings:
    """What is wanted, beside the rows."""

    writer: WriterSettings = field(default_factory=WriterSettings)
    weights: WorthWeights = field(default_factory=WorthWeights)
    per_label: int | None = None
    """New rows of each label; as many as the label has rows, if none is named."""
    balance: bool = False
    """As many new rows as make all labels as frequent as the most frequent one."""
    least: float | None = None
    """How sure the label of a new row must be, between 0 and 1; if none is named, as sure as that
    of half the originals is to classifiers that have not learned them, 0.8 at most."""


@dataclass(frozen=True)
class Augmented:
    """The new rows, best first within each label, and what was not taken."""

    rows: LabelledRows
    written: tuple[Written, ...]
    rejected: tuple[Rejected, ...]
    wanted: dict[str, int]

    @property
    def missing(self) -> dict[str, int]:
        """How many rows of each label could not be had."""
        found = {name: 0 for name in self.wanted}
        for one in self.written:
            found[one.label] += 1
        return {name: n - found[name] for name, n in self.wanted.items() if n > found[name]}

    def table(self) -> tuple[list[str], list[dict[str, Any]]]:
        """Columns and rows: the originals with all that they had, then the new ones."""
        rows = self.rows
        columns = [*rows.columns, *(name for name in NEW_COLUMNS if name not in rows.columns)]
        found: list[dict[str, Any]] = [{**entry, "source": ORIGINAL} for entry in rows.entries]
        for one in self.written:
            found.append(
                {
                    rows.text_column: one.text,
                    rows.label_column: one.label,
                    "source": GENERATED,
                    "score": one.score,
                    "confidence": one.confidence,
                    "nats": one.nats,
                    "copied": one.copied,
                    "nearest": one.nearest,
                    "similarity": one.similarity,
                }
            )
        return columns, found


def wanted_rows(rows: LabelledRows, settings: AugmentSettings) -> dict[str, int]:
    """How many new rows each label is to have."""
    counts = rows.counts()
    most = max(counts.values())
    if settings.balance and settings.per_label is not None:
        raise UserError("--balance and --per-class exclude each other: choose one.")
    if settings.balance:
        return {name: most - counts[name] for name in rows.names}
    return {
        name: counts[name] if settings.per_label is None else settings.per_label
        for name in rows.names
    }


def augment_rows(
    rows: LabelledRows,
    folder: Path,
    settings: AugmentSettings,
    pool: Sequence[str] = (),
    held_out: Sequence[str] = (),
    rules: WordRules | None = None,
    own: Callable[..., Sequence[float]] | None = None,
    reporter: Reporter | None = None,
) -> Augmented:
    """New rows for each label; runs are kept in the folder, and go on there if interrupted."""
    refuse_reserved(rows)
    words = comparable(named_tokenizer(settings.writer.tokenizer))
    never = {words(text) for text in held_out}
    known = [text for text in pool if words(text) not in never]
    writer = LabelWriter(folder, settings.writer, reporter or Quiet())
    start = writer.begin(rows.texts, rows.labels, known)
    worth = make_worth(rows, known, start, settings, rules, own)
    run = writer.improve(start, worth)
    least = worth.usual_confidence(rows) if settings.least is None else settings.least
    choice = RowChoice(worth, rows.names, rows.texts, words, held_out, least)
    wanted = wanted_rows(rows, settings)

    def write(count: int, label: str, turn: int) -> list[str]:
        return run.sample(count, seed=settings.writer.seed + turn, label=label)

    return Augmented(rows, tuple(choose(write, choice, wanted)), tuple(choice.rejected), wanted)


def make_worth(
    rows: LabelledRows,
    pool: Sequence[str],
    start: Run,
    settings: AugmentSettings,
    rules: WordRules | None = None,
    own: Callable[..., Sequence[float]] | None = None,
) -> Worth:
    """The metric of a label: classifiers of two kinds, fitted out of fold, and the rest."""
    names = rows.names
    labels = np.array([names.index(label) for label in rows.labels])
    tokenizer = settings.writer.tokenizer
    split = named_tokenizer(tokenizer).split
    vectors = StateVectors(start)
    kinds = (lambda: TfidfClassifier(split), lambda: VectorClassifier("states", vectors))
    confidence = Confidence(kinds, rows.texts, labels, len(names), settings.writer.seed)
    convention = Convention(tokenizer, False)
    return Worth(rows.texts, names, confidence, convention, pool, settings.weights, rules, own)


def refuse_reserved(rows: LabelledRows) -> None:
    if UNKNOWN in rows.names:
        raise UserError(f"the label {UNKNOWN!r} is ours, for text without one; rename it.")
