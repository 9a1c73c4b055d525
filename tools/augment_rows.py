"""New rows beside ten and beside a hundred rows a label, for `measure_augment.py`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from augment_tables import IN_ANY_CASE, OURS_RULED, RULED_BY_LOT, RULED_SHUFFLED
from augment_texts import Texts, true_labels

from sda.labelled.arms import BASE, RIVALS, SELF_TRAINING, WEAK, Case, added
from sda.labelled.augment_settings import settle_augmentation
from sda.labelled.augmented import Augmenter, Task
from sda.labelled.augmented_rows import Augmented
from sda.labelled.helping import BY_LOT, OURS, SHUFFLED, guess
from sda.labelled.label_check import Pairs
from sda.labelled.label_classifiers import Learned, TfidfClassifier
from sda.labelled.labelled_rows import LabelledRows
from sda.labelled.row_choice import Written
from sda.labelled.rows_trial import handed_over
from sda.labelled.word_rules import WordRules, read_rules

# Small, so that twenty draws are an hour; no figure of the draws above was seen.
QUICK = {"profile": "smoke", "epochs": 15, "stage2": 2, "calls": 400}
RULES = {
    "yelp": "positive\tword: great good love loved excellent amazing delicious friendly best nice"
    " awesome fantastic wonderful perfect\nnegative\tword: bad worst terrible horrible rude awful"
    " disappointed disappointing disgusting never slow cold bland poor not\n",
    "captions": "past\tword: was were held\npresent\tword: is are holds\n",
}


def few(source: str, data: Path | None, seed: int, work: Path) -> dict[str, Any]:
    texts = Texts(source, data, seed)
    rows, pool, (asked, truth) = texts.rows((10, 10)), texts.pool(), texts.test()
    rules_file = work / "rules.tsv"
    rules_file.write_text(RULES[source], encoding="utf-8")
    rules = read_rules(rules_file, rows.names)
    settings = settle_augmentation({"seed": seed, "tokenizer": "whitespace", "writer": QUICK})
    task = Task(rows, settings, pool, tuple(asked))
    chosen = handed_over(task, work / "plain")
    # Rules come after maximum likelihood, so both have one start.
    _same_start(work / "plain", work / "ruled")
    task = replace(task, rules=rules)
    ruled = handed_over(task, work / "ruled")
    by_lot = _by_lot(Augmenter(task, work / "ruled"), ruled)
    pairs = {OURS: _pairs(chosen.written, rows), OURS_RULED: _pairs(ruled.written, rows)}
    pairs[RULED_SHUFFLED] = _shuffled(pairs[OURS_RULED], seed)
    pairs[RULED_BY_LOT] = _pairs(by_lot, rows)
    names = (BASE, "EDA", SELF_TRAINING, WEAK)
    return {
        "guesses": _compared(rows, pool, asked, names, pairs, seed, rules),
        "truth": truth.tolist(),
        "declined": len(chosen.declined),
        **_rows_figures(source, data, rows, pool, asked, pairs),
    }


def hundred(source: str, data: Path | None, seed: int, work: Path) -> dict[str, Any]:
    texts = Texts(source, data, seed)
    rows, pool, (asked, truth) = texts.rows((100, 100)), texts.pool(), texts.test()
    settings = settle_augmentation({"seed": seed, "tokenizer": "whitespace", "writer": QUICK})
    task = Task(rows, settings, pool, tuple(asked))
    given = handed_over(task, work / "rows")
    ours = Augmenter(task, work / "rows")
    written = ours.rows()
    pairs = {OURS: _pairs(given.written, rows), IN_ANY_CASE: _pairs(written.written, rows)}
    pairs[SHUFFLED] = _shuffled(pairs[IN_ANY_CASE], seed)
    pairs[BY_LOT] = _pairs(_by_lot(ours, written), rows)
    return {
        "guesses": _compared(rows, pool, asked, (BASE, "EDA", SELF_TRAINING), pairs, seed),
        "truth": truth.tolist(),
        "declined": len(given.declined),
        **_rows_figures(source, data, rows, pool, asked, pairs),
    }


def _by_lot(ours: Augmenter, found: Augmented) -> list[Written]:
    """As many rows of each label by lot as were found."""
    counts = {name: sum(one.label == name for one in found.written) for name in found.wanted}
    return ours.rows_by_lot(counts) if found.written else []


def _pairs(written: Sequence[Written], rows: LabelledRows) -> Pairs:
    return [(one.text, rows.names.index(one.label)) for one in written]


def _shuffled(pairs: Pairs, seed: int) -> Pairs:
    order = np.random.default_rng(seed).permutation(len(pairs)).tolist()
    return [(pairs[i][0], pairs[j][1]) for i, j in enumerate(order)]


def _compared(
    rows: LabelledRows,
    pool: Sequence[str],
    asked: Sequence[str],
    rivals: Sequence[str],
    pairs: dict[str, Pairs],
    seed: int,
    rules: WordRules | None = None,
) -> dict[str, dict[str, str]]:
    """What a classifier of words says of the test texts after each way."""
    arms = {name: RIVALS[name] for name in rivals}
    arms |= {name: added(own) for name, own in pairs.items()}
    return {"TF-IDF": guesses(rows, pool, asked, arms, TfidfClassifier, seed, rules)}


def _rows_figures(
    source: str,
    data: Path | None,
    rows: LabelledRows,
    pool: Sequence[str],
    asked: Sequence[str],
    pairs: dict[str, Pairs],
) -> dict[str, Any]:
    """How many new rows of each way there are and are right; copies and test texts of all."""
    right = true_labels(source, data, rows.names)
    known, tested = {*rows.texts, *pool}, set(asked)
    texts = [text for own in pairs.values() for text, _ in own]
    return {
        "precision": {
            name: float(np.mean(right([text for text, _ in own]) == [label for _, label in own]))
            for name, own in pairs.items()
            if own
        },
        "kept": {name: len(own) for name, own in pairs.items()},
        "copies": sum(text in known for text in texts),
        "in test": sum(text in tested for text in texts),
    }


def _same_start(begun: Path, folder: Path) -> None:
    """The folder has the generator of another one after maximum likelihood."""
    shutil.copytree(begun / "start", folder / "start")
    config = folder / "start" / "config.toml"
    told = config.read_text(encoding="utf-8").replace(str(begun), str(folder))
    config.write_text(told, encoding="utf-8")


def guesses(
    rows: LabelledRows,
    pool: Sequence[str],
    asked: Sequence[str],
    arms: dict[str, Any],
    make: Callable[[], Any],
    seed: int,
    rules: WordRules | None = None,
) -> dict[str, str]:
    """By way, the label of each test text as a digit."""
    learned = Learned(rows.texts, rows.numbers)
    case = Case(learned, len(rows.names), tuple(pool), make, "whitespace", seed, rules)
    found = {name: guess(case, arm, asked) for name, arm in arms.items()}
    return {name: "".join(map(str, own.tolist())) for name, own in found.items() if own is not None}
