"""Generated blocks of a page: all between two markers is made anew, the rest stays.

A question comes from the file of the experiment, all else from the ledger. A block begins with
`<!-- begin KIND EXPERIMENT [BASE] -->` and ends with `<!-- end -->`, each alone on its line. Kinds:
question, table, differences, distances, samples, provenance.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from sda.errors import UserError
from sda.files import naming, write_text
from sda.reproduction.contrasts import difference_sheet, distance_sheet
from sda.reproduction.definitions import chosen, experiment
from sda.reproduction.ledger import Ledger
from sda.reproduction.provenance import provenance
from sda.reproduction.tables import BaseTable, base_tables
from sda.show.markup import as_markdown
from sda.show.table import Table

END = "<!-- end -->"
NO_RUNS = "No runs yet.\n"
WIDTH = 110  # letters in a line of text
_BEGIN = re.compile(r"<!--\s*begin\b(.*)-->")


def update_page(path: Path, ledger: Ledger, profile: str) -> bool:
    """The page on the disk has its blocks from the ledger; whether that changed it."""
    try:
        with naming(path):
            before = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8 text") from None
    after = updated(before, ledger, profile, str(path))
    if after != before:
        write_text(path, after)
    return after != before


def updated(text: str, ledger: Ledger, profile: str, name: str) -> str:
    """The text with its blocks from the ledger; a wrong marker raises with the line of `name`."""
    # A page has several blocks of an experiment, and to plan its jobs takes a while.
    tables = cache(lambda name: base_tables(experiment(name), ledger, profile))
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


def _block(words: Sequence[str], read: Callable[[str], list[BaseTable]], where: str) -> str:
    """What belongs between the markers, with an empty line at both ends."""
    if not words or words[0] not in KINDS or not 2 <= len(words) <= 3:
        wanted = f"<!-- begin {'|'.join(KINDS)} EXPERIMENT [BASE] -->"
        raise UserError(f"{where}: a block begins with '{wanted}'")
    try:
        known = {table.base: table for table in read(words[1])}
        bases = chosen(words[2:] or None, list(known), "model")
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    tables = [known[base] for base in bases]
    is_ready = words[0] == "question" or any(table.has_runs for table in tables)
    content = KINDS[words[0]](tables) if is_ready else NO_RUNS
    return f"\n{content}\n"


def _sheets(make: Callable[[BaseTable], Table]) -> Callable[[Sequence[BaseTable]], str]:
    def content(tables: Sequence[BaseTable]) -> str:
        sheets = [make(table) for table in tables if table.has_runs]
        return "\n".join(as_markdown(sheet) for sheet in sheets if sheet.groups) or NO_RUNS

    return content


def _question(tables: Sequence[BaseTable]) -> str:
    """What the experiment asks, and what differs from the paper."""
    parts = tables[0].experiment.introduction()
    return "\n\n".join(textwrap.fill(part, WIDTH) for part in parts) + "\n"


def _samples(tables: Sequence[BaseTable]) -> str:
    """The kept samples of each row, of the first seed there is."""
    parts = []
    for table in tables:
        for row in table.rows:
            for seed, record in list(row.records.items())[:1]:
                texts = "\n".join(record.data["samples"])
                parts.append(f"{row.title}, seed {seed}:\n\n```text\n{texts}\n```\n")
    return "\n".join(parts)


KINDS: dict[str, Callable[[Sequence[BaseTable]], str]] = {
    "question": _question,
    "table": _sheets(BaseTable.sheet),
    "differences": _sheets(difference_sheet),
    "distances": _sheets(distance_sheet),
    "samples": _samples,
    "provenance": provenance,
}
