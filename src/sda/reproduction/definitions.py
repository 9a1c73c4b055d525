"""The experiments as files: a base file for each, and one file for each row of its table.

`configs/experiments/NAME/experiment.toml` says what all rows share, `ROW.toml` beside it what a row
changes. Values of a profile that only this experiment, or only this row, changes stand in the same
file under `[profiles.NAME]`. With `like = "OTHER"` source, settings and profiles are those of
another experiment, under the experiment's own, so that the two can have runs in common.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from sda.errors import UserError
from sda.training.stages import Section

BASE_FILE = "experiment.toml"
SHARED = ("source", "settings", "profiles")
T = TypeVar("T", bound=Section)


class RowDefinition(Section):
    """One row of a table: a method, what it changes, and what the paper has for it."""

    name: str
    """The name of the file."""
    title: str
    """As it stands in the table, behind the name of the base."""
    method: str
    """A file in `configs/methods`."""
    preset: str = "paper"
    """A file in `configs/presets`."""
    metric: str | None = None
    """As after --metric; by default what preset and method say."""
    is_control: bool = False
    """Whether the row is a control that the paper does not have."""
    bases: list[str] | None = None
    """The bases that have this row; by default all of the experiment."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """What this row alone changes."""
    profiles: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """What this row alone changes in a profile."""
    paper: dict[str, dict[str, float]] = Field(default_factory=dict)
    """For each base the paper's figures by score."""

    @property
    def percent(self) -> float:
        """How much of the training text the row takes."""
        return 100 * float(self.settings.get("data", {}).get("share", 1))


class Experiment(Section):
    """One experiment of the paper, or one that asks what the paper did not."""

    name: str
    number: str
    """The number of the specification, such as E2; empty for what the paper does not have."""
    title: str
    source: str
    """`captions`, `oracle`, or a file of the data folder, also behind `oracle:`."""
    question: str
    """What the table is to answer, in a sentence."""
    note: str = ""
    """What differs from the paper, in sentences."""
    rows: list[str]
    """Names of row files in the order of the table."""
    scores: list[str]
    """Columns that the paper has."""
    beside: list[str]
    """Columns that have to stand beside them: the diversity side, novelty, cost."""
    seeds: dict[str, int]
    """For each base how many seeds there are, from 0 on."""
    settings: dict[str, Any] = Field(default_factory=dict)
    profiles: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Values that only this experiment changes in a profile."""
    paper_real: dict[str, float] = Field(default_factory=dict)
    """What the paper has for real text."""

    @property
    def bases(self) -> list[str]:
        return list(self.seeds)

    def row_definitions(self) -> list[RowDefinition]:
        """The rows in the order of the table."""
        return [_row(self.name, row) for row in self.rows]

    def heading(self) -> str:
        return f"{self.number} {self.title}".strip()

    def introduction(self) -> list[str]:
        """The question, and what differs from the paper."""
        return [part for part in (self.question, self.note.strip()) if part]


def experiment_names() -> list[str]:
    """The names of all experiments."""
    return sorted(entry.name for entry in _folder().iterdir() if entry.is_dir())


def experiment(name: str) -> Experiment:
    """The experiment of that name; an unknown name raises one sentence that lists them."""
    if name not in experiment_names():
        raise UserError(f"unknown experiment {name!r} (known: {', '.join(experiment_names())})")
    own = _read(name, BASE_FILE)
    other = _read(own.pop("like"), BASE_FILE) if "like" in own else {}
    shared = {key: other[key] for key in SHARED if key in other}
    return _checked(Experiment, {**merged(shared, own), "name": name}, f"{name}/{BASE_FILE}")


def merged(*tables: Mapping[str, Any]) -> dict[str, Any]:
    """The tables laid over each other, section by section; the later wins."""
    found: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            below = found.get(key)
            is_section = isinstance(value, Mapping) and isinstance(below, dict)
            found[key] = merged(below, value) if is_section and below is not None else value
    return found


def chosen(wanted: Sequence[str] | None, known: Sequence[str], kind: str) -> list[str]:
    """Those of the known names that are wanted, in their own order; all if nothing is said."""
    for name in wanted or ():
        if name not in known:
            raise UserError(f"unknown {kind} {name!r} (known: {', '.join(known)})")
    return [name for name in known if wanted is None or name in wanted]


def _row(experiment: str, name: str) -> RowDefinition:
    return _checked(
        RowDefinition,
        {**_read(experiment, f"{name}.toml"), "name": name},
        f"{experiment}/{name}.toml",
    )


def _folder() -> Any:
    return resources.files("sda.configs") / "experiments"


def _read(experiment: str, file: str) -> dict[str, Any]:
    return tomllib.loads((_folder() / experiment / file).read_text(encoding="utf-8"))


def _checked(kind: type[T], data: dict[str, Any], where: str) -> T:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(str(part) for part in problem["loc"])
        raise UserError(f"experiments/{where}: '{key}': {problem['msg']}") from None
