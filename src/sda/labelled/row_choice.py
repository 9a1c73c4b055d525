"""Which written texts become rows, and why the others do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sda.labelled.label_evidence import LabelEvidence
from sda.labelled.worth import Parts, Worth
from sda.text.tokens import Tokenizer

ROUND = 500  # texts that are written at a time; fewer where few are wanted
MOST_ROUNDS = 40
"""For a label; a generator that has not written enough by then never will."""
BARREN = 8
"""Rounds in a row without a text that would do, after which no more is written for a label."""
SURPLUS = 2.0
"""How many times as many texts as are needed have to do, so that there is a choice."""

COPY, NEAR_COPY, TWICE, HELD_OUT = "copy", "near copy", "written twice", "in a test file"
IN_POOL = "copy of unlabelled text"
UNSURE, BLANK, LATER = "label not sure", "no word", "better ones were enough"
RULED_OUT = "ruled out by your metric"


@dataclass(frozen=True)
class Written:
    """A text that was written for a label, what it is worth, and why it is no row, if so."""

    text: str
    label: str
    reason: str | None = None
    score: float | None = None
    confidence: float | None = None
    nats: float | None = None
    copied: int | None = None
    nearest: str | None = None
    similarity: float | None = None

    def figures(self) -> dict[str, Any]:
        """All that is known of it but text, label and reason; numbers with four digits."""
        found = {
            name: value
            for name, value in asdict(self).items()
            if name not in ("text", "label", "reason")
        }
        return {
            name: float(f"{value:.4g}") if isinstance(value, float) else value
            for name, value in found.items()
        }


class RowChoice:
    """Judges what is written, text by text; no two that would do are the same."""

    def __init__(
        self,
        worth: Worth,
        originals: Sequence[str],
        words: Callable[[str], str],
        least: float,
        near: float,
        never: Mapping[str, Iterable[str]],
        evidence: LabelEvidence | None = None,
    ) -> None:
        """`words` makes a text comparable; texts in `never` are no rows, for the reason there.

        `originals` are those that the worth knows. `least` is how sure a label must be, and `near`
        the similarity from which a text is a near copy. Without `evidence` nothing speaks against
        a label.
        """
        self._worth = worth
        self._originals = list(originals)
        self._words = words
        self._seen: dict[str, str] = {}
        for reason, texts in never.items():
            for text in texts:
                self._seen.setdefault(words(text), reason)
        self._least, self._near = least, near
        self._evidence = evidence
        self.rejected: list[Written] = []

    def look(self, texts: Sequence[str], label: str) -> list[Written]:
        """Those of the texts that may become rows of the label."""
        fresh = []
        for text in texts:
            key = self._words(text)
            reason = BLANK if not key else self._seen.get(key)
            if reason is None:
                self._seen[key] = TWICE
                fresh.append(text)
            else:
                self.rejected.append(Written(text, label, reason))
        if not fresh:
            return []
        number = self._worth.names.index(label)
        parts = self._worth.parts(fresh, np.full(len(fresh), number))
        doubts = [None] * len(fresh) if self._evidence is None else self._evidence(fresh, number)
        judged = [
            self._judged(text, label, parts, row, doubt)
            for row, (text, doubt) in enumerate(zip(fresh, doubts, strict=True))
        ]
        self.rejected += [one for one in judged if one.reason is not None]
        return [one for one in judged if one.reason is None]

    def _judged(self, text: str, label: str, parts: Parts, row: int, doubt: str | None) -> Written:
        reason = doubt
        if parts.similarity[row] >= self._near:
            reason = NEAR_COPY
        elif parts.score[row] == 0:
            reason = RULED_OUT
        elif parts.confidence[row] < self._least:
            reason = UNSURE
        return Written(
            text,
            label,
            reason,
            float(parts.score[row]),
            float(parts.confidence[row]),
            float(parts.nats[row]),
            int(parts.copied[row]),
            self._originals[int(parts.nearest[row])],
            float(parts.similarity[row]),
        )


def choose(
    write: Callable[[int, str, int], list[str]],
    choice: RowChoice,
    wanted: Mapping[str, int],
    told: Callable[[int, int], None] = lambda done, total: None,
    is_late: Callable[[], bool] = lambda: False,
) -> list[Written]:
    """The best of what is written for each label, up to the number that is wanted of it.

    `write(count, label, turn)` gives new texts; writing goes on until enough would do, nothing more
    is to be had, or it is late. What would do and is not needed is rejected too.
    """
    found: list[Written] = []
    total = sum(wanted.values())
    for label, count in wanted.items():
        kept: list[Written] = []
        at_once = min(ROUND, 10 * count)
        barren = 0
        for turn in range(MOST_ROUNDS if count else 0):
            more = choice.look(write(at_once, label, turn), label)
            kept += more
            barren = 0 if more else barren + 1
            told(len(found) + min(count, len(kept)), total)
            if len(kept) >= SURPLUS * count or barren == BARREN or is_late():
                break
        kept.sort(key=lambda one: -(one.score or 0.0))
        choice.rejected += [Written(**{**asdict(one), "reason": LATER}) for one in kept[count:]]
        found += kept[:count]
    return found


def comparable(tokenizer: Tokenizer) -> Callable[[str], str]:
    """Words with single spaces between them and without capitals, however a text is spaced."""
    return lambda text: " ".join(tokenizer.split(text)).casefold()
