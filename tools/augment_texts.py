"""Labelled texts for `measure_augment.py`: draws of them, and what their labels truly are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from sda.labelled.label_classifiers import Learned, TfidfClassifier
from sda.labelled.labelled_rows import LabelledRows, of_lists
from sda.transfer.sources import styled_source
from sda.transfer.tense import past_forms

TESTED = 1000  # texts of each label
POOL = 500  # texts of each label without it
CAPTIONS = 8000  # of each label, from which draws take theirs
YELP = {"negative": "neg", "positive": "pos"}


class Texts:
    """Labelled texts of a source, from which draws take parts that do not overlap."""

    def __init__(self, source: str, data: Path | None, seed: int) -> None:
        rng = np.random.default_rng(seed)
        learned, tested = _source(source, data)
        self._tests = {
            name: _drawn(own, TESTED, np.random.default_rng(0)) for name, own in tested.items()
        }
        self._rest = {name: _drawn(own, 4000, rng) for name, own in learned.items()}

    @property
    def names(self) -> list[str]:
        return sorted(self._rest)

    def rows(self, counts: Sequence[int]) -> LabelledRows:
        pairs = [
            (text, name)
            for name, count in zip(self.names, counts, strict=True)
            for text in self._rest[name][:count]
        ]
        return of_lists([text for text, _ in pairs], [label for _, label in pairs])

    def pool(self, count: int = POOL) -> tuple[str, ...]:
        texts = [text for name in self.names for text in self._rest[name][1000 : 1000 + count]]
        return tuple(sorted(set(texts)))

    def labelled_pool(self, count: int) -> list[tuple[str, int]]:
        """The first texts of the pool, label by label, with the numbers of their labels."""
        return [
            (text, number)
            for number, name in enumerate(self.names)
            for text in self._rest[name][1000 : 1000 + count]
        ]

    def test(self) -> tuple[list[str], np.ndarray]:
        texts = [text for name in self.names for text in self._tests[name]]
        return texts, np.repeat(np.arange(len(self.names)), TESTED)


@cache
def _source(source: str, data: Path | None) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """By label, texts to learn from and texts to be asked about."""
    if source == "captions":
        found = styled_source("tense", CAPTIONS, 0)
        parts = {
            name: list(dict.fromkeys(own))
            for name, own in zip(found.names, found.texts, strict=True)
        }
        return (
            {name: own[TESTED:] for name, own in parts.items()},
            {name: own[:TESTED] for name, own in parts.items()},
        )
    if data is None:
        raise SystemExit("--data: where are the Yelp sentences?")
    learned, tested = (
        {name: _lines(data / f"{part}.{end}") for name, end in YELP.items()}
        for part in ("train", "test")
    )
    return learned, tested


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _drawn(lines: list[str], count: int, rng: np.random.Generator) -> list[str]:
    chosen = list(dict.fromkeys(lines[row] for row in rng.permutation(len(lines)).tolist()))
    return chosen[:count]


@cache
def true_labels(
    source: str, data: Path | None, names: tuple[str, ...]
) -> Callable[[Sequence[str]], np.ndarray]:
    """What the labels of texts are: by the words of the grammar, or by a classifier of all data."""
    if source == "captions":
        present, past = set(past_forms()), set(past_forms().values())

        def told(texts: Sequence[str]) -> np.ndarray:
            found = []
            for text in texts:
                words = set(text.split())
                tenses = (bool(words & past), bool(words & present))
                # Both, or none, is no caption of either tense.
                found.append({(True, False): 0, (False, True): 1}.get(tenses, -1))
            return np.array(found)

        assert names == ("past", "present")
        return told
    texts, labels = [], []
    learned, _ = _source(source, data)
    for number, name in enumerate(names):
        own = _drawn(learned[name], 40_000, np.random.default_rng(1))
        texts += own
        labels += [number] * len(own)
    judge = TfidfClassifier()
    judge.fit(Learned(tuple(texts), np.array(labels)), len(names), 0)
    return lambda some: judge(some).argmax(1)
