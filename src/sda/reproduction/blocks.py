"""Generated blocks of a page: all between two markers is made anew, the rest stays.

A question comes from the file of the experiment, all else from the ledger. A block begins with
`<!-- begin KIND EXPERIMENT [BASE] -->` and ends with `<!-- end -->`, each alone on its line. Kinds:
question, table, samples, provenance. Behind them `rows=NAME,NAME` leaves out all other rows, and
`scores=NAME,NAME` says which columns a table has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from sda.errors import UserError
from sda.files import naming, write_text
from sda.reproduction.definitions import Portion, chosen, experiment
from sda.reproduction.ledger import Ledger
from sda.reproduction.provenance import paragraphs, provenance
from sda.reproduction.rewriting_blocks import rewriting_block
from sda.reproduction.rewriting_rows import rewriting_experiment, rewriting_names
from sda.reproduction.rewriting_tables import RewritingTable, rewriting_tables
from sda.reproduction.short_tables import short_sheet
from sda.reproduction.tables import BaseTable, base_tables
from sda.show.markup import as_markdown

END = "<!-- end -->"
NO_RUNS = "No runs yet.\n"
TablesOf = Callable[[str], Sequence[BaseTable | RewritingTable]]
_BEGIN = re.compile(r"<!--\s*begin\b(.*)-->")


def pages_of(path: Path) -> list[Path]:
    """The page itself, or all pages of a folder."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.md"))
    if not found:
        raise UserError(f"{path}: no page (a file that ends in .md) in this folder")
    return found


def tables_of(ledger: Ledger, profile: str) -> TablesOf:
    """From the name of an experiment to its tables, which are read once: that takes a while."""

    @cache
    def read(name: str) -> Sequence[BaseTable | RewritingTable]:
        if name in rewriting_names():
            return rewriting_tables(rewriting_experiment(name), ledger, Portion(profile))
        return base_tables(experiment(name), ledger, Portion(profile))

    return read


def update_page(path: Path, tables: TablesOf) -> bool:
    """The page on the disk has its blocks from the ledger; whether that changed it."""
    try:
        with naming(path):
            before = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8 text") from None
    after = updated(before, tables, str(path))
    if after != before:
        write_text(path, after)
    return after != before


def updated(text: str, tables: TablesOf, name: str) -> str:
    """The text with its blocks from the ledger; a wrong marker raises with the line of `name`."""
    kept: list[str] = []
    begun: int | None = None
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        words = line.strip()
        begin = _BEGIN.fullmatch(words)
        if begin is not None:
            if begun is not None:
                raise UserError(f"{name}, line {begun}: this block has no '{END}'")
            begun = number
            kept += [line, _block(begin[1].split(), tables, f"{name}, line {number}")]
        elif words == END:
            if begun is None:
                raise UserError(f"{name}, line {number}: '{END}' ends no block")
            begun = None
            kept.append(line)
        elif begun is None:
            kept.append(line)
    if begun is not None:
        raise UserError(f"{name}, line {begun}: this block has no '{END}'")
    return "".join(kept)


def _block(words: Sequence[str], read: TablesOf, where: str) -> str:
    """What belongs between the markers, with an empty line at both ends."""
    names = [word for word in words if "=" not in word]
    options = dict(word.split("=", 1) for word in words if "=" in word)
    is_known = names and names[0] in KINDS and options.keys() <= set(OPTIONS)
    if not is_known or not 2 <= len(names) <= 3:
        choices = " ".join(f"[{option}=NAME,NAME]" for option in OPTIONS)
        wanted = f"<!-- begin {'|'.join(KINDS)} EXPERIMENT [BASE] {choices} -->"
        raise UserError(f"{where}: a block begins with '{wanted}'")
    rows, scores = (_listed(options.get(option)) for option in OPTIONS)
    try:
        known = {table.base: table for table in read(names[1])}
        bases = chosen(names[2:] or None, list(known), "model")
        content = _content(names[0], [known[base] for base in bases], rows, scores)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    return f"\n{content}\n"


def _content(
    kind: str,
    tables: Sequence[BaseTable | RewritingTable],
    rows: Sequence[str],
    scores: Sequence[str],
) -> str:
    usual = [_with_rows(table, rows) for table in tables if isinstance(table, BaseTable)]
    if kind != "question" and not any(table.has_runs for table in usual or tables):
        return NO_RUNS
    if usual:
        return KINDS[kind](usual, scores)
    if rows or scores:
        raise UserError("tables of style transfer take neither rows nor scores")
    return rewriting_block(kind, [each for each in tables if isinstance(each, RewritingTable)])


def _listed(option: str | None) -> list[str]:
    return [] if option is None else option.split(",")


def _with_rows(table: BaseTable, names: Sequence[str]) -> BaseTable:
    """The table with these rows only; with all of them if none is named."""
    wanted = chosen(names or None, [row.name for row in table.rows], "row")
    return replace(table, rows=[row for row in table.rows if row.name in wanted])


def _table(tables: Sequence[BaseTable], scores: Sequence[str]) -> str:
    return as_markdown(short_sheet(tables, scores))


def _question(tables: Sequence[BaseTable], _: Sequence[str]) -> str:
    """What the experiment asks, and what differs from the paper."""
    return paragraphs(tables[0].experiment.introduction())


def _samples(tables: Sequence[BaseTable], _: Sequence[str]) -> str:
    """The kept samples of each row, of the first seed there is."""
    parts = []
    for table in tables:
        for row in table.rows:
            for seed, record in list(row.records.items())[:1]:
                texts = "\n".join(record.data["samples"])
                parts.append(f"{row.title}, seed {seed}:\n\n```text\n{texts}\n```\n")
    return "\n".join(parts)


def _provenance(tables: Sequence[BaseTable], _: Sequence[str]) -> str:
    return provenance(tables)


KINDS: dict[str, Callable[[Sequence[BaseTable], Sequence[str]], str]] = {
    "question": _question,
    "table": _table,
    "samples": _samples,
    "provenance": _provenance,
}
OPTIONS = ("rows", "scores")
