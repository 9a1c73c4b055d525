"""Scores that see only how often each number is there among all, with their jackknife intervals.

`set_interval` would count twenty sets of nearly all sentences. Here all are counted once, and what
a group adds to the counts is taken out of them: the same intervals to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sda.evaluation.interval import GROUPS, Interval, jackknife_interval
from sda.text.compiled import Ids, Numbers, Weights, compiled
from sda.text.sentences import Flat


def variety(score: Callable[[int, int], float], numbers: Flat) -> tuple[float, Interval | None]:
    """A score of how many different numbers there are and how many in all, and its interval.

    Without a group exactly those numbers are gone that no other group has.
    """
    known = int(numbers.ids.max(initial=-1)) + 1
    own, sizes = _own_numbers(numbers.ids, numbers.starts, known, GROUPS)
    distinct, total = int(own.sum()), len(numbers.ids)
    value = score(distinct, total)
    if len(numbers) < 2 * GROUPS:
        return value, None
    groups = zip(own[:-1].tolist(), sizes.tolist(), strict=True)
    without = np.array([score(distinct - alone, total - size) for alone, size in groups])
    return value, jackknife_interval(value, without)


def entropy(numbers: Flat) -> tuple[float, Interval | None]:
    """The entropy of the numbers in nats, each as likely as it is often, and its interval."""
    counts = np.bincount(numbers.ids)
    several = np.arange(1, counts.max() + 1)
    # A logarithm for every count that there may be, and not one for every number.
    terms = np.concatenate(([0.0], several * np.log(several)))
    found = np.empty(len(counts))

    def of_all() -> float:
        there, total = _look_up(counts, terms, found), counts.sum()
        return float(np.log(total) - found[:there].sum() / total)

    value = of_all()
    if len(numbers) < 2 * GROUPS:
        return value, None
    without = np.empty(GROUPS)
    for group in range(GROUPS):
        _add_group(counts, numbers.ids, numbers.starts, group, GROUPS, -1)
        without[group] = of_all()
        _add_group(counts, numbers.ids, numbers.starts, group, GROUPS, 1)
    return value, jackknife_interval(value, without)


@compiled
def _own_numbers(ids: Ids, starts: Numbers, known: int, groups: int) -> tuple[Numbers, Numbers]:
    """How many different numbers only one group has, for each, and last of all how many are in
    several; and how many numbers each group has in all."""
    nobody, several = np.int8(-1), np.int8(groups)
    holders = np.full(known, nobody, np.int8)
    sizes = np.zeros(groups, np.int64)
    for sentence in range(len(starts) - 1):
        group = np.int8(sentence % groups)
        sizes[group] += starts[sentence + 1] - starts[sentence]
        for place in range(starts[sentence], starts[sentence + 1]):
            holder = holders[ids[place]]
            if holder != group and holder != several:
                holders[ids[place]] = group if holder == nobody else several
    own = np.zeros(groups + 1, np.int64)
    for holder in holders:
        if holder != nobody:
            own[holder] += 1
    return own, sizes


@compiled
def _add_group(
    counts: Numbers, ids: Ids, starts: Numbers, group: int, groups: int, step: int
) -> None:
    """Each number of the group's sentences counts so many more times."""
    for sentence in range(group, len(starts) - 1, groups):
        for place in range(starts[sentence], starts[sentence + 1]):
            counts[ids[place]] += step


@compiled
def _look_up(counts: Numbers, terms: Weights, found: Weights) -> int:
    """Put the terms of all counts above zero into `found`, in their order; how many these are."""
    there = 0
    for count in counts:
        found[there] = terms[count]
        there += count > 0
    return there
