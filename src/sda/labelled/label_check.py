"""The check: the user's own rows in folds, every way of using them, and one sentence at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sda.doors import Count, read_checked
from sda.errors import UserError, brief
from sda.files import write_json
from sda.labelled.arms import BASE, RIVALS, Arm, Case, added
from sda.labelled.augmented import Augmenter, Deadline, Task, keep_to
from sda.labelled.helping import (
    BY_LOT,
    OURS,
    SHUFFLED,
    Gain,
    LabelGuesses,
    Recommendation,
    gain,
    guess,
    recommend,
)
from sda.labelled.label_classifiers import LabelClassifier, Learned, Numbers, fold_numbers
from sda.labelled.labelled_rows import of_lists
from sda.show.terminal import Reporter

SIZES = (10, 50, 250)
"""Rows of a label in the smaller checks that make a learning curve."""
MOST_CHECKED = 5000
"""Rows of a check; with more it would take hours."""
FEWEST_CHECKED = 3
"""Rows of a label: two to learn from, and one to be asked about."""

Make = Callable[[], LabelClassifier]
Pairs = list[tuple[str, int]]
"""Texts, and the numbers of their labels."""
Told = Callable[[str, int, int], None]
KnownGuesses = dict[str, dict[str, list[Count] | None]]
"""By kind of classifier and way, the labels that were guessed so far."""
TextAndLabel = Annotated[list[str], Field(min_length=2, max_length=2)]
WrittenShape = dict[str, list[TextAndLabel]]


@dataclass(frozen=True)
class CheckPart:
    """One check: so many rows of each label, or all (None), with one fold held out."""

    size: int | None
    fold: int

    @property
    def name(self) -> str:
        return f"{'all' if self.size is None else self.size}-{self.fold}"


@dataclass(frozen=True)
class CheckResult:
    """Outcomes by size (None is all rows), kind of classifier, and way, the cheapest way first."""

    outcomes: Mapping[int | None, Mapping[str, Mapping[str, LabelGuesses]]]
    folds: int
    rows: int
    seed: int

    @property
    def kinds(self) -> list[str]:
        return list(self.outcomes[None])

    def gain(self, kind: str, way: str, size: int | None = None) -> Gain:
        """Over the rows as they are."""
        found = self.outcomes[size][kind]
        return gain(found[way], found[BASE], self.seed)

    def recommendation(self, kind: str) -> Recommendation:
        return recommend(self.outcomes[None][kind], self.seed)

    @property
    def best_kind(self) -> str:
        """The classifier that does best with the rows as they are."""
        found = self.outcomes[None]
        return max(found, key=lambda kind: found[kind][BASE].macro_f1)

    def as_dict(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        return {
            "rows": self.rows,
            "folds": self.folds,
            "recommendation": self.recommendation(self.best_kind).sentence,
            "checks": [
                {
                    "rows a label": size,
                    "classifier": kind,
                    "way": way,
                    "accuracy": one.accuracy,
                    "macro-F1": one.macro_f1,
                    "gain": None if way == BASE else vars(self.gain(kind, way, size)),
                }
                for size, kinds in self.outcomes.items()
                for kind, ways in kinds.items()
                for way, one in ways.items()
            ],
        }


class LabelCheck:
    """Rows, and all that is needed to see what new ones are good for.

    What was written and guessed is kept in the folder, so that a check goes on where it was
    interrupted.
    """

    def __init__(
        self,
        task: Task,
        folder: Path,
        reporter: Reporter,
        folds: int = 5,
        has_curve: bool = True,
        seconds: float | None = None,
        has_controls: bool = True,
        rivals: Mapping[str, Arm] | None = None,
    ) -> None:
        """Training of generators ends early so that all checks take about so many `seconds`.

        Controls change no recommendation, and cost a Stage II of their own. `rivals` are by default
        all that there are.
        """
        self._task = task
        self._folder = folder
        self._reporter = reporter
        self._has_controls = has_controls
        self._rivals = RIVALS if rivals is None else rivals
        self._numbers = task.rows.numbers
        self._names = task.rows.names
        rare, fewest = min(task.rows.counts().items(), key=lambda one: one[1])
        if fewest < FEWEST_CHECKED:
            raise UserError(
                f"label {rare!r} has {fewest} rows; a check needs {FEWEST_CHECKED} of every label."
            )
        self._folds = min(folds, fewest)
        self._places = fold_numbers(self._numbers, self._folds, task.settings.seed)
        most = max(task.rows.counts().values()) * (1 - 1 / self._folds)
        sizes = [size for size in SIZES if size < most] if has_curve else []
        self.parts = [
            CheckPart(size, fold) for size in (None, *sizes) for fold in range(self._folds)
        ]
        # Half of the time is for classifiers, and half of the rest for the control.
        self._seconds = None if seconds is None else seconds / len(self.parts) / 4
        keep_to(folder, f"{task.fingerprint()}-{self._folds}")

    def __call__(
        self, kinds: Mapping[str, Make], told: Told = lambda what, done, total: None
    ) -> CheckResult:
        """Every fold is held out once; generators and classifiers never see it."""
        guesses: dict[CheckPart, dict[str, dict[str, Numbers]]] = {}
        for number, part in enumerate(self.parts):
            guesses[part] = self._checked(part, kinds, number, told)
        told("checks", len(self.parts), len(self.parts))
        found: dict[int | None, dict[str, dict[str, LabelGuesses]]] = {}
        for size in dict.fromkeys(part.size for part in self.parts):
            own = [part for part in self.parts if part.size == size]
            truth = tuple(self._numbers[self._places == part.fold] for part in own)
            found[size] = {
                kind: {
                    way: LabelGuesses(
                        truth, tuple(guesses[part][kind][way] for part in own), len(self._names)
                    )
                    for way in guesses[own[0]][kind]
                    if all(way in guesses[part][kind] for part in own)
                }
                for kind in kinds
            }
        return CheckResult(found, self._folds, len(self._task.rows), self._task.settings.seed)

    def _checked(
        self, part: CheckPart, kinds: Mapping[str, Make], number: int, told: Told
    ) -> dict[str, dict[str, Numbers]]:
        """By kind of classifier and way, what is said of the rows that are held out."""
        told("checks", number, len(self.parts))
        kept = self._folder / f"{part.name}.json"
        known: KnownGuesses = read_checked(kept, KnownGuesses) if kept.is_file() else {}
        rows, asked = self._rows(part)
        settings = self._task.settings
        arms: Mapping[str, Arm] | None = None
        for kind, make in kinds.items():
            own = known.setdefault(kind, {})
            if "done" in own:
                continue
            arms = arms or {**self._rivals, **self._ours(part, rows, asked)}
            case = Case(
                rows,
                len(self._names),
                self._task.pool,
                make,
                self._task.tokenizer,
                settings.seed + part.fold,
                self._task.rules,
            )
            for place, (way, arm) in enumerate(arms.items()):
                told(f"classifier {kind}", place, len(arms))
                if way not in own:
                    found = guess(case, arm, asked)
                    own[way] = None if found is None else found.tolist()
                    write_json(kept, known)
            told(f"classifier {kind}", len(arms), len(arms))
            own["done"] = None
            write_json(kept, known)
        return {
            kind: {way: np.array(own) for way, own in known[kind].items() if own is not None}
            for kind in kinds
        }

    def _rows(self, part: CheckPart) -> tuple[Learned, list[str]]:
        """What is learned from, and the texts that are held out."""
        texts = self._task.rows.texts
        rest = np.flatnonzero(self._places != part.fold)
        if part.size is not None:
            rng = np.random.default_rng((self._task.settings.seed, part.fold))
            rest = rng.permutation(rest)
            labels = self._numbers[rest]
            few = [rest[labels == label][: part.size] for label in range(len(self._names))]
            rest = np.sort(np.concatenate(few))
        asked = np.flatnonzero(self._places == part.fold).tolist()
        learned = Learned(tuple(texts[row] for row in rest.tolist()), self._numbers[rest])
        return learned, [texts[row] for row in asked]

    def _ours(self, part: CheckPart, rows: Learned, asked: Sequence[str]) -> dict[str, Arm]:
        """SDA, and two controls: its labels shuffled, and a buffer that holds texts by lot.

        Without controls SDA alone.
        """
        folder = self._folder / part.name
        kept = folder / "written.json"
        if not kept.is_file():
            names = [self._names[label] for label in rows.labels]
            task = replace(
                self._task,
                rows=of_lists(rows.texts, names),
                held_out=(*self._task.held_out, *asked),
            )
            augmenter = Augmenter(task, folder, self._reporter, Deadline(self._seconds))
            chosen = augmenter.rows().written
            counts = {name: sum(one.label == name for one in chosen) for name in self._names}
            others = augmenter.rows_by_lot(counts) if self._has_controls else []
            write_json(
                kept,
                {
                    OURS: [(one.text, one.label) for one in chosen],
                    BY_LOT: [(one.text, one.label) for one in others],
                },
            )
        data = read_checked(kept, WrittenShape)
        if not {OURS, BY_LOT} <= data.keys():
            raise UserError(f"{kept}: not the rows that were written for a check")
        ours, by_lot = self._numbered(data[OURS]), self._numbered(data[BY_LOT])
        if not self._has_controls:
            return {OURS: added(ours)}
        order = np.random.default_rng(self._task.settings.seed).permutation(len(ours)).tolist()
        shuffled = [(text, ours[other][1]) for (text, _), other in zip(ours, order, strict=True)]
        return {OURS: added(ours), SHUFFLED: added(shuffled), BY_LOT: added(by_lot)}

    def _numbered(self, pairs: Sequence[Sequence[str]]) -> Pairs:
        unknown = {label for _, label in pairs} - set(self._names)
        if unknown:
            raise UserError(f"{self._folder}: {brief(min(unknown))} is no label of these rows")
        return [(text, self._names.index(label)) for text, label in pairs]
