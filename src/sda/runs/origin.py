"""What text a run is about, so that scores on different texts never stand side by side."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sda.errors import UserError
from sda.settings.schema import leaves

if TYPE_CHECKING:
    from sda.runs.run import Run

FILES = (
    *("source", "data.valid", "data.test"),
    *("data.model", "generator.path", "discriminator.path"),
)


def refuse_mixed(runs: Sequence[Run]) -> None:
    """The runs have one source, cut and split in one way.

    Seeds may differ, and how many of the training sentences are used: neither changes what kind of
    sentences the scores are about.
    """
    origins = [_origin(run) for run in runs]
    for run, origin in zip(runs, origins, strict=True):
        for key, value in origin.items():
            first = origins[0][key]
            if not is_same(key, value, first):
                raise UserError(
                    f"{run.path}: {key} is {value!r} there and {first!r} in {runs[0].path};"
                    " runs are compared on one text"
                )


def _origin(run: Run) -> dict[str, object]:
    sections = {"source", "data", "embedded"}
    found = dict(leaves(run.settings.model_dump(mode="json", include=sections)))
    del found["data.limit"], found["data.share"]
    return found


def is_same(key: str, one: object, other: object) -> bool:
    """Whether two values of a setting are equal, or name one text where it names files."""
    if one == other:
        return True
    return key in FILES and None not in (one, other) and _is_one_file(one, other)


def _is_one_file(one: object, other: object) -> bool:
    """Whether two paths lead to the same place, or to equal files, such as two runs' own texts."""
    first, second = (os.path.realpath(str(path).removeprefix("oracle:")) for path in (one, other))
    if first == second:
        return True
    both = os.path.isfile(first) and os.path.isfile(second)
    return both and filecmp.cmp(first, second, shallow=False)
