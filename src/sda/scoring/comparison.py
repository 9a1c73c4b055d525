"""Start and result side by side on validation data: what was bought, and at what price.

The rule has two sides. Quality, as the run's metric has it, must have risen by more than chance,
and no figure of diversity may be worse than the start's by more than its limit. A result that fails
in either is no reason to give up the start.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.catalogue import figure_name, kind_of
from sda.evaluation.scorer import Scorer
from sda.settings.schema import HandOverSettings
from sda.text.sentences import Flat

REVERSE = "reverse-lm-perplexity"
LIMITS = {
    "duplicate-share": "duplicates",
    "copy-share": "copies",
    "self-bleu-5": "self_bleu",
    "mauve-ngram": "mauve",
    REVERSE: "reverse",
}
"""The scores that have a limit, and the settings that say which."""
WATCHED = tuple(kind_of(name) for name in LIMITS if name != REVERSE)
"""Those that are cheap enough to be measured while training runs."""
SHARES = ("duplicate-share", "copy-share")
ROUNDING = 1e-9  # far below what any number of samples can tell apart


@dataclass(frozen=True)
class Change:
    """A figure of diversity of both sides, and by how much it may be worse."""

    name: str
    start: float
    result: float
    limit: float

    @property
    def is_worse(self) -> bool:
        """Whether it is worse by as much as is shown."""
        is_shown = self._shown(self.start) != self._shown(self.result)
        return is_shown and self._sign * (self.result - self.start) > 0

    @property
    def is_broken(self) -> bool:
        """Whether it is worse by more than the limit."""
        if self.name == REVERSE:
            # The limit is a share of the loss, which is the logarithm.
            return math.log(self.result) > (1 + self.limit) * math.log(self.start) + ROUNDING
        return self._sign * (self.result - self.start) > self.limit + ROUNDING

    @property
    def _sign(self) -> int:
        return -1 if kind_of(self.name).higher_is_better else 1

    @property
    def figures(self) -> str:
        """Both values, as part of a sentence: what the figure was, and what it became."""
        return f"{self._shown(self.start)} to {self._shown(self.result)}"

    @property
    def told(self) -> str:
        """The figure and its values."""
        return f"{kind_of(self.name).title} {self.figures}"

    @property
    def reason(self) -> str:
        """That it is beyond its limit, in words."""
        verb = "fell" if self._sign < 0 else "rose"
        limit = f"{self.limit:g}"
        if self.name in SHARES:
            limit = f"{100 * self.limit:g} points"
        elif self.name == REVERSE:
            limit = f"{100 * self.limit:g} % of its logarithm"
        return f"{kind_of(self.name).title} {verb} from {self.figures}, more than {limit}"

    def _shown(self, value: float) -> str:
        return f"{100 * value:.1f} %" if self.name in SHARES else f"{value:.3g}"


@dataclass(frozen=True)
class Quality:
    """The mean score of both sides by the metric of that name.

    `error` is the standard error of the difference, and the metric must have risen by `needed` of
    them; `scored` sentences of each side were scored.
    """

    name: str
    start: float
    result: float
    error: float
    scored: int
    needed: float

    @property
    def has_risen(self) -> bool:
        rise = self.result - self.start
        return rise > 0 and rise > self.needed * self.error

    @property
    def told(self) -> str:
        """The metric's name and both values."""
        return f"{self.name} {self.start:.3g} to {self.result:.3g}"


@dataclass(frozen=True)
class Comparison:
    """All that decides whether a result takes the place of its start."""

    changes: tuple[Change, ...]
    quality: Quality | None
    """None where nothing scored it."""

    @property
    def broken(self) -> list[Change]:
        """The figures that are beyond their limits."""
        return [change for change in self.changes if change.is_broken]

    @property
    def is_bought(self) -> bool:
        """Whether the result is to be used: quality has risen, and every limit was kept."""
        return self.quality is not None and self.quality.has_risen and not self.broken

    def sentence(self, what: str, cost: str) -> str:
        """One sentence on what was bought at what price, or why nothing was.

        `what` is what was done to the start, and `cost` what that took.
        """
        if not self.is_bought:
            return nothing_bought(what, self._reason())
        assert self.quality is not None
        prices = [change.told for change in self.changes if change.is_worse]
        price = f"for {', '.join(prices)}" if prices else "with no figure of diversity worse"
        facts = f"metric, {self.quality.scored:,} sentences"
        return f"{what} bought: {self.quality.told} ({facts}) {price}, at {cost}."

    def _reason(self) -> str:
        if self.broken:
            return "; ".join(change.reason for change in self.broken)
        if self.quality is None:
            return "no metric scored its sentences"
        if self.quality.result > self.quality.start:
            return f"that the metric rose may be chance: {self.quality.told}"
        return f"the metric did not rise: {self.quality.told}"

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        quality = None if self.quality is None else asdict(self.quality)
        return {"changes": [asdict(change) for change in self.changes], "quality": quality}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Comparison:
        """The comparison that `as_dict` wrote down."""
        changes = tuple(Change(**change) for change in data["changes"])
        return cls(changes, None if data["quality"] is None else Quality(**data["quality"]))


def compare(
    start: Flat,
    result: Flat,
    valid: Flat,
    train: Flat,
    quality: Quality | None,
    limits: HandOverSettings,
) -> Comparison:
    """Both sides, as many sentences of each, beside validation and training sentences.

    All are the words of sentences in the same numbers.
    """
    figures = Diversity(valid, train)
    return Comparison(tuple(find_changes(figures(start), figures(result), limits)), quality)


class Diversity:
    """The figures that have a limit, under the names of `progress.jsonl`."""

    def __init__(self, valid: Flat, train: Flat) -> None:
        self._scorer = Scorer(valid, train, map(kind_of, LIMITS))

    def __call__(self, words: Flat) -> dict[str, float]:
        return {figure_name(score.name): score.value for score in self._scorer.scores(words)}


def find_changes(
    start: Mapping[str, float], result: Mapping[str, float], limits: HandOverSettings
) -> list[Change]:
    """The figures with a limit that both sides have, under the names of `progress.jsonl`."""
    named = {name: figure_name(name) for name in LIMITS}
    return [
        Change(name, start[figure], result[figure], getattr(limits, LIMITS[name]))
        for name, figure in named.items()
        if figure in start and figure in result
    ]


def compare_quality(
    name: str, start: NDArray[np.float64], result: NDArray[np.float64], needed: float
) -> Quality | None:
    """The scores (B,) of both sides by the metric; None of fewer than two, which have no error.

    A sentence that the metric rules out, by minus infinity, counts as the worst that it lets pass.
    """
    scored = min(len(start), len(result))
    if scored < 2:
        return None
    both = np.concatenate((start, result))
    worst = both.min(initial=np.inf, where=np.isfinite(both))
    # Where all are ruled out no number is the worst, and any will do.
    lowest = worst if np.isfinite(worst) else 0.0
    start, result = (np.where(np.isneginf(side), lowest, side) for side in (start, result))
    error = math.sqrt(sum(float(side.var(ddof=1)) / len(side) for side in (start, result)))
    return Quality(name, float(start.mean()), float(result.mean()), error, scored, needed)


def nothing_bought(what: str, reason: str) -> str:
    """The sentence on a start that is kept."""
    return f"{what} bought nothing: the start is used ({reason})."
