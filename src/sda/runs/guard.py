"""Rules of the user's over the figures of Stage II: when it ends, and whether it is taken back.

Everything follows from the lines of progress, so a run that is taken up again decides the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sda.settings.schema import GuardRule, GuardSettings


@dataclass(frozen=True)
class Breach:
    """A rule that does not hold any more, and one sentence on what was seen."""

    rule: GuardRule
    message: str


@dataclass
class Guard:
    """Reads every line of progress and holds those of Stage II against the rules.

    With `keeps_best` Stage I ends with the generator of its lowest validation loss, which is then
    the loss at the start of Stage II.
    """

    settings: GuardSettings
    keeps_best: bool
    _start: dict[str, float] = field(default_factory=dict)
    _best: dict[GuardRule, tuple[float, int]] = field(default_factory=dict)

    def look(self, line: Mapping[str, Any]) -> Breach | None:
        """The first rule that the line breaks, if any."""
        if line["stage"] == "imitation":
            self._note_best(line)
            return next(
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
        return {epoch for _, epoch in self._best.values()}

    def best_epoch(self, rule: GuardRule) -> int:
        """The epoch of Stage II that the rule goes back to; 0 is the end of Stage I."""
        return self._best[rule][1] if rule in self._best else 0

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
        end = "Stage II ends here"
        if rule.action == "roll_back":
            epoch = self.best_epoch(rule)
            place = f"epoch {epoch}" if epoch else "the end of Stage I"
            end += f" and goes back to {place}, the best by {rule.best}"
        return Breach(rule, f"guard: {seen}; {end}")
