"""A study: what is shown to whom, what is asked, and the rules that are fixed beforehand.

All of it is one file, `study.json`, with a hash over every part: the frozen plan. The folder also
holds the ratings (`store.py`). Names of models stand in this file and leave it for no page.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from sda.errors import UserError
from sda.files import naming, read_json, remove_stale_parts, write_json

FORMAT = 1

EXCLUSION = "a judge who fails more than half of the attention checks that they answered"
CHECK_RULE = (
    "a sentence with its words in random order has to be rated below the middle of the scale; in"
    " pairs the sentence in its own order has to be chosen over it"
)
TEST = (
    "permutation of items between two models, with judges as a second source of chance, two-sided,"
    " Holm's correction over all pairs of models and all questions, level 0.05"
)
INTERVAL = "95 %, bootstrap over items and over judges"


class Part(BaseModel):
    """A piece of a study that cannot be changed and has no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Criterion(Part):
    """One question about an item."""

    name: str
    question: str
    low: str = "very bad"
    """What the lowest rating means."""
    high: str = "very good"


class Item(Part):
    """What stands on one page: a text, or two to choose from, and a source where there is one."""

    id: str
    texts: list[str]
    models: list[str]
    """Who wrote each text; empty for a check."""
    source: str | None = None
    line: int | None = None
    """Which line of the files it is, where these belong together line by line."""
    good: int | None = None
    """For a check in pairs: which text has its own order, 1 or 3."""

    @property
    def is_check(self) -> bool:
        return not self.models


class Slot(Part):
    """One page of a judge; a hidden repeat shows an item once more."""

    item: str
    is_repeat: bool = False


class Rules(Part):
    """What is done with the ratings, said before there are any."""

    exclusion: str = EXCLUSION
    check: str = CHECK_RULE
    test: str = TEST
    interval: str = INTERVAL
    duplicates: str = ""


class Study(Part):
    """A whole study as it was planned."""

    format: int = FORMAT
    title: str
    task: Literal["scale", "pairs"]
    low: int
    high: int
    criteria: list[Criterion]
    guide: str
    models: list[str]
    real: str | None
    """The name of the model that is no model but people."""
    ratings: int
    """How many an item is to get."""
    seed: int
    rules: Rules
    removed: dict[str, int]
    """For each model how many texts were taken out as duplicates."""
    is_imported: bool = False
    """Whether the ratings were there before the study, so that nothing was fixed beforehand."""
    items: list[Item]
    blocks: list[list[Slot]]
    """The pages of a judge, for as many judges as were planned."""

    @model_validator(mode="after")
    def _holds_together(self) -> Study:
        """Whatever is referred to is there: a file may have been edited, or damaged."""
        names = set(self.models)
        if len(self.by_id) < len(self.items):
            raise ValueError("two items have the same id")
        for item in self.items:
            if not names.issuperset(item.models):
                raise ValueError(f"item {item.id!r} is by a model that the study does not name")
            texts = 2 if self.task == "pairs" else 1
            if len(item.texts) != texts or len(item.models) not in (0, texts):
                raise ValueError(f"item {item.id!r} has {len(item.texts)} texts, not {texts}")
        if any(slot.item not in self.by_id for block in self.blocks for slot in block):
            raise ValueError("a page shows an item that the study does not have")
        if not self.criteria:
            raise ValueError("there is no question")
        return self

    @cached_property
    def by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}

    @property
    def fingerprint(self) -> str:
        """The hash of the frozen plan: of texts, questions, blocks and rules."""
        text = json.dumps(self.model_dump(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def values(self) -> range:
        """The ratings that may be given."""
        return range(self.low, self.high + 1)

    @property
    def rated(self) -> list[Item]:
        """The items that are about models."""
        return [item for item in self.items if not item.is_check]

    @property
    def checked_criterion(self) -> str:
        """The question that checks are about: fluency, where that is asked."""
        names = [criterion.name for criterion in self.criteria]
        return "fluency" if "fluency" in names else names[0]

    def block(self, number: int) -> list[Slot]:
        """The pages of a block; a judge whose ratings were imported has none."""
        return self.blocks[number] if number >= 0 else []

    def passes(self, item: Item, value: int) -> bool:
        """Whether the answer to a check is that of somebody who reads."""
        if self.task == "pairs":
            return value == item.good
        return 2 * value < self.low + self.high


class StudyFolder:
    """Where a study stands on the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plan = path / "study.json"
        self.store = path / "ratings.sqlite"
        self.lock = path / "server.lock"

    @property
    def exists(self) -> bool:
        return self.plan.is_file()

    def begin(self, study: Study) -> None:
        """The folder holds the study; one that holds anything else is refused."""
        with naming(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            remove_stale_parts(self.path)
            others = sorted(entry.name for entry in self.path.iterdir())
        if others:
            raise UserError(
                f"{self.path}: not empty (it holds {others[0]}); name a new folder for the study"
            )
        write_json(self.plan, {"sha256": study.fingerprint, "study": study.model_dump()})

    def study(self) -> Study:
        """The study as it stands in the file now."""
        return _study(self.plan, self._read().get("study"))

    def written_fingerprint(self) -> str:
        """The hash that was written down when the study was made."""
        return str(self._read().get("sha256"))

    def _read(self) -> dict[str, Any]:
        if not self.exists:
            raise UserError(
                f"{self.path}: not a study (no study.json in it); `sda judge new` makes one"
            )
        data = read_json(self.plan)
        if not isinstance(data, dict):
            raise UserError(f"{self.plan}: not the plan of a study")
        return data


def _study(path: Path, data: Any) -> Study:
    try:
        found = Study.model_validate(data)
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(str(part) for part in problem["loc"])
        raise UserError(f"{path}: '{key}': {problem['msg']}") from None
    if found.format != FORMAT:
        raise UserError(f"{path}: written in format {found.format}, not {FORMAT}")
    return found
