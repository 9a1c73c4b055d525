"""Objects that a caller hands in where settings name a class or a function.

A file cannot hold an object, so settings record a name of it and carry the object along in memory:
what is written, compared and hashed is the name, what is built is the object. After reading the
file again only the name is left, and the object has to be given again (decision 0141).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sda.errors import UserError, brief
from sda.models.discriminator import Discriminator
from sda.models.generator import Generator
from sda.reference.metric import ReferenceMetric
from sda.settings.schema import Settings, Table

ROLES = ("generator", "discriminator", "metric")
OBJECT = "object:"
FUNCTION_METRIC = "sda.reference.function:Function"


class Handed(str):
    """The name that settings record of an object, with the object itself.

    The name is `package.module:name` where an import finds the object again, else `object:` and
    whatever tells a reader what it was.
    """

    thing: Any

    def __new__(cls, thing: Any) -> Handed:
        made = super().__new__(cls, _name(thing))
        made.thing = thing
        return made


def _name(thing: Any) -> str:
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    module, name = str(named.__module__), str(named.__qualname__)
    found = None if module == "__main__" else getattr(sys.modules.get(module), name, None)
    return f"{module}:{name}" if found is thing else f"{OBJECT}{module}.{name}"


def is_lost(value: object) -> bool:
    """Whether the value is the name of an object that is not there."""
    return isinstance(value, str) and value.startswith(OBJECT) and not isinstance(value, Handed)


def ask_again(name: str, key: str) -> UserError:
    """What to tell somebody who has not given an object again; `key` may have parts behind dots."""
    role = key.partition(".")[0]
    return UserError(
        f"the {role} of this run was handed in as an object ({name.removeprefix(OBJECT)}), which no"
        f" file can hold: give it again in Python, as {role}=... of sda.Run, or of sda.resume to go"
        " on with it"
    )


def sections(
    generator: Generator | type[Generator] | None,
    discriminator: Discriminator | type[Discriminator] | None,
    metric: ReferenceMetric | type[ReferenceMetric] | Callable[..., Any] | None,
) -> dict[str, Any]:
    """The sections of settings that the objects take the place of; none for those not given."""
    found: dict[str, Any] = {}
    if generator is not None:
        found["generator"] = _model(generator, "generator", Generator)
    if discriminator is not None:
        found["discriminator"] = _model(discriminator, "discriminator", Discriminator)
    if metric is not None:
        found["metric"] = [_metric(metric)]
    return found


def _model(given: Any, role: str, base: type) -> Table:
    if not _is_of(given, base):
        raise UserError(
            f"{role}: {brief(given)} is neither a name, nor a subclass of sda.{base.__name__}, nor"
            " an object of one"
        )
    return {"use": Handed(given)}


def _metric(given: Any) -> Table:
    if _is_of(given, ReferenceMetric):
        return {"use": Handed(given)}
    if inspect.isclass(given) or not callable(given):
        raise UserError(
            f"metric: {brief(given)} is neither a name, nor a function of a list of texts, nor a"
            " subclass of sda.ReferenceMetric or an object of one"
        )
    return {"use": FUNCTION_METRIC, "function": Handed(given)}


def _is_of(given: Any, base: type) -> bool:
    return issubclass(given, base) if inspect.isclass(given) else isinstance(given, base)


def give_again(settings: Settings, given: Mapping[str, Any], where: Path) -> Settings:
    """The settings of the run there with the objects of `sections` in place of their names."""
    update: dict[str, Any] = {}
    for role, section in given.items():
        before = getattr(settings, role)
        given_part = section[0] if isinstance(section, list) else section
        parts = before if isinstance(before, list) else [before]
        key = "function" if "function" in given_part else "use"
        meant = [part.get(key) == given_part[key] or is_lost(part.get(key)) for part in parts]
        if not any(meant):
            names = ", ".join(part.get("function", part["use"]) for part in parts) or "none"
            raise UserError(f"{where}: the {role} there is {names}, not {given_part[key]}")
        now = [
            {**part, **given_part} if is_meant else part
            for part, is_meant in zip(parts, meant, strict=True)
        ]
        update[role] = now if isinstance(before, list) else now[0]
    return settings.model_copy(update=update)


def check_given(before: Settings, now: Settings, where: Path) -> None:
    """Refuse to go on with a run that began with objects unless all of them are given again."""
    for role in ROLES:
        theirs = getattr(before, role)
        if theirs == getattr(now, role):
            continue
        parts = theirs if isinstance(theirs, list) else [theirs]
        for name in (value for part in parts for value in part.values() if is_lost(value)):
            raise UserError(f"{where}: {ask_again(name, role)}")
