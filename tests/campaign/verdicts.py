"""What a case showed: nothing, or one of four faults with its place."""

from __future__ import annotations

import re
import traceback
from dataclasses import asdict, dataclass
from typing import Any

from tiny import Answer

TRACEBACK, HANG, EXIT, SILENT = "traceback", "hang", "other exit code", "silent difference"
FAULTS = (TRACEBACK, HANG, EXIT, SILENT)
CODES = (0, 1, 2, 130)
"""Done; a check of the user's own failed; a mistake that the user can mend; interrupted."""


@dataclass(frozen=True)
class Verdict:
    """Whether a case showed a fault.

    Faults with the same `place` are counted as one finding; `tried` says what was done, in words.
    """

    fault: str | None = None
    place: str = ""
    detail: str = ""
    tried: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Told(Answer):
    """An answer, with the `trouble` that the command did not catch."""

    trouble: BaseException | None = None

    @property
    def has_warned(self) -> bool:
        """Whether a person was told that something is not as it should be."""
        return bool(self.err.strip())


def judged(told: Told, tried: str) -> Verdict:
    """Whether a command ended as it should: done, or one sentence and a code that says so."""
    tried = tried if len(tried) < 600 else f"{tried[:500]} ..."
    if told.trouble is not None:
        return Verdict(TRACEBACK, place_of(told.trouble), _lines_of(told.trouble), tried)
    if "Traceback (most recent call last)" in told.err:
        return Verdict(TRACEBACK, "printed " + _last_line(told.err), told.err[-3000:], tried)
    if told.code not in CODES:
        return Verdict(EXIT, f"code {told.code}: {_last_line(told.err)[:80]}", told.err, tried)
    if told.code in (1, 2) and not told.err.strip():
        return Verdict(EXIT, f"code {told.code} without a word", told.out[-500:], tried)
    warned = re.search(r"\.py:\d+: \w*Warning: .*", told.err)
    if warned is not None:
        return Verdict(TRACEBACK, f"warning of Python's own{warned[0][:100]}", told.err, tried)
    return Verdict(tried=tried)


def place_of(trouble: BaseException) -> str:
    """The kind of an exception, and the innermost line of the project that it came through."""
    frames = traceback.extract_tb(trouble.__traceback__)
    ours = [frame for frame in frames if "/sda/" in frame.filename] or frames[-1:]
    where = "nowhere"
    if ours:
        where = f"{ours[-1].filename.rpartition('/sda/')[2]}:{ours[-1].lineno} {ours[-1].name}"
    return f"{type(trouble).__name__} in {where}"


def _lines_of(trouble: BaseException) -> str:
    return "".join(traceback.format_exception(trouble))[-3000:]


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""
