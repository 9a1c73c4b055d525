"""Weighted acyclic automata over words: sampling, exact probabilities and counts.

A language is written as an expression; `Automaton` turns it into arrays. A sentence may have more
than one path through the automaton; its probability is the sum over all of them.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from sda.text.captions.expressions import STOP, Expression, States
from sda.text.compiled import Ids, Numbers, Weights, compiled
from sda.text.sentences import Flat


class Automaton:
    """The language of an expression. State 0 is the start, and arcs lead to larger numbers.

    The arcs of state s are `first[s]:first[s + 1]`, in the order of their words; `targets` and
    `probs` say where they lead and how likely they are, `stops` how likely a sentence ends in s.
    Word ids index `words`, which is sorted.
    """

    def __init__(self, expression: Expression) -> None:
        states = States()
        start = states.before(expression, states.state({STOP: 1.0}))
        order = states.reachable(start)
        numbers = {state: number for number, state in enumerate(order)}
        kept = [states.arcs[state] for state in order]
        self.words = tuple(sorted({word for arcs in kept for word, _ in arcs if word}))
        ids = {word: i for i, word in enumerate(self.words)}
        self.stops = np.array([arcs.get(STOP, 0.0) for arcs in kept])
        rows = [
            sorted((ids[word], numbers[t], p) for (word, t), p in arcs.items() if t >= 0)
            for arcs in kept
        ]
        flat = [arc for row in rows for arc in row]
        self.first = np.cumsum([0] + [len(row) for row in rows])
        self.arc_words = np.array([word for word, _, _ in flat], np.int32)
        self.targets = np.array([target for _, target, _ in flat], np.int32)
        self.probs = np.array([p for _, _, p in flat], np.float64)
        self._lengths = self._length_probs()

    def __len__(self) -> int:
        """The number of states."""
        return len(self.stops)

    @property
    def max_length(self) -> int:
        return len(self._lengths) - 1

    @property
    def length_probs(self) -> NDArray[np.float64]:
        """(max_length + 1,), the probability of each sentence length."""
        return self._lengths

    def sample(self, n: int, rng: torch.Generator) -> Flat:
        """n independent sentences."""
        draws = torch.rand(n, self.max_length + 1, dtype=torch.float64, generator=rng).numpy()
        padded, lengths = _walk(
            self.first, self.arc_words, self.targets, self.probs, self.stops, draws
        )
        ids = padded[np.arange(padded.shape[1]) < lengths[:, None]]
        return Flat(ids, np.concatenate(([0], np.cumsum(lengths))))

    def log_prob(self, sentences: Flat) -> NDArray[np.float64]:
        """The exact log-probability of each sentence, minus infinity outside the language."""
        return _forward(
            self.first,
            self.arc_words,
            self.targets,
            self.probs,
            self.stops,
            sentences.ids,
            sentences.starts,
        )

    def count_paths(self) -> int:
        """The number of paths, which is that of sentences when none has two paths."""
        counts = [0] * len(self)
        for state in range(len(self) - 1, -1, -1):
            arcs = self.targets[self.first[state] : self.first[state + 1]]
            counts[state] = int(self.stops[state] > 0) + sum(counts[t] for t in arcs.tolist())
        return counts[0]

    def count(self) -> int:
        """The number of distinct sentences, counted over sets of states (a deterministic form)."""
        arcs: list[dict[int, list[int]]] = []
        for state in range(len(self)):
            following: dict[int, list[int]] = {}
            span = slice(self.first[state], self.first[state + 1])
            pairs = zip(self.arc_words[span].tolist(), self.targets[span].tolist(), strict=True)
            for word, target in pairs:
                following.setdefault(word, []).append(target)
            arcs.append(following)
        counts: dict[frozenset[int], int] = {}

        def count_from(members: frozenset[int]) -> int:
            known = counts.get(members)
            if known is not None:
                return known
            following: dict[int, set[int]] = {}
            for state in members:
                for word, targets in arcs[state].items():
                    following.setdefault(word, set()).update(targets)
            total = int(any(self.stops[state] > 0 for state in members))
            total += sum(count_from(frozenset(targets)) for targets in following.values())
            counts[members] = total
            return total

        return count_from(frozenset([0]))

    @cached_property
    def visits(self) -> NDArray[np.float64]:
        """(states,), the probability that a sentence passes through each state."""
        visits = np.zeros(len(self))
        visits[0] = 1.0
        for state in range(len(self)):
            span = slice(self.first[state], self.first[state + 1])
            np.add.at(visits, self.targets[span], visits[state] * self.probs[span])
        return visits

    def expected_counts(self) -> NDArray[np.float64]:
        """(words,), the expected number of times that each word occurs in a sentence."""
        weights = np.repeat(self.visits, np.diff(self.first)) * self.probs
        return np.bincount(self.arc_words, weights, len(self.words)).astype(np.float64)

    def entropy(self) -> float:
        """The entropy of paths in nats, which is that of sentences when none has two paths."""
        visits = self.visits
        arcs = np.repeat(visits, np.diff(self.first)) * self.probs * np.log(self.probs)
        ends = self.stops > 0
        stops = visits[ends] * self.stops[ends] * np.log(self.stops[ends])
        return -float(arcs.sum() + stops.sum())

    def _length_probs(self) -> NDArray[np.float64]:
        sources = np.repeat(np.arange(len(self)), np.diff(self.first))
        mass = np.zeros(len(self))
        mass[0] = 1.0
        lengths = []
        while mass.any():
            lengths.append(float(mass @ self.stops))
            flow = mass[sources] * self.probs
            mass = np.bincount(self.targets, flow, len(self)).astype(np.float64)
        return np.array(lengths)


@compiled
def _walk(
    first: Numbers, words: Ids, targets: Ids, probs: Weights, stops: Weights, draws: Weights
) -> tuple[Ids, Numbers]:
    """Padded ids and lengths of one random walk for each row of `draws` (n, max_length + 1)."""
    n, steps = draws.shape
    padded = np.zeros((n, steps), np.int32)
    lengths = np.zeros(n, np.int64)
    for row in range(n):
        state = 0
        for step in range(steps):
            left = draws[row, step] - stops[state]
            if left < 0 or first[state] == first[state + 1]:
                break
            arc = first[state]
            # The last arc takes what rounding leaves of the probabilities.
            while arc < first[state + 1] - 1 and left >= probs[arc]:
                left -= probs[arc]
                arc += 1
            padded[row, step] = words[arc]
            lengths[row] += 1
            state = targets[arc]
    return padded, lengths


@compiled
def _forward(
    first: Numbers,
    words: Ids,
    targets: Ids,
    probs: Weights,
    stops: Weights,
    ids: Ids,
    starts: Numbers,
) -> Weights:
    """The log of the summed probability of all paths of each sentence (the forward algorithm)."""
    n = len(starts) - 1
    result = np.full(n, -np.inf)
    mass = np.zeros((2, len(stops)))
    active = np.zeros((2, len(stops)), np.int64)
    for row in range(n):
        now, size = 0, 1
        active[0, 0] = 0
        mass[0, 0] = 1.0
        scale = 0.0
        for position in range(starts[row], starts[row + 1]):
            word = ids[position]
            following, found, total = 1 - now, 0, 0.0
            for k in range(size):
                state = active[now, k]
                here = mass[now, state]
                mass[now, state] = 0.0
                low, high = first[state], first[state + 1]
                arc = low + np.searchsorted(words[low:high], word)
                while arc < high and words[arc] == word:
                    target = targets[arc]
                    if mass[following, target] == 0.0:
                        active[following, found] = target
                        found += 1
                    mass[following, target] += here * probs[arc]
                    total += here * probs[arc]
                    arc += 1
            # Rescaling keeps long products away from underflow.
            for k in range(found):
                mass[following, active[following, k]] /= total
            if found:
                scale += np.log(total)
            now, size = following, found
            if size == 0:
                break
        end = 0.0
        for k in range(size):
            state = active[now, k]
            end += mass[now, state] * stops[state]
            mass[now, state] = 0.0
        if end > 0.0:
            result[row] = scale + np.log(end)
    return result
