"""Issues that a grammar checker finds per 1,000 words (CIR, decision 0030).

Figures of two checkers, or of two versions of one, cannot be compared; the ranking of texts by one
of them can, with real text as the measure of what it finds in good English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.interval import ratio_interval
from sda.evaluation.score import PLAIN, Convention, Score
from sda.text.detokenise import americanise, detokenise

NAME = "grammar-issues"
_PER_WORDS = 1000.0
_WORD = re.compile(r"\S*\w\S*")


class Checker(Protocol):
    """Finds issues in ordinary English sentences."""

    @property
    def name(self) -> str:
        """The program and its version, for signatures."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of issue that count, each in lower case."""

    def issues(self, texts: Sequence[str]) -> list[list[str]]:
        """The kind of every issue in each text, all of them among `kinds`."""


def grammar_score(texts: Sequence[str], checker: Checker, convention: Convention = PLAIN) -> Score:
    """`grammar-issues`: issues of all kinds per 1,000 words, after detokenising and respelling."""
    return grammar_scores(texts, checker, convention)[0]


def grammar_scores(
    texts: Sequence[str], checker: Checker, convention: Convention = PLAIN
) -> list[Score]:
    """`grammar-issues`, and after it `grammar-issues-KIND` for every kind that counts."""
    printed = [_printed(text, convention) for text in texts]
    words = np.array([len(_WORD.findall(text)) for text in printed], np.float64)
    total = words.sum()
    if not total:
        raise ValueError(f"{NAME} needs at least one word")
    counts = _counts(printed, checker)
    columns = {NAME: counts.sum(axis=1)}
    columns |= {f"{NAME}-{kind}": counts[:, k] for k, kind in enumerate(checker.kinds)}
    signature = convention.sign(
        hyps=len(texts),
        words=int(total),
        checker=checker.name,
        kinds="+".join(checker.kinds),
        per="1000-words",
        norm="detokenised+american",
        ci="bootstrap",
    )
    return [
        Score(
            name,
            float(_PER_WORDS * found.sum() / total),
            False,
            signature,
            interval=ratio_interval(_PER_WORDS * found, words),
        )
        for name, found in columns.items()
    ]


def _printed(text: str, convention: Convention) -> str:
    """The text as the checker reads it."""
    return americanise(detokenise(text.lower() if convention.lowercase else text))


def _counts(texts: Sequence[str], checker: Checker) -> NDArray[np.float64]:
    """(B, kinds): how many issues of each kind each text has; equal texts are checked once."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    columns = {kind: k for k, kind in enumerate(checker.kinds)}
    found = checker.issues(list(numbers))
    rows = np.repeat(np.arange(len(found)), [len(kinds) for kinds in found])
    places = np.fromiter(map(columns.__getitem__, chain.from_iterable(found)), np.int64, len(rows))
    counts = np.zeros((len(found), len(columns)))
    np.add.at(counts, (rows, places), 1.0)
    return counts[[numbers[text] for text in texts]]
