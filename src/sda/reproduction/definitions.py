"""The experiments as files: `configs/experiments/NAME.toml` has the question, the rows, the figure.

The top of a file is what all rows share, and each entry of `[[rows]]` is what a row changes. Values
of a profile that only this experiment, or only this row, changes stand there under
`profiles.NAME`. `[paper.BASE]` has the printed figures of a row in the order of `scores`.

With `like = "OTHER"` source, settings, profiles and panels are those of another experiment, under
the experiment's own, so that the two can have runs in common; in a row settings and profiles are
those of another row.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from sda.errors import UserError
from sda.reproduction.looks import title_of
from sda.training.stages import Section

SHARED = ("source", "settings", "profiles", "panels")
SHARED_BY_ROWS = ("settings", "profiles")
T = TypeVar("T", bound=Section)


@dataclass(frozen=True)
class Portion:
    """Which part of an experiment is meant; what is None is all that it has."""

    profile: str
    bases: Sequence[str] | None = None
    seeds: int | None = None
    """How many of them each base has."""
    rows: Sequence[str] | None = None


class RowDefinition(Section):
    """One row of a table: a method, what it changes, and what the paper has for it."""

    method: str
    """A file in `configs/methods`."""
    name: str
    """By default that of the method."""
    title: str
    """As it stands in the table, behind the name of the base; by default that of the method."""
    preset: str = "paper"
    """A file in `configs/presets`."""
    metric: str | None = None
    """As after --metric; by default what preset and method say."""
    is_control: bool = False
    """Whether the row is a control that the paper does not have."""
    is_own: bool = False
    """Whether a user added the row to those of the experiment."""
    is_kept: bool = Field(default=False, exclude=True)
    """Whether a file in a ledger says all this: then it is not the user's word, and code outside
    the package that it names is not loaded."""
    generator: str | None = None
    """A file in `configs/generators` that takes the place of the base."""
    bases: list[str] | None = None
    """The bases that have this row; by default all of the experiment."""
    as_long_as: str | None = None
    """The row with whose number of steps and batches in Stage II this one is trained."""
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

    @property
    def calls(self) -> int | None:
        """How often the row may ask its metric, where it says so."""
        limit = self.settings.get("calls", {}).get("limit")
        return None if limit is None else int(limit)

    @property
    def family(self) -> str:
        """The name without the number of calls: rows that differ in nothing else share it."""
        return self.name.removesuffix(f"-{self.calls}")


class Experiment(Section):
    """One experiment of the paper, or one that asks what the paper did not."""

    name: str
    number: str = ""
    """The number of the specification, such as E2; empty for what the paper does not have."""
    title: str
    source: str
    """`captions`, `oracle`, or a file of the data folder, also behind `oracle:`."""
    question: str
    """What the table is to answer, in a sentence."""
    note: str = ""
    """What differs from the paper, in sentences."""
    scores: list[str]
    """Columns that the paper has."""
    beside: list[str]
    """Columns that have to stand beside them: the diversity side, novelty, cost."""
    main: list[str] = Field(default_factory=list)
    """Those of both that a narrow table shows; by default the first of each."""
    quality: str | None = None
    """The score that decides at equal diversity; by default that of the source."""
    subjects: list[str]
    """Names of the rows that the others of the same start are subtracted from."""
    panels: list[dict[str, Any]]
    """The panels of the figure, as `sda.reproduction.panels` knows them."""
    seeds: dict[str, int]
    """For each base how many seeds there are, from 0 on."""
    settings: dict[str, Any] = Field(default_factory=dict)
    profiles: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Values that only this experiment changes in a profile."""
    rows: list[RowDefinition]
    """In the order of the table."""
    paper_real: dict[str, float] = Field(default_factory=dict)
    """What the paper has for real text by score."""

    @property
    def bases(self) -> list[str]:
        return list(self.seeds)

    def row(self, name: str) -> RowDefinition:
        return next(row for row in self.rows if row.name == name)

    def heading(self) -> str:
        return f"{self.number} {self.title}".strip()

    def introduction(self) -> list[str]:
        """The question, and what differs from the paper."""
        return [part for part in (self.question, self.note.strip()) if part]


def experiment_names() -> list[str]:
    """The names of all experiments."""
    files = (entry.name for entry in _folder().iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def experiment(name: str) -> Experiment:
    """The experiment of that name; an unknown name raises one sentence that lists them."""
    if name not in experiment_names():
        raise UserError(f"unknown experiment {name!r} (known: {', '.join(experiment_names())})")
    own = _read(name)
    other = _read(own.pop("like")) if "like" in own else {}
    shared = {key: other[key] for key in SHARED if key in other}
    where = f"experiments/{name}.toml"
    rows = _rows(own.pop("rows", []), own.pop("paper", {}), own.get("scores", []), where)
    found = _checked(Experiment, {**merged(shared, own), "name": name, "rows": rows}, where)
    known = {row.name: row for row in rows}
    _require(where, "subjects", found.subjects, known)
    _require(where, "as_long_as", [row.as_long_as for row in rows if row.as_long_as], known)
    return found


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


def _rows(
    tables: Sequence[dict[str, Any]], paper: Mapping[str, Any], scores: Sequence[str], where: str
) -> list[RowDefinition]:
    """The rows, with what other rows and the paper have for them."""
    known: dict[str, dict[str, Any]] = {}
    for place, table in enumerate(tables, 1):
        if "method" not in table:
            raise UserError(f"{where}: 'rows', entry {place}: 'method' is missing")
        name = table.get("name", table["method"])
        if name in known:
            raise UserError(f"{where}: two rows are called {name!r}; give one another 'name'")
        known[name] = table
    figures = {name: _figures(name, paper, scores, where) for name in known}
    _require(where, "paper", [name for rows in paper.values() for name in rows], known)
    found = []
    for name, table in known.items():
        own = {"name": name, "title": title_of(table["method"]), **table, "paper": figures[name]}
        if "like" in own:
            other = own.pop("like")
            _require(f"{where}, row {name!r}", "like", [other], known)
            shared = {key: known[other].get(key, {}) for key in SHARED_BY_ROWS}
            own = merged(shared, own)
        found.append(_checked(RowDefinition, own, f"{where}, row {name!r}"))
    return found


def _figures(
    name: str, paper: Mapping[str, Any], scores: Sequence[str], where: str
) -> dict[str, dict[str, float]]:
    """For each base what the paper has for a row by score."""
    found = {}
    for base, rows in paper.items():
        if name in rows:
            if len(rows[name]) != len(scores):
                raise UserError(
                    f"{where}: 'paper.{base}.{name}' has {len(rows[name])} figures for"
                    f" {len(scores)} scores"
                )
            found[base] = dict(zip(scores, rows[name], strict=True))
    return found


def _require(where: str, key: str, names: Sequence[str], rows: Mapping[str, Any]) -> None:
    for name in names:
        if name not in rows:
            raise UserError(f"{where}: '{key}': no row {name!r} (known: {', '.join(rows)})")


def _folder() -> Any:
    return resources.files("sda.configs") / "experiments"


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_folder() / f"{name}.toml").read_text(encoding="utf-8"))


def _checked(kind: type[T], data: dict[str, Any], where: str) -> T:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(str(part) for part in problem["loc"])
        raise UserError(f"{where}: '{key}': {problem['msg']}") from None
