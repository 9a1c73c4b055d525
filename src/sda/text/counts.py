"""Counts of what was read from text files, what was dropped from them, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sda.text.reading import LONGEST_LINE


@dataclass(frozen=True)
class FileCounts:
    """What a file held, and what was dropped from it by which rule, in the order of the rules."""

    file: str
    read: int
    blank: int
    too_short: int
    too_long: int
    duplicate: int
    shortened: int
    """Sentences cut at `max_length`; these stay."""
    overlong: int = 0
    """Lines of more characters than any sentence has."""

    @property
    def dropped(self) -> list[tuple[str, int]]:
        """The rules that dropped something."""
        rules = {
            f"longer than {LONGEST_LINE:,} characters": self.overlong,
            "blank": self.blank,
            "shorter than min_length": self.too_short,
            "longer than max_length": self.too_long,
            "duplicate": self.duplicate,
        }
        return [(rule, count) for rule, count in rules.items() if count]

    def explained(self) -> str:
        dropped = ", ".join(f"{count:,} {rule}" for rule, count in self.dropped)
        return f"{self.read:,} lines read, dropped: {dropped or 'none'}"


@dataclass(frozen=True)
class Summary:
    """What was read, what was dropped and why, and what is left."""

    files: tuple[FileCounts, ...]
    """The text, then the validation and the test file where they were named."""
    train: int
    valid: int
    test: int
    train_rare: int
    """Training sentences dropped for a rare word."""
    train_over_limit: int
    """Training sentences left out by `limit`."""
    train_outside_share: int
    """Training sentences whose words count, but which `share` leaves out."""
    valid_not_scored: int
    """Validation sentences left out for a word without an id, or for their subwords."""
    test_not_scored: int
    """Test sentences without a likelihood, for such a word or for their length."""
    valid_in_train: int
    """Validation sentences that are also training sentences."""
    test_in_train: int
    """Test sentences that are also training sentences."""
    vocabulary: int
    """Ids that can be written, the end symbol and the unknown word included."""
    words: int
    """Running words of the training sentences."""
    unknown_words: int
    """Those among them that are written as unknown."""
    max_length: int
    """Tokens of the longest sentence a model must write, the end symbol counted."""
    subwords: int = 0
    """Running subwords of the training sentences; 0 where ids are whole words."""
    train_many_subwords: int = 0
    """Training sentences dropped for the number of their subwords."""
    labels: Mapping[str, int] = field(default_factory=dict)
    """How many training sentences have each label; empty where there are none."""
    advice: tuple[str, ...] = ()
    """What to do about a text that would not be learned well as it is, a sentence each."""

    def as_rows(self) -> list[tuple[str, str]]:
        """A table of two columns, without the rules that dropped nothing."""
        rows: list[tuple[str, str]] = []
        for counts in self.files:
            rows.append((counts.file, f"{counts.read:,} lines"))
            rows += [(f"  dropped: {rule}", f"{count:,}") for rule, count in counts.dropped]
            rows += _if_any("  cut at max_length", counts.shortened)
        rows.append(("training sentences", f"{self.train:,}"))
        rows += _if_any("  dropped: rare word", self.train_rare)
        rows += _if_any("  dropped: too many subwords", self.train_many_subwords)
        rows += _if_any("  left out: limit", self.train_over_limit)
        rows += _if_any("  left out: share", self.train_outside_share)
        rows += [(f"  label {label}", f"{count:,}") for label, count in self.labels.items()]
        rows.append(("validation sentences", f"{self.valid:,}"))
        lacking = "too many subwords" if self.subwords else "word not in vocabulary"
        rows += _if_any(f"  left out: {lacking}", self.valid_not_scored)
        rows.append(("  also in training", f"{self.valid_in_train:,}"))
        rows.append(("test sentences", f"{self.test:,}"))
        rows += _if_any("  without likelihood", self.test_not_scored)
        rows.append(("  also in training", f"{self.test_in_train:,}"))
        rows.append(("vocabulary", f"{self.vocabulary:,}"))
        unknown = f" ({self.unknown_words / self.words:.1%} unknown)" if self.unknown_words else ""
        rows.append(("running words in training", f"{self.words:,}{unknown}"))
        rows += _if_any("running subwords in training", self.subwords)
        rows.append(("longest sentence, end counted", f"{self.max_length:,}"))
        return rows

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def _if_any(label: str, count: int) -> list[tuple[str, str]]:
    return [(label, f"{count:,}")] if count else []
