"""Finite languages with probabilities, as expressions and as states joined by words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Expressions compare by identity: a shared sub-expression is compiled once per continuation.


@dataclass(frozen=True, eq=False)
class Words:
    """One word, drawn with the given probabilities."""

    probs: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Choice:
    """One of the options, drawn with the given probabilities."""

    options: tuple[tuple[float, Expression], ...]


@dataclass(frozen=True, eq=False)
class Sequence:
    """The parts one after the other."""

    parts: tuple[Expression, ...]


Expression = Words | Choice | Sequence


def words(weights: Mapping[str, float]) -> Words:
    """One word, with probability proportional to its weight."""
    total = sum(weights.values())
    return Words({word: weight / total for word, weight in weights.items()})


def choice(*options: tuple[float, Expression]) -> Choice:
    """One of the options, with probability proportional to its weight."""
    total = sum(weight for weight, _ in options)
    return Choice(tuple((weight / total, option) for weight, option in options if weight > 0))


def sequence(*parts: str | Expression) -> Sequence:
    """The parts one after the other; a string stands for its space-separated words."""
    expressions: list[Expression] = []
    for part in parts:
        if isinstance(part, str):
            expressions.extend(Words({word: 1.0}) for word in part.split())
        else:
            expressions.append(part)
    return Sequence(tuple(expressions))


# A state: probabilities of its arcs by (word, next state), and of stopping under STOP.
Arcs = dict[tuple[str, int], float]
STOP = ("", -1)


class States:
    """The states of an expression, built from the end of the sentence to its beginning.

    Two states with equal arcs are one, so common endings are shared.
    """

    def __init__(self) -> None:
        self.arcs: list[Arcs] = []
        self._ids: dict[frozenset[tuple[tuple[str, int], float]], int] = {}
        self._compiled: dict[tuple[Expression, int], int] = {}

    def state(self, arcs: Arcs) -> int:
        key = frozenset(arcs.items())
        if key not in self._ids:
            self._ids[key] = len(self.arcs)
            self.arcs.append(arcs)
        return self._ids[key]

    def before(self, expression: Expression, following: int) -> int:
        """The state from which the expression leads to the state `following`."""
        known = self._compiled.get((expression, following))
        if known is not None:
            return known
        if isinstance(expression, Words):
            found = self.state({(word, following): p for word, p in expression.probs.items()})
        elif isinstance(expression, Sequence):
            found = following
            for part in reversed(expression.parts):
                found = self.before(part, found)
        else:
            mixed: Arcs = {}
            for weight, option in expression.options:
                for arc, p in self.arcs[self.before(option, following)].items():
                    mixed[arc] = mixed.get(arc, 0.0) + weight * p
            found = self.state(mixed)
        self._compiled[expression, following] = found
        return found

    def reachable(self, start: int) -> list[int]:
        """The states on a path from `start`, each before the states that it leads to."""
        found = {start}
        # Arcs lead to states of smaller numbers, because those were built first.
        for state in range(start, -1, -1):
            if state in found:
                found.update(target for _, target in self.arcs[state] if target >= 0)
        return sorted(found, reverse=True)
