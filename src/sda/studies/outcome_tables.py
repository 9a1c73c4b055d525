"""The outcome of a study as tables, which every form is written from."""

from __future__ import annotations

from collections.abc import Sequence

from sda.show.table import NAMES, Cell, Column, Figure, Group, Table
from sda.studies.agreement import Alpha
from sda.studies.cautions import cautions
from sda.studies.outcome import CriterionOutcome, Outcome
from sda.studies.proxies import Correlation, Proxy

LEAST_P = 0.001


def outcome_tables(
    outcome: Outcome, proxies: Sequence[Proxy] = (), found: Sequence[Correlation] = ()
) -> list[Table]:
    """Models, pairs of models, agreement, automatic scores; cautions are alarms of the first."""
    tables = [_models(outcome)]
    if any(each.pairs for each in outcome.criteria):
        tables.append(_pairs(outcome))
    tables.append(_agreement(outcome))
    if proxies and found:
        tables.append(_correlations(proxies, found))
    return tables


def _models(outcome: Outcome) -> Table:
    is_pairs = outcome.study.task == "pairs"
    title = "share of choices won" if is_pairs else "mean rating"
    columns = [NAMES, Column(f"{title} (95 % interval)", digits=2), Column("ratings", digits=0)]
    columns.append(Column(_value_names(outcome), is_whole=True))
    if is_pairs:
        columns.append(Column("strength (95 % interval)", digits=2))
    groups = []
    for each in outcome.criteria:
        rows: list[list[Cell]] = []
        for model in each.models:
            row: list[Cell] = [model.model, Figure(model.value, 2, interval=model.interval)]
            row += [float(model.ratings), " / ".join(map(str, model.counts))]
            if model.strength is not None:
                row.append(Figure(model.strength, 2, interval=model.strength_interval))
            rows.append(row)
        groups.append(Group(_heading(each, outcome), rows))
    judges = "unknown judges" if outcome.judges is None else f"{outcome.judges} judges"
    notes = [
        f"{outcome.ratings:,} pages were rated by {judges}. {outcome.plan}",
        f"Excluded by the frozen rule ({outcome.study.rules.exclusion}): {_excluded(outcome)}.",
        "Intervals are over other items and other judges."
        if outcome.judges is not None
        else "Intervals are over other items.",
    ]
    if is_pairs:
        notes.append("Strengths are those of Bradley and Terry with ties; their sum is zero.")
    if outcome.study.real is not None:
        notes.append(f"{outcome.study.real} is text by people.")
    return Table("Models", columns, groups, notes, cautions(outcome))


def _pairs(outcome: Outcome) -> Table:
    columns = [
        NAMES,
        Column("difference (95 % interval)", digits=2),
        Column("p", is_whole=True),
        Column("p, Holm", is_whole=True),
        Column("visible from", digits=2),
        Column("verdict", align="left"),
    ]
    groups = [
        Group(
            _heading(each, outcome),
            [
                [
                    f"{pair.first} - {pair.second}",
                    Figure(pair.value, 2, interval=pair.interval, is_signed=True),
                    _p(pair.p),
                    _p(pair.corrected),
                    pair.visible,
                    "differ" if pair.is_claimed else "not shown",
                ]
                for pair in each.pairs
            ],
        )
        for each in outcome.criteria
    ]
    tests = sum(len(each.pairs) for each in outcome.criteria)
    notes = [
        f"Test: {outcome.study.rules.test}; {tests} comparisons. Differences are those within"
        " judges, so they may differ a little from those of the means.",
        "Visible from: the smallest difference that ratings like these find in 80 of 100 studies,"
        " before Holm's correction.",
    ]
    return Table("Pairs of models", columns, groups, notes)


def _agreement(outcome: Outcome) -> Table:
    columns = [
        NAMES,
        Column("alpha (95 % interval)", digits=2),
        Column("with excluded judges", digits=2),
        Column("items", digits=0),
        Column("repeats", digits=0),
        Column("same again", align="right"),
        Column("at most one apart", align="right"),
    ]
    rows: list[list[Cell]] = []
    for each in outcome.criteria:
        again = each.consistency
        rows.append(
            [
                each.criterion.name,
                _alpha(each.alpha),
                _alpha(each.alpha_of_all),
                None if each.alpha is None else float(each.alpha.items),
                None if again is None else float(again.count),
                None if again is None else f"{100 * again.same:.0f} %",
                None if again is None else f"{100 * again.near:.0f} %",
            ]
        )
    notes = [
        "Alpha: Krippendorff's, for ordinal ratings; 1 is perfect agreement, 0 that of chance."
    ]
    return Table.of_rows("Agreement", columns, rows, notes)


def _correlations(proxies: Sequence[Proxy], found: Sequence[Correlation]) -> Table:
    columns = [
        NAMES,
        Column("rank correlation with ratings (95 % interval)", digits=2),
        Column("items", digits=0),
        Column("between models", digits=2),
    ]
    names = list(dict.fromkeys(each.criterion for each in found))
    groups = [
        Group(
            name,
            [
                [
                    each.proxy,
                    Figure(each.value, 2, interval=each.interval, is_signed=True),
                    float(each.items),
                    each.of_models,
                ]
                for each in found
                if each.criterion == name
            ],
        )
        for name in names
    ]
    notes = [f"{proxy.name}: {proxy.about}." for proxy in proxies]
    return Table("Automatic scores of the same texts", columns, groups, notes)


def as_dict(
    outcome: Outcome, proxies: Sequence[Proxy] = (), found: Sequence[Correlation] = ()
) -> dict[str, object]:
    """All figures, with numbers as they are, ready for JSON."""
    return {
        "plan": outcome.plan,
        "is_plan_kept": outcome.is_plan_kept,
        "sha256": outcome.study.fingerprint,
        "rules": outcome.study.rules.model_dump(),
        "judges": outcome.judges,
        "excluded": {str(judge): list(checks) for judge, checks in outcome.excluded.items()},
        "ratings": outcome.ratings,
        "planned": outcome.planned,
        "cautions": [{"of": name, "caution": text} for name, text in cautions(outcome)],
        "criteria": [_criterion(each) for each in outcome.criteria],
        "automatic": [vars(each) for each in found],
        "automatic_scores": [{"name": proxy.name, "about": proxy.about} for proxy in proxies],
    }


def _criterion(each: CriterionOutcome) -> dict[str, object]:
    return {
        "name": each.criterion.name,
        "question": each.criterion.question,
        "models": [vars(model) for model in each.models],
        "pairs": [{**vars(pair), "is_claimed": pair.is_claimed} for pair in each.pairs],
        "alpha": each.alpha and vars(each.alpha),
        "alpha_of_all": each.alpha_of_all and vars(each.alpha_of_all),
        "consistency": each.consistency and vars(each.consistency),
    }


def _value_names(outcome: Outcome) -> str:
    if outcome.study.task == "pairs":
        return "lost / tied / won"
    return "rated " + " / ".join(map(str, outcome.study.values))


def _heading(each: CriterionOutcome, outcome: Outcome) -> str:
    return each.criterion.name if len(outcome.criteria) > 1 else ""


def _excluded(outcome: Outcome) -> str:
    return (
        ", ".join(
            f"judge {judge} ({failed} of {checks} checks failed)"
            for judge, (failed, checks) in outcome.excluded.items()
        )
        or "nobody"
    )


def _p(value: float) -> str:
    return f"< {LEAST_P}" if value < LEAST_P else f"{value:.3f}"


def _alpha(alpha: Alpha | None) -> Figure | None:
    return None if alpha is None else Figure(alpha.value, 2, interval=alpha.interval)
