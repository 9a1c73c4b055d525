"""Word-level augmentation of labelled rows: every new version has the label of its row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sda.baselines.file_edits import Counts, Progress, Recipe, edit_texts
from sda.errors import UserError
from sda.files import refuse_overlap
from sda.labelled.augmented_rows import ORIGINAL
from sda.labelled.labelled_rows import check_table_name, read_labelled, write_rows


def edit_labelled(
    path: Path, out: Path, text: str, label: str, recipe: Recipe, progress: Progress
) -> Counts:
    """`out` is a table with each row as it was, followed by its new versions.

    New versions have the text and the label alone; `source` says by which method they were made.
    """
    if recipe.column is not None or recipe.field is not None:
        raise UserError("--label goes with --text, which names the column or field of the text.")
    refuse_overlap({"--out": out}, (path, recipe.synonyms))
    check_table_name("--out", out)
    rows = read_labelled(path, text, label)
    if "source" in rows.columns:
        raise UserError(f"{path} has a column 'source', which is written here; rename it.")
    found = edit_texts(rows.texts, recipe, path, progress)
    table: list[dict[str, Any]] = []
    place = 0
    for entry in rows.entries:
        table.append({**entry, "source": ORIGINAL})
        if not entry[text].strip():
            continue
        for version in found.texts[place : place + recipe.per_sentence]:
            table.append({text: version, label: entry[label], "source": recipe.method})
        place += recipe.per_sentence
    write_rows(out, [*rows.columns, "source"], table)
    return found.counts
