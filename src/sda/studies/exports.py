"""All ratings in a file, with judges as numbers and models by name: for the owner alone."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sda.studies.cells import as_csv
from sda.studies.ratings import Given
from sda.studies.study import Study

COLUMNS = (
    *("judge", "item", "model", "other_model", "question", "value", "is_repeat", "is_check"),
    *("text", "other_text", "source", "comment"),
)


def rating_rows(
    study: Study, given: Sequence[Given], comments: dict[tuple[int, str, bool], str]
) -> list[dict[str, object]]:
    """One for each answer."""
    rows = []
    for judge, item_id, is_repeat, criterion, value in given:
        item = study.by_id[item_id]
        models, texts = [*item.models, "", ""], [*item.texts, ""]
        rows.append(
            {
                "judge": judge,
                "item": item_id,
                "model": models[0],
                "other_model": models[1],
                "question": criterion,
                "value": value,
                "is_repeat": int(is_repeat),
                "is_check": int(item.is_check),
                "text": texts[0],
                "other_text": texts[1],
                "source": item.source or "",
                "comment": comments.get((judge, item_id, is_repeat), ""),
            }
        )
    return rows


def ratings_as_csv(rows: Sequence[dict[str, object]]) -> str:
    return as_csv(COLUMNS, ([row[name] for name in COLUMNS] for row in rows))


def ratings_as_jsonl(rows: Sequence[dict[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


TASK_COLUMNS = ("block", "page", "item", "is_repeat", "source", "text", "other_text")


def tasks_as_csv(study: Study) -> str:
    """Every page of every block, for any other tool; no model is named."""

    def rows() -> list[list[object]]:
        return [
            [
                block,
                page,
                slot.item,
                int(slot.is_repeat),
                study.by_id[slot.item].source or "",
                *[*study.by_id[slot.item].texts, ""][:2],
            ]
            for block, slots in enumerate(study.blocks, 1)
            for page, slot in enumerate(slots, 1)
        ]

    return as_csv(TASK_COLUMNS, rows())
