"""What designs can see, side by side; the paper's design stands first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sda.show.table import Cell, Column, Table
from sda.studies.power import HIGH, LOW, PAPER, Design, Power, Variances

KINDS = {"low": LOW, "high": HIGH}
OTHER_JUDGES = (10, 30)  # the paper's ratings, from so many judges


def usual_designs(asked: Design) -> list[tuple[str, Design]]:
    """The paper's design, the same ratings from more judges, and the one that was asked for."""
    rows = [("the paper's", PAPER)]
    rows += [(f"its ratings, {n} judges", replace(PAPER, judges=n)) for n in OTHER_JUDGES]
    if asked not in [design for _, design in rows]:
        rows.append(("yours", asked))
    return rows


def plan_table(designs: Sequence[tuple[str, Design]], difference: float | None, seed: int) -> Table:
    """The smallest difference that each design finds, or its power for a given one."""
    columns = [
        Column("design", align="left"),
        Column("judges", digits=0),
        Column("items a model", digits=0),
        Column("ratings an item", digits=0),
        Column("each rates", digits=0),
    ]
    for kind in KINDS:
        columns += [Column(f"{kind} variance"), Column(f"{kind}, all pairs")]
    rows = []
    for name, design in designs:
        each = design.total / design.judges
        row: list[Cell] = [
            name,
            *map(float, (design.judges, design.items, design.ratings)),
            round(each),
        ]
        for variances in KINDS.values():
            power = Power(design, variances, seed)
            row += [_figure(power, count, difference) for count in (1, max(1, design.pairs))]
        rows.append(row)
    what = (
        "Smallest difference of two models, on a scale from 1 to 5, that 80 of 100 studies find"
        if difference is None
        else f"Studies of 100 that find a difference of {difference:g}"
    )
    return Table.of_rows(what, columns, rows, _notes(seed), fixed=1)


def _figure(power: Power, comparisons: int, difference: float | None) -> str:
    if difference is not None:
        return f"{100 * power.of(difference, comparisons):.0f}"
    smallest = power.smallest(comparisons)
    # A scale from 1 to 5 has no larger difference.
    return f"{smallest:.2f}" if smallest <= 4 else "none"


def _notes(seed: int) -> list[str]:
    def said(variances: Variances) -> str:
        return (
            f"items {variances.item}, judges who prefer a model {variances.judge_model}, single"
            f" ratings {variances.noise}"
        )

    return [
        "Items and judges are both sources of chance. Two-sided test at 5 %; all pairs: for one of"
        " all pairs of models, with Holm's correction.",
        f"Variances: low has {said(LOW)}; high has {said(HIGH)}. They are examples, of judges who"
        " largely agree and of judges who do not; a pilot tells where yours are.",
        f"Simulated, seed {seed}: figures are exact to about 2 %.",
    ]
