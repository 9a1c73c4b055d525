"""A study in the form of the paper's crowd platform: a page with places, and a table that fills
them.

Each row of the table is one task for one worker, with a block's pages under each other. Nothing in
either names a model, and a hidden repeat looks like any other page.
"""

from __future__ import annotations

import html

from jinja2 import Environment, PackageLoader, StrictUndefined

from sda.studies.cells import as_csv, harmless
from sda.studies.study import Item, Study

RESULT_BLOCK = "Input.block"
_PARTS = ("source", "text", "other_text")


def hit_table(study: Study) -> str:
    """A row for each block; blocks that are a page shorter end in empty cells."""
    pages = max(map(len, study.blocks))
    header = ["block", *(f"{part}_{page}" for page in range(1, pages + 1) for part in _PARTS)]
    rows = []
    for number, block in enumerate(study.blocks, 1):
        cells = [cell for slot in block for cell in _cells(study.by_id[slot.item])]
        rows.append([number, *cells, *[""] * (len(_PARTS) * pages - len(cells))])
    return as_csv(header, rows)


def hit_page(study: Study) -> str:
    """The page of a task, in which the platform puts cells of the table in the place of ${name}."""
    environment = Environment(
        loader=PackageLoader("sda.studies"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("hit.html").render(
        title=study.title,
        guide=study.guide,
        criteria=study.criteria,
        values=list(study.values),
        words={1: "A is better", 2: "About the same", 3: "B is better"}
        if study.task == "pairs"
        else {},
        is_pairs=study.task == "pairs",
        has_source=any(item.source is not None for item in study.items),
        pages=min(map(len, study.blocks)),
        longest=max(map(len, study.blocks)),
    )


def answer_name(page: int, criterion: str) -> str:
    """What an answer is called in the page, and behind `Answer.` in the platform's results."""
    return f"rating_{page}_{criterion}"


def _cells(item: Item) -> list[str]:
    """The platform puts cells into the page as they are, so they are markup already."""
    return [_marked(text) for text in (item.source or "", *[*item.texts, ""][:2])]


def _marked(text: str) -> str:
    escaped = html.escape(text)
    # Neither a formula for a spreadsheet nor a quotation mark too many for workers.
    return f"&#{ord(text[0])};{html.escape(text[1:])}" if harmless(text) != text else escaped
