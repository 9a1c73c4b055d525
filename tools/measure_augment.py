"""Measure what labelled augmentation is good for, against cheap rivals and controls.

    python tools/measure_augment.py few --source captions --draws 20 --out figures.json
    python tools/measure_augment.py few --source yelp --data DATA --draws 20 --out figures.json
    python tools/measure_augment.py hundred --source captions --draws 8 --out figures.json
    python tools/measure_augment.py eda --data DATA --draws 20 --out figures.json
    python tools/measure_augment.py encoder --data DATA --sentence-model NAME --draws 20 --out FILE
    python tools/measure_augment.py imbalance --data DATA --draws 20 --out figures.json
    python tools/measure_augment.py advice --data DATA --draws 30 --out figures.json

DATA is a folder with the Yelp sentences of Shen et al., `train.pos`, `train.neg`, `test.pos` and
`test.neg`. Each draw is written to the file when it is done, and what stands there is not done
again. `python tools/measure_augment.py table --out FILE...` prints paired differences with 95 %
intervals over draws and test sentences. With `--first 0` draws are those that settings may be
chosen on.

- `few`: ten rows a label and 1,000 unlabelled texts, without rules and with a few words as rules;
  rows of SDA are also held against a classifier of all Yelp sentences, or the grammar of the
  captions. Captions are in the present or in the past. Controls are those of SDA with rules.
- `hundred`: a hundred rows a label and the same texts, without rules: what is handed over, and
  beside it the rows that are written if a trial does not decide.
- `eda`: 250 rows a label, with and without EDA; TextCNN, TF-IDF and, with `--sentence-model`,
  vectors of a sentence transformer.
- `encoder`: as `few` without rules, with a sentence transformer (`--sentence-model`) that says how
  sure labels are; the rival beside self-training is the same classifiers' labels of the unlabelled
  texts.
- `surest`: how often the hundred surest of 250 unlabelled texts have the right label, with ten rows
  a label and 250 other texts, by TF-IDF, by a sentence transformer, and by both.
- `imbalance`: 250 rows of one label and 10 of the other; what the check's rule recommends of the
  cheap ways by five folds of the rows stands beside it.
- `advice`: settings by chance (source, rows a label, imbalance, pool or none); the check recommends
  a way by three folds of the rows, and 2,000 fresh texts say whether that was right. The rule was
  written before any setting was run: a recommendation is right if what it recommends is on fresh
  texts at most one point of macro-F1 worse than the rows as they are, and than SDA.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from augment_rows import QUICK, few, guesses, hundred
from augment_tables import LABELLED_POOL, show
from augment_texts import Texts, true_labels

from sda.files import read_json, write_json
from sda.labelled.arms import (
    BASE,
    CUTOFF,
    RIVALS,
    SELF_TRAINING,
    WEIGHTS,
    Case,
    added,
)
from sda.labelled.augment_settings import settle_augmentation
from sda.labelled.augmented import Augmenter, Task
from sda.labelled.confidence import Confidence, surest
from sda.labelled.helping import (
    OURS,
    LabelGuesses,
    Recommendation,
    guess,
    recommend,
)
from sda.labelled.label_check import LabelCheck
from sda.labelled.label_classifiers import (
    CnnClassifier,
    Learned,
    TfidfClassifier,
    VectorClassifier,
    fold_numbers,
    sentence_vectors,
)
from sda.labelled.label_trust import SURE
from sda.labelled.labelled_rows import LabelledRows
from sda.show.terminal import Quiet

FIRST = 100  # seed of the first draw; those below were looked at while the method was made
SMALLER = {"profile": "smoke", "epochs": 10, "stage2": 1, "calls": 200}


def eda(
    source: str, data: Path | None, seed: int, work: Path, model: Path | None = None
) -> dict[str, Any]:
    texts = Texts(source, data, seed)
    rows, (asked, truth) = texts.rows((250, 250)), texts.test()
    arms = {name: RIVALS[name] for name in (BASE, "repeated rows", "EDA")}
    kinds: dict[str, Callable[[], Any]] = {"TextCNN": CnnClassifier, "TF-IDF": TfidfClassifier}
    if model is not None:
        kinds["MiniLM"] = lambda: VectorClassifier("sentences", sentence_vectors(model))
    return {
        "guesses": {
            kind: guesses(rows, (), asked, arms, make, seed) for kind, make in kinds.items()
        },
        "truth": truth.tolist(),
    }


def encoder(source: str, data: Path | None, seed: int, work: Path, model: Path) -> dict[str, Any]:
    texts = Texts(source, data, seed)
    rows, pool, (asked, truth) = texts.rows((10, 10)), texts.pool(), texts.test()
    values = {"seed": seed, "tokenizer": "whitespace", "writer": QUICK, "encoder": str(model)}
    # Ten rows cannot show that labels can be told, so that without a number there are no rows.
    settings = settle_augmentation({**values, "least": SURE})
    found = Augmenter(Task(rows, settings, pool, tuple(asked)), work / "rows").rows()
    pairs = [(one.text, rows.names.index(one.label)) for one in found.written]
    kinds: dict[str, Callable[[], Any]] = {
        "TF-IDF": TfidfClassifier,
        "MiniLM": lambda: VectorClassifier("sentences", sentence_vectors(model)),
    }
    together = Confidence(list(kinds.values()), rows, seed, pool)
    chosen, labels = surest(together(pool), rows.numbers, 0.5)
    told = [(pool[row], label) for row, label in zip(chosen.tolist(), labels.tolist(), strict=True)]
    arms = {name: RIVALS[name] for name in (BASE, SELF_TRAINING)}
    arms |= {LABELLED_POOL: added(told), OURS: added(pairs)}
    right = true_labels(source, data, rows.names)
    return {
        "guesses": {
            kind: guesses(rows, pool, asked, arms, make, seed) for kind, make in kinds.items()
        },
        "truth": truth.tolist(),
        "precision": {
            name: float(np.mean(right([text for text, _ in own]) == [label for _, label in own]))
            for name, own in ((OURS, pairs), (LABELLED_POOL, told))
            if own
        },
        "kept": {OURS: len(pairs), LABELLED_POOL: len(told)},
        "copies": sum(text in {*rows.texts, *pool} for text, _ in pairs),
        "in test": sum(text in set(asked) for text, _ in pairs),
    }


def surest_texts(
    source: str, data: Path | None, seed: int, work: Path, model: Path
) -> dict[str, Any]:
    """How often the labels of the hundred surest texts are right, by who says how sure they are."""
    texts = Texts(source, data, seed)
    rows, some = texts.rows((10, 10)), texts.labelled_pool(250)
    kinds: dict[str, Callable[[], Any]] = {
        "TF-IDF": TfidfClassifier,
        "MiniLM": lambda: VectorClassifier("sentences", sentence_vectors(model)),
    }
    asked, truth = [text for text, _ in some[1::2]], np.array([label for _, label in some[1::2]])
    found = {}
    for name, own in {
        **{kind: [make] for kind, make in kinds.items()},
        "both": [*kinds.values()],
    }.items():
        learned = [text for text, _ in some[::2]]
        told = Confidence(own, rows, seed, learned)(asked)
        best = np.argsort(-told.max(1))[:100]
        found[name] = float(np.mean(told.argmax(1)[best] == truth[best]))
    return {"guesses": {}, "precision": found}


def imbalance(source: str, data: Path | None, seed: int, work: Path) -> dict[str, Any]:
    texts = Texts(source, data, seed)
    rows, (asked, truth) = texts.rows((250, 10)), texts.test()
    values = {"seed": seed, "tokenizer": "whitespace", "writer": QUICK, "balance": True}
    found = Augmenter(Task(rows, settle_augmentation(values)), work / "rows").rows()
    pairs = [(one.text, rows.names.index(one.label)) for one in found.written]
    arms = {name: RIVALS[name] for name in (BASE, CUTOFF, WEIGHTS, "repeated rows", "EDA")}
    told = _folded_advice(rows, arms, seed)
    arms[OURS] = added(pairs)
    return {
        "guesses": {"TF-IDF": guesses(rows, (), asked, arms, TfidfClassifier, seed)},
        "truth": truth.tolist(),
        "kept": {OURS: len(pairs)},
        "way": told.way,
        "sentence": told.sentence,
    }


def _folded_advice(rows: LabelledRows, arms: dict[str, Any], seed: int) -> Recommendation:
    """What a check recommends of these ways by five folds of the rows."""
    places, numbers = fold_numbers(rows.numbers, 5, seed), rows.numbers
    truth: list[np.ndarray] = []
    guesses: dict[str, list[np.ndarray]] = {name: [] for name in arms}
    for fold in range(5):
        rest, own = np.flatnonzero(places != fold), np.flatnonzero(places == fold)
        learned = Learned(tuple(rows.texts[row] for row in rest.tolist()), numbers[rest])
        case = Case(learned, len(rows.names), (), TfidfClassifier, "whitespace", seed + fold)
        truth.append(numbers[own])
        for name, arm in arms.items():
            found = guess(case, arm, [rows.texts[row] for row in own.tolist()])
            assert found is not None
            guesses[name].append(found)
    by_way = {
        name: LabelGuesses(tuple(truth), tuple(own), len(rows.names))
        for name, own in guesses.items()
    }
    return recommend(by_way, seed)


def advice(source: str, data: Path | None, seed: int, work: Path) -> dict[str, Any]:
    rng = np.random.default_rng(1000 + seed)
    source = str(rng.choice(["yelp", "captions"]))
    many = int(rng.choice([15, 40, 100, 250]))
    scarce = many if rng.random() < 0.6 else max(6, many // 10)
    has_pool = bool(rng.random() < 0.5)
    texts = Texts(source, data, 1000 + seed)
    rows, (asked, truth) = texts.rows((many, scarce)), texts.test()
    pool = texts.pool(250) if has_pool else ()
    values = {"seed": seed, "tokenizer": "whitespace", "writer": SMALLER, "balance": scarce < many}
    task = Task(rows, settle_augmentation(values), pool)
    kinds = {"TF-IDF": TfidfClassifier}
    check = LabelCheck(task, work / "check", Quiet(), folds=3, has_curve=False, has_controls=False)
    found = check(kinds)
    told = recommend(found.outcomes[None]["TF-IDF"], seed)
    written = Augmenter(replace(task, held_out=tuple(asked)), work / "rows").rows().written
    pairs = [(one.text, rows.names.index(one.label)) for one in written]
    arms = {**RIVALS, OURS: added(pairs)}
    arms = {name: arms[name] for name in dict.fromkeys((BASE, told.way, OURS))}
    return {
        "setting": {"source": source, "rows": [many, scarce], "pool": len(pool)},
        "way": told.way,
        "sentence": told.sentence,
        "guesses": {"TF-IDF": guesses(rows, pool, asked, arms, TfidfClassifier, seed)},
        "truth": truth.tolist(),
    }


MEASURES: dict[str, Callable[..., dict[str, Any]]] = {
    "few": few,
    "hundred": hundred,
    "eda": eda,
    "encoder": encoder,
    "surest": surest_texts,
    "imbalance": imbalance,
    "advice": advice,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=[*MEASURES, "table"])
    parser.add_argument("--source", choices=["yelp", "captions"], default="yelp")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--first", type=int, default=FIRST, help="seed of the first draw")
    parser.add_argument("--sentence-model", type=Path)
    parser.add_argument("--out", type=Path, nargs="+", required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.what == "table":
        for path in options.out:
            show(read_json(path))
        return
    (out,) = options.out
    figures: dict[str, Any] = read_json(out) if out.is_file() else {}
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    name = options.what if options.what == "advice" else f"{options.what} {options.source}"
    settings = SMALLER if options.what == "advice" else QUICK
    own = figures.setdefault(name, {"commit": commit, "writer": settings, "draws": {}})
    measure = MEASURES[options.what]
    if options.what in ("encoder", "surest") and options.sentence_model is None:
        raise SystemExit("--sentence-model: which one?")
    if options.what in ("eda", "encoder", "surest"):
        measure = partial(measure, model=options.sentence_model)
    for seed in range(options.first, options.first + options.draws):
        if str(seed) in own["draws"]:
            continue
        began = time.process_time()
        with tempfile.TemporaryDirectory() as work:
            found = measure(options.source, options.data, seed, Path(work))
        own["draws"][str(seed)] = found
        write_json(out, figures)
        print(name, seed, f"{time.process_time() - began:.1f} CPU s", flush=True)


if __name__ == "__main__":
    main()
