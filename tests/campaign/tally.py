"""Counts of cases and faults, as a table for people and as JSON."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .verdicts import FAULTS
from .worker import Case

SHOWN = 3
"""Cases of each finding whose numbers are told."""


@dataclass
class Tally:
    """What came of one kind; `total` is how many cases there are, if there is an end to them."""

    kind: str
    about: str
    total: int | None
    cases: int = 0
    slowest: float = 0.0
    slowest_case: int | None = None
    findings: dict[tuple[str, str], list[Case]] = field(default_factory=dict)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, case: Case) -> None:
        self.cases += 1
        if case.seconds > self.slowest:
            self.slowest, self.slowest_case = case.seconds, case.number
        verdict = case.verdict
        if verdict.fault is not None:
            key = (verdict.fault, verdict.place)
            self.counts[key] += 1
            if self.counts[key] <= SHOWN:
                self.findings.setdefault(key, []).append(case)

    def is_new(self, case: Case) -> bool:
        """Whether the case was the first of its finding."""
        assert case.verdict.fault is not None
        return self.counts[case.verdict.fault, case.verdict.place] == 1

    def of(self, fault: str) -> int:
        return sum(count for (found, _), count in self.counts.items() if found == fault)

    @property
    def faults(self) -> int:
        return self.counts.total()


def table(campaigns: Sequence[Mapping[str, Any]]) -> str:
    """Campaigns as one table in Markdown, the findings below it, each with how to have it again."""
    head = ("kind", "what is attacked", "cases", *(f"{fault}s" for fault in FAULTS), "slowest")
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for campaign in campaigns:
        for each in campaign["kinds"]:
            kinds.setdefault(each["kind"], []).append(each)
    rows = [_counts(same) for same in kinds.values()]
    every = [each for same in kinds.values() for each in same]
    sums = (f"{sum(each[name] for each in every):,}" for name in ("cases", *FAULTS))
    rows.append(("in all", "", *sums, ""))
    made = dict.fromkeys(f"seed {each['seed']}, commit {each['commit']}" for each in campaigns)
    lines = [
        f"{'; '.join(made).capitalize()}.",
        "",
        _row(head),
        _row(["---", "---", *["---:"] * (len(head) - 2)]),
        *map(_row, rows),
    ]
    for each in every:
        for finding in each["findings"]:
            numbers = " ".join(map(str, finding["cases"]))
            lines += [
                "",
                f"- {finding['fault']}, {finding['count']} times: {finding['place']}",
                f"  {finding['tried']}",
                f"  `python -m tests.campaign --only {each['kind']} --case {finding['cases'][0]}`"
                f" (also {numbers})",
            ]
    return "\n".join(lines)


def of_kinds(campaign: Mapping[str, Any], names: Sequence[str] | None) -> Mapping[str, Any]:
    """The campaign with these kinds alone; all of it without names."""
    if names is None:
        return campaign
    return {**campaign, "kinds": [each for each in campaign["kinds"] if each["kind"] in names]}


def _counts(same: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """The row of a kind, from all campaigns that had it."""
    cases, total = sum(each["cases"] for each in same), same[0]["total"]
    return (
        same[0]["kind"],
        same[0]["about"],
        f"{cases:,}" + (f" of {total:,}" if total else ""),
        *(f"{sum(each[fault] for each in same):,}" for fault in FAULTS),
        f"{max(each['slowest'] for each in same):.1f} s",
    )


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def as_json(tallies: Sequence[Tally], seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "commit": commit(),
        "kinds": [
            {
                "kind": tally.kind,
                "about": tally.about,
                "cases": tally.cases,
                "total": tally.total,
                "slowest": round(tally.slowest, 3),
                "slowest_case": tally.slowest_case,
                **{fault: tally.of(fault) for fault in FAULTS},
                "findings": [
                    {
                        "fault": fault,
                        "place": place,
                        "count": tally.counts[fault, place],
                        "cases": [case.number for case in found],
                        "tried": found[0].verdict.tried,
                        "detail": found[0].verdict.detail,
                    }
                    for (fault, place), found in tally.findings.items()
                ],
            }
            for tally in tallies
        ],
    }


def commit() -> str:
    """The commit of this checkout, with a mark where files differ from it."""
    here = Path(__file__).parent
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    found = subprocess.run(asked, cwd=here, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"
