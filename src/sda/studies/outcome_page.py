"""The outcome of a study as one page."""

from __future__ import annotations

from collections.abc import Sequence

from sda.show.page import render
from sda.show.table import Table
from sda.studies.cautions import cautions
from sda.studies.outcome import Outcome
from sda.studies.outcome_figure import outcome_drawings


def outcome_page(outcome: Outcome, tables: Sequence[Table]) -> str:
    """Cautions first, then the picture and the tables."""
    study = outcome.study
    return render(
        "study.html",
        f"{study.title}: results",
        facts=outcome.plan,
        cautions=cautions(outcome),
        drawings=outcome_drawings(outcome),
        tables=tables,
        questions=[f"{each.name}: {each.question}" for each in study.criteria],
    )
