"""Published ratings of rewritings by people, and how the scores go with them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sda.errors import UserError
from sda.files import naming
from sda.show.table import Cell, Column, Table
from sda.transfer.contractions import join_contractions
from sda.transfer.transfer_evaluation import TransferEvaluation
from sda.transfer.transfer_scores import TransferScorer
from sda.transfer.transfer_task import System

SOURCE, CANDIDATE, MEAN = "source", "candidate", "mean rating"
FLUENCY_WEIGHT = 0.2
Values = NDArray[np.float64]
Pair = tuple[str, str]


@dataclass(frozen=True)
class PublishedRatings:
    """What people gave to rewritings: by source and rewriting a figure for every question."""

    questions: tuple[str, ...]
    given: Mapping[Pair, Values]

    @property
    def sources(self) -> int:
        """How many different sources were rewritten."""
        return len({source for source, _ in self.given})


@dataclass(frozen=True)
class RatingReport:
    """Correlations (Pearson) of scores with ratings, over systems and over single rewritings."""

    questions: tuple[str, ...]
    systems: tuple[str, ...]
    rated: int
    by_system: dict[str, Values]
    by_sentence: dict[str, Values]

    def tables(self) -> list[Table]:
        columns = [Column("", align="left"), *(Column(name, digits=2) for name in self.questions)]
        parts = (
            (f"Correlation with ratings, over {len(self.systems)} systems", self.by_system),
            (f"Correlation with ratings, over {self.rated:,} rewritings", self.by_sentence),
        )
        note = f"Systems with ratings: {', '.join(self.systems)}."
        return [
            Table.of_rows(title, columns, [_row(*item) for item in found.items()], [note])
            for title, found in parts
            if found
        ]

    def as_dict(self) -> dict[str, Any]:
        def plain(found: dict[str, Values]) -> dict[str, dict[str, float | None]]:
            return {
                name: dict(zip(self.questions, map(_or_none, values.tolist()), strict=True))
                for name, values in found.items()
            }

        return {
            "systems": list(self.systems),
            "rated": self.rated,
            "by_system": plain(self.by_system),
            "by_sentence": plain(self.by_sentence),
        }


def read_ratings(path: Path) -> PublishedRatings:
    """A table with the columns `source`, `candidate` and one of numbers for each question.

    Columns that hold anything but numbers are left out. The same rewriting of one source, rated
    several times, has the mean of that.
    """
    rows = _rows(path)
    if not rows or not {SOURCE, CANDIDATE} <= set(rows[0]):
        raise UserError(f"{path}: ratings stand in a table with columns source and candidate.")
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise UserError(f"{path}, line {number}: not as many entries as the header has.")
    questions = [name for name in rows[0] if name and all(_is_number(row[name]) for row in rows)]
    questions = [name for name in questions if name not in (SOURCE, CANDIDATE, "slot", "item")]
    if not questions:
        raise UserError(f"{path}: no column of numbers in it, so nothing was rated.")
    gathered: dict[Pair, list[list[float]]] = {}
    for row in rows:
        pair = join_contractions(row[SOURCE]), join_contractions(row[CANDIDATE])
        gathered.setdefault(pair, []).append([float(row[name]) for name in questions])
    means = {pair: np.mean(found, 0) for pair, found in gathered.items()}
    with_mean = {pair: np.append(found, found.mean()) for pair, found in means.items()}
    return PublishedRatings((*questions, MEAN), with_mean)


def _rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table by the names of its columns."""
    try:
        with naming(path), path.open(encoding="utf-8", newline="") as file:
            if path.name.endswith((".tsv", ".txt")):
                return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
            return list(csv.DictReader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path}: no table of text in UTF-8 ({error}).") from None


def hold_against(
    ratings: PublishedRatings,
    scorer: TransferScorer,
    systems: Sequence[System],
    scored: TransferEvaluation,
) -> RatingReport:
    """How the scores of the systems go with the ratings that people gave to their rewritings.

    A system counts if at least half of the rated sources have a rating of its rewriting.
    """
    sources = list(map(join_contractions, scorer.task.sources))
    measured = {each.name: each.measured for each in scored.systems}
    names: list[str] = []
    means: list[Values] = []
    answers: list[Values] = []
    likely: list[dict[str, Values]] = []
    for system in systems:
        pairs = list(zip(sources, map(join_contractions, system.texts), strict=True))
        rows = [place for place, pair in enumerate(pairs) if pair in ratings.given]
        if 2 * len(rows) < ratings.sources:
            continue
        given = np.stack([ratings.given[pairs[row]] for row in rows])
        names.append(system.name)
        means.append(given.mean(0))
        answers.append(given)
        found = scorer.likely(system.texts)
        likely.append({name: values[rows] for name, values in found.items()})
    if not names:
        raise UserError("no system has ratings of at least half of the rated sources.")
    by_system = {}
    if len(names) > 2:
        for score in measured[names[0]]:
            figures = np.array([measured[name][score].value for name in names])
            by_system[score] = _correlations(figures, np.stack(means))
    joined = {name: np.concatenate([each[name] for each in likely]) for name in likely[0]}
    every = np.concatenate(answers)
    by_sentence = {
        name: _correlations(values, every) for name, values in _with_sums(joined).items()
    }
    return RatingReport(ratings.questions, tuple(names), len(every), by_system, by_sentence)


def _with_sums(found: dict[str, Values]) -> dict[str, Values]:
    """The values by sentence, and the sums of them that a metric may be."""
    sums = dict(found)
    if "cnn" in found:
        both = found["cnn"] + found["bleu-2"]
        sums["cnn + bleu-2"] = both
        if "fluency" in found:
            sums[f"cnn + bleu-2 + {FLUENCY_WEIGHT} fluency"] = (
                both + FLUENCY_WEIGHT * found["fluency"]
            )
    return sums


def _correlations(values: Values, ratings: Values) -> Values:
    """(Q,) of values (N,) with each column of ratings (N, Q); NaN where one is constant."""
    left = values - values.mean()
    right = ratings - ratings.mean(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Values = (left @ right) / np.sqrt((left @ left) * (right**2).sum(0))
    return found


def _row(name: str, values: Values) -> list[Cell]:
    return [name, *map(_or_none, values.tolist())]


def _or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
