"""Labelled rows in, more labelled rows out."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sda.doors import read_checked
from sda.errors import UserError
from sda.evaluation.score import Convention
from sda.files import naming, remove_stale_parts, write_json
from sda.labelled.augment_settings import AugmentSettings, wanted_rows
from sda.labelled.augmented_rows import NEW_COLUMNS, Augmented
from sda.labelled.confidence import Confidence
from sda.labelled.label_classifiers import (
    KeptVectors,
    TfidfClassifier,
    VectorClassifier,
    sentence_vectors,
)
from sda.labelled.label_evidence import LabelEvidence
from sda.labelled.label_trust import SURE, SURE_BY_RULES, doubts
from sda.labelled.label_writer import UNKNOWN, LabelWriter
from sda.labelled.labelled_rows import LabelledRows
from sda.labelled.row_choice import (
    COPY,
    HELD_OUT,
    IN_POOL,
    LATER,
    RowChoice,
    Written,
    choose,
    comparable,
)
from sda.labelled.state_vectors import StateVectors
from sda.labelled.word_cut import fitting_tokenizer
from sda.labelled.word_rules import WordRules
from sda.labelled.worth import Worth
from sda.reference.function import Function, UserFunction
from sda.runs.run import Run
from sda.show.terminal import Quiet, Reporter
from sda.text.about import About
from sda.text.tokens import tokenizer as named_tokenizer

MOST_LEARNED = 20_000
"""Rows, and texts without labels, that generator and classifiers learn; more are drawn from."""
TRIED = 200  # texts of each label by which the start and the result of Stage II are compared


@dataclass(frozen=True)
class Task:
    """What new rows are made of: labelled rows, and all that may be given beside them."""

    rows: LabelledRows
    settings: AugmentSettings
    pool: tuple[str, ...] = ()
    """Texts without labels."""
    held_out: tuple[str, ...] = ()
    """Texts that must never be written."""
    rules: WordRules | None = None
    own: str | UserFunction | None = None
    """A metric of the user's own."""

    @property
    def tokenizer(self) -> str:
        return self.settings.tokenizer or fitting_tokenizer(self.rows.texts)

    @property
    def wanted(self) -> dict[str, int]:
        """How many new rows each label is to have."""
        return wanted_rows(
            self.rows.counts(), self.settings, len(self.pool), self.rules is not None
        )

    def fingerprint(self) -> str:
        """What tells it from any other task."""
        rules = None if self.rules is None else [one.pattern for one in self.rules.patterns]
        own = self.own if isinstance(self.own, str) or self.own is None else "function"
        parts = [
            self.settings.model_dump(),
            *(self.rows.texts, self.rows.labels, self.pool, self.held_out, rules, own),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


class Deadline:
    """Seconds that may pass, and how they are shared: half of them for maximum likelihood, four
    fifths until Stage II ends."""

    def __init__(self, seconds: float | None = None) -> None:
        self._began = time.monotonic()
        self._seconds = seconds

    def is_over(self, stage: str = "") -> bool:
        share = {"start": 0.5, "": 1.0}.get(stage, 0.8)
        passed = time.monotonic() - self._began
        return self._seconds is not None and passed > share * self._seconds

    def renew(self) -> None:
        """All of the seconds are to come."""
        self._began = time.monotonic()


class Augmenter:
    """Makes new rows in a folder; what is finished there is not done again."""

    def __init__(
        self,
        task: Task,
        folder: Path,
        reporter: Reporter | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        _refuse(task.rows)
        if task.settings.encoder is not None:
            # What is missing is told before anything is trained.
            sentence_vectors(Path(task.settings.encoder))
        self._task = task
        self._reporter = reporter or Quiet()
        self._deadline = deadline or Deadline()
        self._tokenizer = task.tokenizer
        self._words = comparable(named_tokenizer(self._tokenizer))
        settings = task.settings
        never = set(map(self._words, task.held_out))
        rng = np.random.default_rng(settings.seed)
        pool = [text for text in task.pool if text.strip() and self._words(text) not in never]
        chosen = np.sort(rng.permutation(len(pool))[:MOST_LEARNED])
        self._pool = [pool[row] for row in chosen.tolist()]
        self._learned = task.rows.some(MOST_LEARNED, settings.seed)
        writer, seed = settings.writer, settings.seed
        self._started: tuple[Run, Worth, float] | None = None
        self._doubts: dict[str, str] = {}
        self._writer = LabelWriter(
            *(folder, writer, self._tokenizer, seed, self._reporter), self._deadline.is_over
        )
        keep_to(folder, task.fingerprint())

    def start(self) -> tuple[Run, Worth, float]:
        """The generator after maximum likelihood, the metric, and how sure a label must be."""
        if self._started is None:
            self._started = self._start()
        return self._started

    def _start(self) -> tuple[Run, Worth, float]:
        rows, settings = self._learned, self._task.settings
        start = self._writer.begin(rows.texts, rows.labels, self._pool)
        split = named_tokenizer(self._tokenizer).split
        if settings.encoder is None:
            kind, vectors = "states", KeptVectors(StateVectors(start))
        else:
            kind, vectors = "sentences", sentence_vectors(Path(settings.encoder))
        kinds = (lambda: TfidfClassifier(split), lambda: VectorClassifier(kind, vectors))
        names = rows.names
        rules = self._task.rules
        confidence = Confidence(kinds, rows, settings.seed, self._pool, rules)
        worth = Worth(
            rows,
            confidence,
            Convention(self._tokenizer, False),
            settings.weights,
            self._pool,
            self._own(start, names),
        )
        if settings.least is not None:
            return start, worth, settings.least
        shares = confidence.of_rows(rows.texts)
        self._doubts = doubts(names, shares, rows.texts, rows.numbers, rules)
        return start, worth, SURE if rules is None else SURE_BY_RULES

    def declined(self) -> tuple[str, ...]:
        """Which rows are not to be had, and why: their labels could not be believed."""
        self.start()
        wanted = self._task.wanted
        return tuple(why for name, why in self._doubts.items() if wanted[name])

    def has_hope(self) -> bool:
        """Whether there is a label that rows are wanted of and can be believed of."""
        return len(self.declined()) < sum(count > 0 for count in self._task.wanted.values())

    def rows(self) -> Augmented:
        """New rows of each label, those that the metric likes best."""
        start, worth, least = self.start()
        wanted = {
            name: 0 if name in self._doubts else count for name, count in self._task.wanted.items()
        }
        if not any(wanted.values()):
            return self.none(*self.declined())
        run = self._better(start, self._writer.improve(start, worth), worth)
        choice = self._choice(worth, least, self._evidence())

        def told(done: int, total: int) -> None:
            self._reporter.part("writing rows", done, total)

        found = choose(self._write(run), choice, wanted, told, self._deadline.is_over)
        return Augmented(
            self._task.rows, tuple(found), tuple(choice.rejected), wanted, self.declined()
        )

    def none(self, *why: str) -> Augmented:
        """No new row, for these reasons."""
        return Augmented(self._task.rows, (), (), dict.fromkeys(self._task.wanted, 0), why)

    def rows_by_lot(self, wanted: Mapping[str, int]) -> list[Written]:
        """A control: the buffer of Stage II holds texts by lot, and so are rows chosen; no copies.

        `wanted` says how many of each label.
        """
        start, worth, _ = self.start()
        run = self._writer.improve(start, _Lot(self._task.settings.seed), "lot")
        choice = self._choice(worth, 0.0)
        found = choose(self._write(run), choice, wanted)
        found += [one for one in choice.rejected if one.reason == LATER]
        rng = np.random.default_rng(self._task.settings.seed)
        chosen: list[Written] = []
        for label, count in wanted.items():
            own = sorted((one for one in found if one.label == label), key=lambda one: one.text)
            order = rng.permutation(len(own))[:count].tolist()
            chosen += [replace(own[row], reason=None) for row in order]
        return chosen

    def _own(self, start: Run, names: Sequence[str]) -> Function | None:
        if self._task.own is None:
            return None
        vocabulary, _ = start.folder.load_vocabulary()
        return Function(vocabulary, self._task.own, names)

    def _evidence(self) -> LabelEvidence:
        rows = self._learned
        split = named_tokenizer(self._tokenizer).split
        return LabelEvidence(
            rows.texts, rows.numbers, len(rows.names), split, self._task.rules, self._pool
        )

    def _choice(
        self, worth: Worth, least: float, evidence: LabelEvidence | None = None
    ) -> RowChoice:
        never = {
            HELD_OUT: self._task.held_out,
            COPY: self._task.rows.texts,
            IN_POOL: self._task.pool,
        }
        return RowChoice(
            worth,
            self._learned.texts,
            self._words,
            least,
            self._task.settings.near,
            never,
            evidence,
        )

    def _write(self, run: Run) -> Callable[[int, str, int], list[str]]:
        seed = self._task.settings.seed
        return lambda count, label, turn: run.sample(count, seed=seed + turn, label=label)

    def _better(self, start: Run, result: Run, worth: Worth) -> Run:
        """What writes texts of more worth: Stage II need not be a gain."""
        if result.path == start.path:
            return start
        means = []
        for run in (start, result):
            texts, abouts = [], []
            for name in worth.names:
                some = self._write(run)(TRIED, name, 0)
                texts += some
                abouts += [About(name)] * len(some)
            means.append(float(np.mean(worth(texts, abouts))))
        return result if means[1] > means[0] else start


class _Lot:
    """A metric that says nothing: a number by the seed and the text."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __repr__(self) -> str:
        return "lot"

    def __call__(self, texts: Sequence[str]) -> list[float]:
        keys = [hashlib.blake2b(f"{self._seed} {text}".encode()).digest() for text in texts]
        return [int.from_bytes(key[:6]) / 2**48 for key in keys]


def keep_to(folder: Path, fingerprint: str) -> None:
    """The folder belongs to this work, or is refused as another's."""
    path = folder / "task.json"
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    remove_stale_parts(folder)
    if not path.is_file():
        write_json(path, {"task": fingerprint})
    elif read_checked(path, dict[str, str]).get("task") != fingerprint:
        raise UserError(
            f"{folder} holds work on other rows or with other options; delete it, or name another"
            " folder with --work."
        )


def _refuse(rows: LabelledRows) -> None:
    if UNKNOWN in rows.names:
        raise UserError(f"the label {UNKNOWN!r} is ours, for text without one; rename it.")
    taken = [name for name in rows.columns if name in NEW_COLUMNS]
    if taken:
        raise UserError(
            f"the table has a column {taken[0]!r}, which augmentation writes; rename it, or take"
            " the rows out that were made before."
        )
