"""The ledger: every finished run as one small JSON file, found again by the key of its settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sda.doors import check, read_checked
from sda.errors import UserError, brief
from sda.evaluation.catalogue import current_name
from sda.files import naming, read_json, remove_stale_parts, write_text
from sda.reproduction.record_shape import RecordShape

FORMAT = 1
LATER_CURVE = "later_curve"


@dataclass(frozen=True)
class RunRecord:
    """What one run gave."""

    path: Path
    data: Mapping[str, Any]

    @property
    def key(self) -> str:
        return str(self.data["key"])

    @property
    def seed(self) -> int:
        return int(self.data["seed"])

    @property
    def costs(self) -> dict[str, float]:
        """Updates, tokens, seconds of the whole run, those of its start among them."""
        return dict(self.data["costs"])

    def own_cost(self, name: str) -> float:
        """A cost of the run beyond a start that it shares."""
        whole = self.costs.get(name, 0.0)
        if self.data["start"] is None:
            return whole
        return whole - float(self.data["first_stage_costs"].get(name, 0.0))

    def scores(self, of: str = "scores") -> dict[str, float]:
        """Values by name at temperature 1; of `real` those of real text."""
        return {name: score["value"] for name, score in self.data[of].items()}

    @property
    def later(self) -> RunRecord | None:
        """The same with the points that were measured again, as those of newer records are."""
        curve = self.data.get(LATER_CURVE)
        return None if curve is None else RunRecord(self.path, {**self.data, "curve": curve})


class Ledger:
    """A folder of records, `EXPERIMENT/NAME.json`."""

    def __init__(self, folder: Path, beneath: Path | None = None) -> None:
        """Records in the folder `beneath` are found too, and none is ever written there."""
        self.folder = folder
        self.beneath = beneath

    @cached_property
    def _by_key(self) -> dict[str, RunRecord]:
        lower = {} if self.beneath is None else Ledger(self.beneath)._by_key
        return lower | {record.key: record for record in self._read()}

    def find(self, key: str) -> RunRecord | None:
        """The record of the run with that key, whichever experiment it was made for."""
        return self._by_key.get(key)

    def records(self) -> list[RunRecord]:
        return list(self._by_key.values())

    def _read(self) -> Iterator[RunRecord]:
        for path in sorted(self.folder.glob("*/*.json")):
            data = read_json(path)
            # First: a record of another format need not have this one's shape.
            if isinstance(data, dict) and data.get("format") != FORMAT:
                raise UserError(
                    f"{path}: written in format {brief(data.get('format'))}, not {FORMAT}"
                )
            check(RecordShape, data, str(path))
            yield RunRecord(path, {**data, **_renamed(data)})

    def write(self, data: Mapping[str, Any]) -> RunRecord:
        """Put a record down; one of the same name with other settings gives way."""
        name = f"{data['base']}-{data['row']}-{data['profile']}-{data['seed']}.json"
        path = self.folder / data["experiment"] / name
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        remove_stale_parts(path.parent)
        whole = {"format": FORMAT, **data}
        # A line for each field: short files, and changes that can be read.
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in whole.items())
        write_text(path, f"{{\n{lines}\n}}\n")
        self.__dict__.pop("_by_key", None)
        return RunRecord(path, whole)

    def add_points(self, record: RunRecord, curve: Mapping[str, Any]) -> RunRecord:
        """Points that were measured again, beside all that the record has."""
        before = read_checked(record.path, RecordShape)
        return self.write({**before, LATER_CURVE: dict(curve)})


def _renamed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that hold scores by name, under the names that the scores have now."""
    return {
        field: {current_name(name): value for name, value in data[field].items()}
        for field in ("scores", "real", "signatures")
        if field in data
    }
