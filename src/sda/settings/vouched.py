"""Code outside the package that settings name: loaded only where the user gave the name himself.

A settings file that lies in a run folder or in a ledger may come from anybody, so what it names is
never loaded for that alone. What the user gives in this very command, or in a file that the command
names, is the user's own word (decision 0240).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sda.errors import UserError
from sda.settings.schema import Settings, Table

PACKAGE = "sda"
COMPONENTS = (
    "generator",
    "discriminator",
    "metric",
    "augmentation",
    "objective",
    "selection",
    "loop",
)
CODE = ("use", "function")
"""The keys of a component that name code."""


class Vouched(str):
    """The name of code that the user gave in this very command."""


def vouched(settings: Settings) -> Settings:
    """The settings with every name of code in them as the user's own word."""
    return with_names(settings, lambda name: Vouched(name) if type(name) is str else name)


def with_names(settings: Settings, change: Callable[[str], str]) -> Settings:
    """The settings with every name of code in them changed."""

    def changed(section: Table) -> Table:
        return {
            key: change(value) if key in CODE and isinstance(value, str) else value
            for key, value in section.items()
        }

    update: dict[str, Any] = {}
    for role in COMPONENTS:
        section = getattr(settings, role)
        update[role] = (
            [changed(part) for part in section] if isinstance(section, list) else changed(section)
        )
    return settings.model_copy(update=update)


def with_components(settings: Settings, others: Settings) -> Settings:
    """The settings with the components of others, and what the user has said of their names."""
    return settings.model_copy(update={role: getattr(others, role) for role in COMPONENTS})


def foreign_names(table: Mapping[str, Any]) -> list[str]:
    """The names of code outside the package in a table of settings, of any kind of run."""
    found: list[str] = []
    for role in COMPONENTS:
        section = table.get(role)
        for part in section if isinstance(section, list) else [section]:
            if not isinstance(part, Mapping):
                continue
            use, function = (part.get(key) for key in CODE)
            found += [str(use)] if use is not None and not is_in_package(str(use)) else []
            found += [str(function)] if function is not None else []
    return found


def is_in_package(use: str) -> bool:
    """Whether the name of a class is that of one of this package."""
    return use.partition(":")[0].partition(".")[0] == PACKAGE


def as_said(before: str, after: str) -> str:
    """A name that was written otherwise since is as much the user's own word as it was before."""
    return Vouched(after) if isinstance(before, Vouched) else after


def check_named(name: str, key: str) -> None:
    """Refuse code that only a file in a folder names."""
    if not isinstance(name, Vouched):
        raise UserError(
            f"setting '{key}': {name} is no part of sda, and only a file in a folder names it, so"
            " it was not loaded; if you trust it, say so in the command with --trust (for a row of"
            " a ledger with --row once more, in Python with trust=True)"
        )
