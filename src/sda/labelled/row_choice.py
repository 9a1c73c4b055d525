"""Which written texts become rows, and why the others do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sda.labelled.worth import Parts, Worth
from sda.text.tokens import Tokenizer

NEAR = 0.8
"""Similarity to an original from which a text is called a near copy."""
ROUND = 500  # texts that are written at a time
MOST_ROUNDS = 40
"""For a label; a generator that has not written enough by then never will."""

COPY, NEAR_COPY, TWICE, HELD_OUT = "copy", "near copy", "written twice", "in a test file"
UNSURE, SHORT, LATER = "label not sure", "too short", "better ones were enough"


@dataclass(frozen=True)
class Written:
    """A text that was written for a label, and what it is worth."""

    text: str
    label: str
    score: float
    confidence: float
    nats: float
    copied: int
    nearest: str
    similarity: float


@dataclass(frozen=True)
class Rejected:
    """A text that becomes no row."""

    text: str
    label: str
    reason: str
    score: float | None = None


class RowChoice:
    """Judges what is written, text by text; no two chosen ones are the same."""

    def __init__(
        self,
        worth: Worth,
        names: Sequence[str],
        originals: Sequence[str],
        words: Callable[[str], str],
        held_out: Iterable[str] = (),
        least: float = 0.8,
        near: float = NEAR,
    ) -> None:
        """`words` makes a text comparable; texts in `held_out` are never written.

        `least` is the least share of certainty about the label that a row must have.
        """
        self._worth = worth
        self._names = list(names)
        self._originals = list(originals)
        self._words = words
        self._seen = {words(text): COPY for text in originals}
        self._seen |= {words(text): HELD_OUT for text in held_out}
        self._least, self._near = least, near
        self.rejected: list[Rejected] = []

    def look(self, texts: Sequence[str], label: str) -> list[Written]:
        """Those of the texts that may become rows of the label."""
        fresh = []
        for text in texts:
            key = self._words(text)
            reason = SHORT if not key else self._seen.get(key)
            if reason is None:
                self._seen[key] = TWICE
                fresh.append(text)
            else:
                self.rejected.append(Rejected(text, label, reason))
        if not fresh:
            return []
        number = np.full(len(fresh), self._names.index(label))
        parts = self._worth.parts(fresh, number)
        return [
            found
            for row, text in enumerate(fresh)
            if (found := self._judged(text, label, parts, row)) is not None
        ]

    def leave(self, written: Sequence[Written]) -> None:
        """Those that would do, and are not needed."""
        self.rejected += [Rejected(one.text, one.label, LATER, one.score) for one in written]

    def _judged(self, text: str, label: str, parts: Parts, row: int) -> Written | None:
        score = float(parts.score[row])
        reason = None
        if parts.similarity[row] >= self._near:
            reason = NEAR_COPY
        elif parts.confidence[row] < self._least:
            reason = UNSURE
        if reason is not None:
            self.rejected.append(Rejected(text, label, reason, score))
            return None
        return Written(
            text,
            label,
            score,
            float(parts.confidence[row]),
            float(parts.nats[row]),
            int(parts.copied[row]),
            self._originals[int(parts.nearest[row])],
            float(parts.similarity[row]),
        )


def choose(
    write: Callable[[int, str, int], list[str]],
    choice: RowChoice,
    wanted: dict[str, int],
    surplus: float = 2.0,
    told: Callable[[str, int, int], None] = lambda label, done, total: None,
) -> list[Written]:
    """The best of what is written for each label, up to the number that is wanted of it.

    `write(count, label, round)` gives new texts; writing goes on until `surplus` times as many
    would do, so that there is something to choose among, or nothing more is to be had.
    """
    found: list[Written] = []
    for label, count in wanted.items():
        kept: list[Written] = []
        for turn in range(MOST_ROUNDS if count else 0):
            kept += choice.look(write(ROUND, label, turn), label)
            told(label, min(count, len(kept)), count)
            if len(kept) >= surplus * count:
                break
        kept.sort(key=lambda one: -one.score)
        choice.leave(kept[count:])
        found += kept[:count]
    return found


def comparable(tokenizer: Tokenizer) -> Callable[[str], str]:
    """Words with single spaces between them, however a text is spaced; case counts."""
    return lambda text: " ".join(tokenizer.split(text))
