"""Rules over the figures of Stage II: when it ends, and whether it is taken back.

They are the user's own, and where the settings ask for it the limits of `hand_over`.

Everything follows from the lines of progress, so a run that is taken up again decides the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sda.scoring.comparison import find_changes
from sda.settings.schema import GuardRule, GuardSettings, HandOverSettings

START = "start"  # what the start measures, in the first line of Stage II


@dataclass(frozen=True)
class Breach:
    """What was seen that may not be, and what follows.

    `back_to` is the epoch of Stage II that is gone back to, 0 the end of Stage I, and None says
    that Stage II ends as it is; `because` says why it is that epoch.
    """

    seen: str
    back_to: int | None = None
    because: str = ""

    @property
    def message(self) -> str:
        """One sentence."""
        end = "Stage II ends here"
        if self.back_to is not None:
            place = f"epoch {self.back_to}" if self.back_to else "the end of Stage I"
            end += f" and goes back to {place}, {self.because}"
        return f"{self.seen}; {end}"


@dataclass
class Guard:
    """Reads every line of progress and holds those of Stage II against the rules.

    With `keeps_best` Stage I ends with the generator of its lowest validation loss, which is then
    the loss at the start of Stage II. If `hand_over` is to be checked, its limits come before the
    rules, and Stage II goes back to the last epoch that was measured within them.
    """

    settings: GuardSettings
    keeps_best: bool
    hand_over: HandOverSettings = field(default_factory=HandOverSettings)
    _start: dict[str, float] = field(default_factory=dict)
    _best: dict[GuardRule, tuple[float, int]] = field(default_factory=dict)
    _figures_of_start: Mapping[str, float] = field(default_factory=dict)
    _within: int = 0

    def look(self, line: Mapping[str, Any]) -> Breach | None:
        """What the line breaks first, if anything."""
        if line["stage"] == "imitation":
            self._note_best(line)
            return self._check_limits(line) or next(
                filter(None, (self._check(rule, line) for rule in self.settings.rules)), None
            )
        for name in self._names() & line.keys():
            value = line[name]
            if name == "nll_valid" and self.keeps_best:
                value = min(value, self._start.get(name, value))
            self._start[name] = value
        return None

    def unknown(self, line: Mapping[str, Any]) -> list[str]:
        """The figures that rules name and a line of Stage II with all its figures does not have."""
        return sorted(self._names() - line.keys())

    def best_epochs(self) -> set[int]:
        """The epochs of Stage II that rules would go back to; 0 is the end of Stage I."""
        return {epoch for _, epoch in self._best.values()} | {self._within}

    def _names(self) -> set[str]:
        rules = self.settings.rules
        return {rule.figure for rule in rules} | {
            rule.best for rule in rules if rule.action == "roll_back"
        }

    def _note_best(self, line: Mapping[str, Any]) -> None:
        for rule in self.settings.rules:
            if rule.action != "roll_back" or rule.best not in line:
                continue
            if rule not in self._best and rule.best in self._start:
                self._best[rule] = (self._start[rule.best], 0)
            value, sign = line[rule.best], 1 if rule.best_is == "lowest" else -1
            if rule not in self._best or sign * value < sign * self._best[rule][0]:
                self._best[rule] = (value, line["epoch"])

    def _check(self, rule: GuardRule, line: Mapping[str, Any]) -> Breach | None:
        if rule.figure not in line:
            return None
        name, value = rule.figure, line[rule.figure]
        if rule.above is not None:
            seen = f"{name} is {value:.4g}, above {rule.above:g}" if value > rule.above else None
        else:
            assert rule.rise is not None
            start = self._start.setdefault(name, value)
            seen = None
            if value > start + rule.rise * abs(start):
                seen = (
                    f"{name} is {value:.4g}, over {100 * rule.rise:g} % above {start:.4g} at the"
                    " start of Stage II"
                )
        if seen is None:
            return None
        if rule.action == "stop":
            return Breach(seen)
        best = self._best[rule][1] if rule in self._best else 0
        return Breach(seen, best, f"the best by {rule.best}")

    def _check_limits(self, line: Mapping[str, Any]) -> Breach | None:
        """The limits of `hand_over`, in epochs in which their figures were measured."""
        if not self.hand_over.check:
            return None
        self._figures_of_start = line.get(START, self._figures_of_start)
        changes = find_changes(self._figures_of_start, line, self.hand_over)
        broken = [change.reason for change in changes if change.is_broken]
        if broken:
            because = "the last state within the limits on what the result may lose (hand_over)"
            return Breach("; ".join(broken), self._within, because)
        if changes:
            self._within = line["epoch"]
        return None
