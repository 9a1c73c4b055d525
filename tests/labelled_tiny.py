"""Labelled rows and classifiers that take no time."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sda.labelled.label_classifiers import Learned

ANIMALS = ("cat", "dog", "bird", "fish")
GOOD, BAD = ("nice", "kind", "fine", "good"), ("rude", "poor", "sad", "bad")
QUICK = (
    *("--set", "writer.profile=smoke", "--set", "writer.epochs=2", "--set", "writer.stage2=1"),
    *("--set", "writer.calls=60", "--set", "least=0.2", "--quiet"),
)


def rows() -> tuple[list[str], list[str]]:
    """Sixteen texts of each label, which one word tells apart."""
    pairs = [
        (f"the {animal} is {word}", label)
        for label, words in (("good", GOOD), ("bad", BAD))
        for animal, word in product(ANIMALS, words)
    ]
    return [text for text, _ in pairs], [label for _, label in pairs]


def write_table(path: Path, texts: Sequence[str], labels: Sequence[str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "text", "label"))
        writer.writerows(
            (number, *pair) for number, pair in enumerate(zip(texts, labels, strict=True))
        )
    return path


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class WordCounts:
    """A classifier: of each label the share of the words that it has met with it."""

    kind = "words"
    takes_weights = False

    def fit(self, learned: Learned, count: int, seed: int) -> None:
        self.learned = set(learned.texts)
        self._words: list[set[str]] = [set() for _ in range(count)]
        for text, label in zip(learned.texts, learned.labels.tolist(), strict=True):
            self._words[label] |= set(text.split())

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float64]:
        found = [
            [1 + sum(word in words for word in text.split()) for words in self._words]
            for text in texts
        ]
        shares = np.array(found, float).reshape(len(texts), len(self._words))
        return shares / shares.sum(1, keepdims=True)
