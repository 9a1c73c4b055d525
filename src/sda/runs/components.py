"""Components from settings: `use = "package.module:Name"`, the rest are arguments."""

from __future__ import annotations

import importlib
import inspect
import typing
from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from sda.errors import UserError

FINITE = ConfigDict(allow_inf_nan=False, arbitrary_types_allowed=True)


def build(section: Mapping[str, Any], key: str, base: type = object, **known: Any) -> Any:
    """The component that the section names, given what is known and what the section says.

    It must be a subclass of `base`. A key that it does not take is an error that lists those it
    does.
    """
    if "use" not in section:
        raise UserError(f"setting '{key}.use' is missing: it names a class as package.module:Name")
    make = _locate(str(section["use"]), key, base)
    parameters = inspect.signature(make).parameters
    hints = typing.get_type_hints(make.__init__)
    free = [name for name in parameters if name not in known]
    arguments = {name: value for name, value in known.items() if name in parameters}
    for name, value in section.items():
        if name == "use":
            continue
        if name not in free:
            raise UserError(
                f"unknown setting '{key}.{name}' ({section['use']} takes: {', '.join(free)})"
            )
        arguments[name] = typed(value, hints.get(name, Any), f"{key}.{name}")
    missing = [n for n in free if n not in arguments and parameters[n].default is inspect._empty]
    if missing:
        raise UserError(f"setting '{key}.{missing[0]}' is missing: {section['use']} needs it")
    try:
        return make(**arguments)
    # Sizes below zero are a RuntimeError of torch.
    except (ValueError, RuntimeError) as error:
        raise UserError(f"setting '{key}': {error}") from None


def takes(section: Mapping[str, Any], key: str, argument: str) -> bool:
    """Whether the component that the section names asks for this argument."""
    make = _locate(str(section.get("use", "")), key, object)
    return argument in inspect.signature(make).parameters


def _locate(use: str, key: str, base: type) -> Any:
    module, _, name = use.partition(":")
    if not module or module.startswith(".") or not name:
        raise UserError(f"setting '{key}.use': {use!r} is not written as package.module:Name")
    try:
        found = getattr(importlib.import_module(module), name)
    # A user's own module may fail in any way.
    except Exception as error:
        raise UserError(f"setting '{key}.use': {error}") from None
    if not inspect.isclass(found) or not issubclass(found, base):
        kind = "class" if base is object else f"subclass of {base.__module__}.{base.__name__}"
        raise UserError(f"setting '{key}.use': {use} is not a {kind}")
    return found


def typed(value: Any, hint: Any, key: str) -> Any:
    try:
        return TypeAdapter(hint, config=FINITE).validate_python(value)
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        raise UserError(
            f"setting '{key}': {problem[0].lower()}{problem[1:]}, not {value!r}"
        ) from None
