"""How tables show scores and costs: in which groups, and with how many decimals.

What is known of a score comes from the catalogue. A score goes by its name here, which is what an
option, a settings file and a page of results call it, and by its title in words about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sda.evaluation.catalogue import (
    GROUP_ABOUTS,
    KINDS,
    LIKELIHOOD,
    TRUTH,
    current_name,
    in_order,
    kind_of,
)
from sda.show.table import Cell, Column, Figure, Group, usual_digits

COSTS = {"updates": 0, "tokens": 0, "calls": 0, "cpu-minutes": 1, "cpu-seconds": 0}
"""What a run costs is no score; the decimals of each."""
# Differences of likelihoods matter as much at twelve nats as at two.
_IN_NATS = (TRUTH, LIKELIHOOD)


def score_column(name: str) -> Column:
    """The column of a score or a cost, or of something else that is told in figures."""
    kind = kind_of(current_name(name))
    if kind not in KINDS:
        return Column(name)
    return Column(name, higher_is_better=kind.higher_is_better, about=f"{kind.title}: {kind.about}")


def score_figure(
    name: str,
    value: float,
    deviation: float | None = None,
    interval: tuple[float, float] | None = None,
    is_signed: bool = False,
    is_flagged: bool = False,
) -> Figure:
    """A score, or a cost, with the decimals that it has everywhere."""
    return Figure(value, _digits(name, value), deviation, interval, is_signed, is_flagged)


def score_groups(rows: Iterable[Sequence[Cell]]) -> list[Group]:
    """The rows of a table in groups, as the score is whose name each of them begins with."""
    groups: dict[str, list[Sequence[Cell]]] = {}
    for row in rows:
        groups.setdefault(kind_of(current_name(str(row[0]))).group, []).append(row)
    return [Group(title, found, GROUP_ABOUTS[title]) for title, found in groups.items()]


def main_scores(names: Iterable[str]) -> list[str]:
    """Those of the scores that tables show where they do not show all, in the order of tables."""
    return [name for name in in_order(set(names)) if kind_of(current_name(name)).main]


def _digits(name: str, value: float) -> int:
    if name in COSTS:
        return COSTS[name]
    kind = kind_of(current_name(name))
    if kind.group in _IN_NATS:
        return kind.digits
    # A number of words is a whole one, and a mean of such numbers is not.
    is_mean = kind.digits == 0 and not float(value).is_integer()
    return usual_digits(value) if is_mean else usual_digits(value, kind.digits)
