"""Which function is the door of which file."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tiny import TINY

from .damage import TOML_VALUES
from .doors import AtTheDoor, DamagedAtTheDoor, Door, hurt
from .drawing_values import drawn
from .ground import REWRITER, Ground
from .oracles import write_oracle
from .settings_values import METRICS, SettingsValues, toml_of
from .texts import FORMS, made_up

Made = tuple[Callable[[], object], str, str | None]


def _run(path: Path) -> Any:
    from sda.runs.folder import RunFolder

    return RunFolder(path)


def _transfer(path: Path) -> Any:
    from sda.transfer.transfer_folder import TransferFolder

    return TransferFolder(path)


def _vocabulary(path: Path) -> object:
    words, longest = _run(path).load_vocabulary()
    return words.to_json(), longest, _run(path).load_labels()


def _answers(path: Path) -> object:
    from sda.archive import Archive

    return Archive(path / "archive.jsonl", ("score",)).paid


def _examples(path: Path) -> object:
    from sda.doors import read_checked
    from sda.runs.shapes import ExamplesShape

    return read_checked(path / "examples.json", ExamplesShape)


def _handed_over(path: Path) -> object:
    from sda.runs.hand_over import read_handed_over

    return read_handed_over(path / "handed_over.json")


def _state(path: Path) -> object:
    found = _run(path).checkpoints.load("stage1")
    return found.values, {name: tensor.tolist() for name, tensor in found.tensors.items()}


def _slots(path: Path) -> object:
    words, styles = _transfer(path).load_slots()
    return words.to_json(), styles


def _rewritings(path: Path) -> object:
    from sda.transfer.transfer_run import TransferRun

    return TransferRun(path).scores()


def _style_judge(path: Path) -> object:
    from sda.transfer.style_judges import load_judge

    return load_judge(path / "judges" / "language-model-ratio.safetensors") and None


def _ratings(path: Path) -> object:
    from sda.studies.store import Store
    from sda.studies.study import StudyFolder

    store = Store.of(StudyFolder(path))
    try:
        return store.all_ratings(), store.all_comments(), store.judges()
    finally:
        store.close()


def _study(path: Path) -> object:
    from sda.studies.study import StudyFolder

    return StudyFolder(path).study() and None


def _records(path: Path) -> object:
    from sda.reproduction.ledger import Ledger

    found = Ledger(path).records()
    return [(record.key, record.seed, record.costs, record.scores()) for record in found]


def _judged(ground: Ground) -> Path:
    return ground.trained("judged")


def _styled(ground: Ground) -> Path:
    return ground.trained("transfer")


STATE = ("checkpoints/stage1/state.json", "checkpoints/stage1/tensors.safetensors")
WORDS = "vocabulary.json"
RECORD = "baselines/rnn-sda-small-0.json"
RUN_DOORS = {
    "settings": Door(_judged, "config.toml", lambda path: _run(path).settings() and None),
    "vocabulary": Door(_judged, "vocabulary.json", _vocabulary, is_sealed=True),
    "progress": Door(_judged, "progress.jsonl", lambda path: _run(path).read_progress()),
    "archive": Door(_judged, "archive.jsonl", _answers),
    "buffer": Door(_judged, "buffer.jsonl", lambda path: _run(path).read_buffer()),
    "samples": Door(_judged, "samples.txt", lambda path: _run(path).read_samples()),
    "scores": Door(_judged, "scores.json", lambda path: _run(path).read_scores()),
    "costs": Door(_judged, "finished.json", lambda path: _run(path).read_finished()),
    "examples": Door(_judged, "examples.json", _examples),
    "handed over": Door(_judged, "handed_over.json", _handed_over, is_sealed=True),
    "state": Door(_judged, STATE[0], _state, (STATE[1], WORDS), is_sealed=True),
    "weights": Door(_judged, STATE[1], _state, (STATE[0], WORDS), is_sealed=True),
    "transfer settings": Door(_styled, "config.toml", lambda path: _transfer(path).settings()),
    "transfer vocabulary": Door(_styled, "vocabulary.json", _slots, is_sealed=True),
    "rewritings": Door(_styled, "rewritings.json", _rewritings, ("config.toml", "finished.json")),
    "judge of style": Door(_styled, "judges/language-model-ratio.safetensors", _style_judge),
}


def _texts(ground: Ground, number: int, chance: Random, folder: Path) -> Made:
    from sda.labelled.word_rules import read_rules
    from sda.text.line_stream import line_portions
    from sda.text.reading import each_record, plain_lines
    from sda.text.synonyms import read_synonyms

    suffix = chance.choice(FORMS)
    content, what = made_up(suffix, number, chance)
    if chance.random() < 0.2:
        content, suffix = gzip.compress(content, 1), f"{suffix}.gz"
    file = folder / f"text{suffix}"
    file.write_bytes(content)
    what += hurt(file, chance, 0.3)
    column, label, prompt = (
        chance.choice((None, None, "text", "text", "label", odd, "é", "1"))
        for odd in ("id", "label", "text")
    )
    is_whole = chance.random() < 0.3
    readers: dict[str, Callable[[], object]] = {
        "records": lambda: list(
            each_record(file, column, column, label, prompt=prompt, is_whole=is_whole)
        ),
        "lines": lambda: plain_lines(file),
        "portions": lambda: list(line_portions(file, 7)),
        "synonyms": lambda: read_synonyms(file),
        "rules": lambda: read_rules(file, ("a", "b")),
    }
    reader = chance.choices(list(readers), (6, 1, 1, 1, 1))[0]
    return readers[reader], f"{reader} of {file.name}: {what}, {column} {label} {prompt}", "text"


_SETTINGS = SettingsValues()


def _settings(ground: Ground, number: int, chance: Random, folder: Path) -> Made:
    from sda.labelled.augment_settings import settle_augmentation
    from sda.settings.layers import Choices, metric_parts
    from sda.transfer.transfer_settings import settle_transfer

    if chance.random() < 0.2:
        parts = [chance.choice((*METRICS, *TOML_VALUES)) for _ in range(chance.choice((1, 2, 5)))]
        metric = chance.choice(("+", "*", " + ", "")).join([*parts, drawn("texts", number)][:5])
        return lambda: metric_parts(metric), f"metric {metric[:300]!r}", None
    command = chance.choices(("train", "transfer train", "augment"), (6, 2, 1))[0]
    pairs = [_SETTINGS.pair(command, number, chance) for _ in range(chance.choice((1, 1, 2, 4)))]
    assignments = [f"{key}={value}" for key, value in pairs]
    config = None
    if command != "augment" and chance.random() < 0.4:
        config, assignments = folder / "more.toml", []
        text = toml_of(pairs, number, chance)
        config.write_text(text, encoding="utf-8", errors="surrogatepass")
    tried = f"{command}: {str(pairs)[:300]}"
    if command == "augment":
        return lambda: settle_augmentation({}, assignments), tried, None
    if command == "transfer train":
        small = [*REWRITER, *assignments]
        return lambda: settle_transfer(["reviews"], {}, config, small), tried, None
    preset = chance.choice((None, "recommended", "paper", "metric-reward", "vocabulary"))
    asked = Choices(
        str(ground.toy),
        preset=preset,
        profile="smoke",
        config=config,
        assignments=[*TINY, *assignments],
    )
    return asked.settle, tried, None


def _oracles(ground: Ground, number: int, chance: Random, folder: Path) -> Made:
    from sda.models.oracle import load_oracle

    file, what = write_oracle(folder, number, chance)
    return lambda: load_oracle(file, 4), f"oracle: {what}", str(file)


DOORS = (
    DamagedAtTheDoor(
        "door-of-runs", "each file of a run folder, by the function that reads it", 4, RUN_DOORS
    ),
    DamagedAtTheDoor(
        "door-of-studies",
        "plan and ratings of a study, by the function that reads them",
        2,
        {
            "plan": Door(lambda ground: ground.study, "study.json", _study),
            "ratings": Door(
                lambda ground: ground.study, "ratings.sqlite", _ratings, ("study.json",)
            ),
        },
    ),
    DamagedAtTheDoor(
        "door-of-ledgers",
        "records of the ledger, by the function that reads them",
        2,
        {"record": Door(lambda ground: ground.ledger, RECORD, _records)},
    ),
    AtTheDoor(
        "door-of-texts", "files of text, tables, JSON lines and gz, by the readers alone", 4, _texts
    ),
    AtTheDoor(
        "door-of-settings",
        "settings by --set and TOML, and metrics, until they are settled",
        4,
        _settings,
        _SETTINGS.prepare,
    ),
    AtTheDoor(
        "door-of-oracles", "models in .npz files, by the function that reads them", 3, _oracles
    ),
)
