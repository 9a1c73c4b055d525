"""Who sees what, and in which order: incomplete blocks, balanced by count and not by luck.

A study has treatments, models or ordered pairs of them, each with the same number of items. Every
judge gets a row of items. For any numbers of treatments, items and judges

- an item gets its number of ratings from different judges,
- the treatments of one judge are equally frequent, and
- the treatments at one position, over all judges, are equally frequent,

where "equally" is as far as whole numbers go: counts differ by at most one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np
from numpy.typing import NDArray

from sda.errors import UserError

Cell = tuple[int, int]
"""A treatment, and the number of one of its items."""


def balanced_rows(
    treatments: int, items: int, ratings: int, judges: int, rng: np.random.Generator
) -> list[list[Cell]]:
    """A row of cells for each judge, in the order in which they are shown."""
    if judges < ratings:
        raise UserError(
            f"{ratings} ratings an item need at least {ratings} judges, since nobody rates an item"
            f" twice; give --judges {ratings} or more"
        )
    if judges > treatments * items * ratings:
        raise UserError(
            f"there are {treatments * items * ratings} ratings to give and {judges} judges; give"
            " fewer --judges or more --items"
        )
    labels = _labels(treatments, items * ratings, judges, rng)
    rows = [[(label, -1) for label in row] for row in labels]
    order = rng.permutation(judges)
    for treatment in range(treatments):
        counts = [labels[judge].count(treatment) for judge in order]
        dealt = _dealt(items, counts, rng)
        for judge, numbers in zip(order, dealt, strict=True):
            places = [p for p, label in enumerate(labels[judge]) if label == treatment]
            for place, number in zip(places, numbers, strict=True):
                rows[judge][place] = (treatment, number)
    return rows


def imbalance(rows: Sequence[Sequence[Cell]], treatments: int) -> tuple[int, int]:
    """The largest difference between two treatments: within a judge, and at a position."""
    width = max(map(len, rows))
    counts = np.zeros((len(rows), width, treatments), np.int64)
    for judge, row in enumerate(rows):
        for place, (treatment, _) in enumerate(row):
            counts[judge, place, treatment] = 1
    by_judge, by_place = counts.sum(axis=1), counts.sum(axis=0)
    return int(np.ptp(by_judge, axis=1).max()), int(np.ptp(by_place, axis=1).max())


def _labels(treatments: int, each: int, judges: int, rng: np.random.Generator) -> list[list[int]]:
    """For each judge the treatments in order; each treatment occurs `each` times in all.

    Rows have `short` cells, and the first `longer` of them one more, which stands at the end. The
    cells that all rows have form a bipartite graph of judges and treatments, and positions are
    colours of its edges: a judge has each colour once, and a treatment as often as any other, up
    to one (de Werra's equitable colouring).
    """
    short, longer = divmod(treatments * each, judges)
    base, rest = divmod(short, treatments)
    edges: list[tuple[int, int]] = []
    last: dict[int, int] = {}
    begun = 0
    for judge in range(judges):
        size = rest + (judge < longer)
        chosen = [(begun + k) % treatments for k in range(size)]
        begun += size
        if judge < longer:
            # With this offset the first `treatments` rows end in treatments that all differ.
            cycle = treatments // gcd(size, treatments)
            last[judge] = chosen.pop((judge // cycle) % gcd(size, treatments))
        edges += [(judge, treatment) for treatment in [*range(treatments)] * base + chosen]
    rows = _coloured(edges, judges, treatments, short, rng)
    for judge, treatment in last.items():
        rows[judge].append(treatment)
    # The construction favours no treatment and no judge once their names are drawn by lot.
    names = rng.permutation(treatments).tolist()
    return [[names[label] for label in rows[judge]] for judge in rng.permutation(judges)]


def _coloured(
    edges: list[tuple[int, int]],
    judges: int,
    treatments: int,
    colours: int,
    rng: np.random.Generator,
) -> list[list[int]]:
    """For each judge the treatment of each colour.

    A treatment with more edges than colours is split into vertices with as many edges as there are
    colours; König's alternating paths then colour the graph.
    """
    vertices: list[int] = []
    used = [colours] * treatments
    newest = [-1] * treatments
    at_judge = [[-1] * colours for _ in range(judges)]
    at_vertex: list[list[int]] = []
    for number in rng.permutation(len(edges)):
        judge, treatment = edges[number]
        if used[treatment] == colours:
            used[treatment], newest[treatment] = 0, len(vertices)
            vertices.append(treatment)
            at_vertex.append([-1] * colours)
        used[treatment] += 1
        vertex = newest[treatment]
        free_here = [c for c in range(colours) if at_judge[judge][c] < 0]
        free_there = [c for c in free_here if at_vertex[vertex][c] < 0]
        if free_there:
            colour = free_there[rng.integers(len(free_there))]
        else:
            colour = free_here[rng.integers(len(free_here))]
            other = at_vertex[vertex].index(-1)
            _swap_path(at_vertex, at_judge, vertex, colour, other)
        at_judge[judge][colour], at_vertex[vertex][colour] = vertex, judge
    return [[vertices[vertex] for vertex in row] for row in at_judge]


def _swap_path(
    at_vertex: list[list[int]], at_judge: list[list[int]], vertex: int, first: int, second: int
) -> None:
    """Exchange two colours along the path that begins at a vertex, which then lacks the first."""
    path: list[tuple[int, int, int]] = []
    colour, other = first, second
    while (judge := at_vertex[vertex][colour]) >= 0:
        path.append((judge, vertex, colour))
        following = at_judge[judge][other]
        if following < 0:
            break
        path.append((judge, following, other))
        vertex = following
    for judge, place, old in path:
        at_judge[judge][old] = at_vertex[place][old] = -1
    for judge, place, old in path:
        new = second if old == first else first
        at_judge[judge][new], at_vertex[place][new] = place, judge


def _dealt(items: int, counts: Sequence[int], rng: np.random.Generator) -> list[list[int]]:
    """For each judge so many different items; over all, every item as often as any other.

    All items are dealt in a new order, round after round. Where a judge gets the end of one round
    and the beginning of the next, the next begins with items that they do not have.
    """
    dealt: list[list[int]] = []
    waiting: list[int] = []
    for count in counts:
        got, waiting = waiting[:count], waiting[count:]
        if len(got) < count:
            missing = count - len(got)
            others = rng.permutation(np.setdiff1d(np.arange(items), got)).tolist()
            first, rest = others[:missing], others[missing:]
            got = got + first
            held = [item for item in range(items) if item not in set(first) | set(rest)]
            waiting = rng.permutation(np.array(rest + held, np.int64)).tolist()
        dealt.append(got)
    return dealt


def spread_gaps(length: int, count: int, first: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`count` places in a row of `length` cells, not before `first`, about equally far apart."""
    start = min(first, length)
    edges = np.linspace(start, length, count + 1)
    lows, highs = np.floor(edges[:-1]).astype(int), np.ceil(edges[1:]).astype(int)
    return np.array(
        [rng.integers(low, max(low, high - 1) + 1) for low, high in zip(lows, highs, strict=True)],
        np.int64,
    )
