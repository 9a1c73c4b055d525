"""What text a run is about, so that scores on different texts never stand side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sda.errors import UserError
from sda.settings.schema import leaves

if TYPE_CHECKING:
    from sda.runs.run import Run

FILES = ("source", "data.valid", "data.test")


def refuse_mixed(runs: Sequence[Run]) -> None:
    """The runs have one source, cut and split in one way.

    Seeds may differ, and how many of the training sentences are used: neither changes what kind of
    sentences the scores are about.
    """
    origins = [_origin(run) for run in runs]
    for run, origin in zip(runs, origins, strict=True):
        for key, value in origin.items():
            first = origins[0][key]
            if value != first and not (key in FILES and _is_one_file(value, first)):
                raise UserError(
                    f"{run.path}: {key} is {value!r} there and {first!r} in {runs[0].path};"
                    " runs are compared on one text"
                )


def _origin(run: Run) -> dict[str, object]:
    sections = {"source", "data", "embedded"}
    found = dict(leaves(run.settings.model_dump(mode="json", include=sections)))
    del found["data.limit"], found["data.share"]
    return found


def _is_one_file(one: object, other: object) -> bool:
    """Whether two ways of writing a path lead to the same place."""
    places = [os.path.realpath(str(path).removeprefix("oracle:")) for path in (one, other)]
    return places[0] == places[1]
