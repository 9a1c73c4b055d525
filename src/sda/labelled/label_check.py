"""The check: the user's own rows in folds, every way of using them, and one sentence at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from sda.files import read_json, write_json
from sda.labelled.arms import RIVALS, Arm, Case, Learned, added
from sda.labelled.augmented import AugmentSettings, augment_rows
from sda.labelled.helping import BASE, Gain, Outcome, gain, outcome, recommend, stratified_cases
from sda.labelled.label_classifiers import LabelClassifier
from sda.labelled.labelled_rows import LabelledRows, of_lists
from sda.labelled.word_rules import WordRules
from sda.show.terminal import Reporter

OURS, SHUFFLED, UNCHOSEN = "SDA", "SDA, labels shuffled", "SDA, not chosen"
SCALE = "macro-F1"

Make = Callable[[], LabelClassifier]
Pairs = list[tuple[str, int]]
"""Texts, and the numbers of their labels."""
Told = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Way:
    """What came of one way of using the rows, with one kind of classifier."""

    name: str
    accuracy: float
    macro_f1: float
    gain: Gain | None
    """Over the rows as they are; None for those."""


@dataclass(frozen=True)
class CheckResult:
    """For each kind of classifier all ways, the cheapest first, and what is recommended."""

    ways: dict[str, list[Way]]
    sentences: dict[str, str]
    folds: int
    rows: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


class LabelCheck:
    """Rows, and all that is needed to see what new ones are good for.

    What SDA writes is kept in the folder, so that a check goes on where it was interrupted.
    """

    def __init__(
        self,
        rows: LabelledRows,
        folder: Path,
        settings: AugmentSettings,
        reporter: Reporter,
        pool: Sequence[str] = (),
        rules: WordRules | None = None,
        folds: int = 5,
    ) -> None:
        self._rows = rows
        self._folder = folder
        self._settings = settings
        self._reporter = reporter
        self._pool = tuple(pool)
        self._rules = rules
        self._folds = folds
        self._names = rows.names

    def __call__(
        self, kinds: Mapping[str, Make], told: Told = lambda what, done, total: None
    ) -> CheckResult:
        """Every fold is held out once; generators and classifiers never see it."""
        seed = self._settings.writer.seed
        labels = np.array([self._names.index(label) for label in self._rows.labels])
        first = next(iter(kinds.values()))
        cases = list(
            stratified_cases(
                self._rows.texts, labels, self._folds, seed, lambda *part: self._case(first, *part)
            )
        )
        total = len(cases) + len(kinds) * (len(RIVALS) + 3)
        chosen, unchosen = [], []
        for fold, (case, held_out, _) in enumerate(cases):
            told("writing", fold, total)
            own, others = self._written(case, held_out)
            chosen.append(own)
            unchosen.append(others)
        arms = {**RIVALS, **_ours(chosen, unchosen, seed)}
        ways: dict[str, list[Way]] = {}
        sentences: dict[str, str] = {}
        for place, (kind, make) in enumerate(kinds.items()):
            asked = [(replace(case, make=make), texts, truth) for case, texts, truth in cases]
            outcomes: dict[str, Outcome] = {}
            for number, (name, arm) in enumerate(arms.items()):
                told(f"{kind}, {name}", len(cases) + place * len(arms) + number, total)
                found = outcome(arm, asked)
                if found is not None:
                    outcomes[name] = found
            ways[kind], sentences[kind] = _compared(outcomes, seed)
        told("done", total, total)
        return CheckResult(ways, sentences, self._folds, len(self._rows))

    def _case(self, make: Make, learned: Learned, fold: int) -> Case:
        writer = self._settings.writer
        count = len(self._names)
        return Case(learned, count, self._pool, make, writer.tokenizer, writer.seed + fold, fold)

    def _written(self, case: Case, held_out: Sequence[str]) -> tuple[Pairs, Pairs]:
        """What SDA writes from the case's rows: as it chooses, and as many at random."""
        folder = self._folder / f"fold-{case.fold}"
        kept = folder / "written.json"
        if not kept.is_file():
            rows = of_lists(case.rows.texts, [self._names[label] for label in case.rows.labels])
            found = augment_rows(
                rows,
                folder,
                self._settings,
                self._pool,
                held_out,
                self._rules,
                None,
                self._reporter,
            )
            chosen = [(one.text, one.label) for one in found.written]
            everything = [*chosen, *((one.text, one.label) for one in found.rejected)]
            order = np.random.default_rng(case.seed).permutation(len(everything))
            some = [everything[row] for row in order[: len(found.written)].tolist()]
            write_json(kept, {"chosen": chosen, "at random": some})
        data = read_json(kept)
        return self._numbered(data["chosen"]), self._numbered(data["at random"])

    def _numbered(self, pairs: Sequence[Sequence[str]]) -> Pairs:
        return [(text, self._names.index(label)) for text, label in pairs]


def _ours(chosen: Sequence[Pairs], unchosen: Sequence[Pairs], seed: int) -> dict[str, Arm]:
    """SDA, and two controls that must not gain: what is right about its rows is taken away."""
    shuffled = []
    for fold, pairs in enumerate(chosen):
        order = np.random.default_rng(seed + fold).permutation(len(pairs)).tolist()
        labels = [pairs[row][1] for row in order]
        shuffled.append([(text, label) for (text, _), label in zip(pairs, labels, strict=True)])
    return {OURS: added(chosen), SHUFFLED: added(shuffled), UNCHOSEN: added(unchosen)}


def _compared(outcomes: Mapping[str, Outcome], seed: int) -> tuple[list[Way], str]:
    base = outcomes[BASE]
    gains = {name: gain(found, base, seed) for name, found in outcomes.items() if name != BASE}
    ways = [
        Way(name, found.accuracy, found.macro_f1, gains.get(name))
        for name, found in outcomes.items()
    ]
    offered = {name: found for name, found in gains.items() if name not in (SHUFFLED, UNCHOSEN)}
    best = max(offered, key=lambda name: offered[name].mean)
    against = {name: gain(outcomes[best], outcomes[name], seed) for name in offered}
    return ways, recommend(offered, against, SCALE)
