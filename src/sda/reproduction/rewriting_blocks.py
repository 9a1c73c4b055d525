"""Generated blocks of a page that are about style transfer."""

from __future__ import annotations

from collections.abc import Sequence

from sda.reproduction.provenance import paragraphs, record_facts
from sda.reproduction.rewriting_tables import RewritingTable
from sda.show.markup import as_markdown


def rewriting_block(kind: str, tables: Sequence[RewritingTable]) -> str:
    """What a block of this kind holds: question, table, samples or provenance."""
    experiment = tables[0].experiment
    if kind == "question":
        return paragraphs(experiment.introduction())
    if kind == "provenance":
        return _provenance(tables)
    ready = [table for table in tables if table.has_runs]
    if kind == "samples":
        return "\n".join(as_markdown(sheet) for table in ready if (sheet := table.examples()))
    return "\n".join(as_markdown(sheet) for table in ready for sheet in table.figures())


def _provenance(tables: Sequence[RewritingTable]) -> str:
    """The command that makes the records, and facts about them."""
    experiment = tables[0].experiment
    records = [record for table in tables for record in table.records]
    return (
        f"```\nsda reproduce {experiment.name} --data DATA\n```\n\n`sda table {experiment.name}"
        " --all` prints all tables.\n\n"
    ) + "".join(f"- {fact}\n" for fact in record_facts(records))
