"""Where the figures of an experiment come from: command, seeds, commits, packages, time."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from sda.reproduction.ledger import RunRecord
from sda.reproduction.tables import BaseTable

HOUR = 3600
WIDTH = 110  # letters in a line of text


def provenance(tables: Sequence[BaseTable]) -> str:
    """Commands that make the runs and tell the rest, and facts about the runs, as Markdown."""
    experiment, profile = tables[0].experiment, tables[0].profile
    reads_files = experiment.source not in ("captions", "oracle")
    command = f"sda reproduce {experiment.name} --profile {profile}"
    command += " --data DATA" if reads_files else ""
    records = used_records(tables)
    facts = [*(f"{table.base}: {_seeds(table)}" for table in tables), *record_facts(records)]
    rest = (
        f"`sda table {experiment.name} --all` prints all columns, the differences between rows with"
        " their intervals, and the distances from the curve of the start on every plane.\n\n"
    )
    return f"```\n{command}\n```\n\n{rest}" + "".join(f"- {fact}\n" for fact in facts)


def record_facts(records: Sequence[RunRecord]) -> list[str]:
    """Commits, packages, place and time of the records."""
    return [
        f"commits: {_counted([str(record.data['commit']) for record in records])}",
        f"packages: {'; '.join(sorted({_packages(record) for record in records}))}",
        f"ledger: {_counted([f'results/{record.path.parent.name}' for record in records])}",
        f"CPU time: {sum(record.own_cost('cpu_seconds') for record in records) / HOUR:.1f} hours",
    ]


def paragraphs(parts: Sequence[str]) -> str:
    """Sentences as Markdown in lines of one length."""
    return "\n\n".join(textwrap.fill(part, WIDTH) for part in parts) + "\n"


def used_records(tables: Sequence[BaseTable]) -> list[RunRecord]:
    """Each record behind the tables once, with those of the starts, ordered by their files."""
    found: dict[str, RunRecord] = {}
    for table in tables:
        for row in table.rows:
            keys = [record.key for record in row.records.values()]
            keys += [row.starts[seed] for seed in row.records]
            for key in keys:
                record = row.ledger.find(key)
                if record is not None:
                    found[key] = record
    return sorted(found.values(), key=lambda record: record.path)


def _seeds(table: BaseTable) -> str:
    """Which seeds there are; where rows differ, of how many rows."""
    counts = Counter(tuple(sorted(row.records)) for row in table.rows)
    parts = []
    for seeds, count in sorted(counts.items(), key=lambda item: (-len(item[0]), item[0])):
        rows = "all rows" if count == len(table.rows) else f"{count} of {len(table.rows)} rows"
        numbers = ", ".join(map(str, seeds))
        kind = "no run" if not seeds else f"seed{'s' if len(seeds) > 1 else ''} {numbers}"
        parts.append(f"{kind} ({rows})")
    return "; ".join(parts)


def _packages(record: RunRecord) -> str:
    return ", ".join(f"{name} {version}" for name, version in record.data["packages"].items())


def _counted(names: Sequence[str]) -> str:
    counts = sorted(Counter(names).items())
    return ", ".join(f"{name} ({count} run{'s' if count > 1 else ''})" for name, count in counts)
