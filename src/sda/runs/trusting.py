"""What a user lets a run folder load: code that its settings name, never code that lies in it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from sda.errors import UserError
from sda.settings.layers import metric_parts
from sda.settings.schema import Settings
from sda.settings.vouched import Vouched, foreign_names, with_names


def trusted(settings: Settings, folder: Path, trust: bool, metric: str | None) -> Settings:
    """The settings of the run in the folder, in which code that the user allows is vouched for.

    `trust` allows all that they name, `metric` the functions that it names itself.
    """
    names = foreign_names(vars(settings))
    allowed = set(names) if trust else set()
    if metric is not None:
        given = {located(part["function"]) for part in metric_parts(metric) if "function" in part}
        for name in given - set(names):
            there = ", ".join(names) or "of the package alone"
            raise UserError(f"{folder}: the code that its settings name is {there}, not {name}")
        allowed |= given
    for name in allowed:
        refuse_code_inside(name, folder)
    return with_names(settings, lambda name: Vouched(name) if name in allowed else name)


def refuse_code_inside(name: str, folder: Path) -> None:
    """Code that lies in the run folder came with it, and is not loaded even where it is trusted."""
    place = _place(name)
    if place is not None and place.is_relative_to(os.path.realpath(folder)):
        raise UserError(
            f"{folder}: {name} lies in the run folder itself, from which no code is ever loaded;"
            " read it, and move it to the folder above if you trust it"
        )


def located(function: str) -> str:
    """The name of a function with the whole path of its file, as run folders record it."""
    file, _, name = function.rpartition(":")
    return f"{os.path.abspath(file)}:{name}" if file.endswith(".py") else function


def _place(name: str) -> Path | None:
    """Where the code of that name lies, without a look into it; None where nobody knows."""
    module, _, _ = name.rpartition(":")
    if module.endswith(".py"):
        return Path(os.path.realpath(module))
    try:
        found = importlib.util.find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return None
    if found is None:
        return None
    places = [found.origin, *(found.submodule_search_locations or ())]
    return next((Path(os.path.realpath(place)) for place in places if place), None)
