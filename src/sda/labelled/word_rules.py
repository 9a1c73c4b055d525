"""Rules of the user's own: patterns that speak for a label, one a line.

A line has a label, a tab and a regular expression, or `word:` and words that are looked for as they
are. Lines that begin with # are notes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sda.errors import UserError
from sda.text.reading import plain_lines

WORDS = "word:"


BELIEVED = (9.0, 10.0)
"""What rules are taken for before any row was seen: right in nine cases of ten."""


@dataclass(frozen=True)
class WordRules:
    """Patterns, and the number of the label that each speaks for."""

    patterns: tuple[re.Pattern[str], ...]
    labels: tuple[int, ...]
    count: int
    """How many labels there are."""
    right: float = BELIEVED[0] / BELIEVED[1]
    """How often the label with most votes is the right one."""

    def votes(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """(N, L): how many patterns of each label a text has."""
        found = np.zeros((len(texts), self.count), np.int64)
        for pattern, label in zip(self.patterns, self.labels, strict=True):
            found[:, label] += [pattern.search(text) is not None for text in texts]
        return found

    def verdicts(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """(N,): the label with most votes; -1 where there is none, or no single one."""
        votes = self.votes(texts)
        most = votes.max(1)
        is_single = (most > 0) & ((votes == most[:, None]).sum(1) == 1)
        return np.where(is_single, votes.argmax(1), -1)

    def weighed(self, texts: Sequence[str], labels: NDArray[np.int64]) -> WordRules:
        """The same rules, believed as far as they are right about these rows."""
        verdicts = self.verdicts(texts)
        hits, told = int((verdicts == labels).sum()), int((verdicts >= 0).sum())
        return replace(self, right=(BELIEVED[0] + hits) / (BELIEVED[1] + told))

    def shares(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(N, L): how likely each label is by the rules alone; all alike where they say nothing."""
        verdicts = self.verdicts(texts)
        found = np.full((len(texts), self.count), 1 / self.count)
        told = np.flatnonzero(verdicts >= 0)
        found[told] = (1 - self.right) / max(1, self.count - 1)
        found[told, verdicts[told]] = self.right
        return found


def read_rules(path: Path, names: Sequence[str]) -> WordRules:
    """The rules in the file, for labels of these names."""
    patterns, labels = [], []
    for number, line in enumerate(plain_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, tab, rule = line.partition("\t")
        where = f"{path}, line {number}"
        if not tab or not rule.strip():
            raise UserError(f"{where}: write a label, a tab and a pattern.")
        if name not in names:
            raise UserError(f"{where}: no label {name!r}; there are {', '.join(names)}.")
        patterns.append(_compiled(where, rule.strip()))
        labels.append(names.index(name))
    if not patterns:
        raise UserError(f"{path}: no rule in it; write a label, a tab and a pattern on a line.")
    return WordRules(tuple(patterns), tuple(labels), len(names))


def _compiled(where: str, rule: str) -> re.Pattern[str]:
    if rule.startswith(WORDS):
        words = rule.removeprefix(WORDS).split()
        if not words:
            raise UserError(f"{where}: no word after {WORDS!r}.")
        options = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        return re.compile(rf"(?<!\w)(?:{options})(?!\w)", re.IGNORECASE)
    try:
        return re.compile(rule, re.IGNORECASE)
    except re.error as error:
        raise UserError(f"{where}: not a regular expression ({error}).") from None
