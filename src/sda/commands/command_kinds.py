"""How commands and groups of them are shown and found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cached_property, wraps
from importlib import import_module
from typing import Annotated, Any, ClassVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from sda.commands.value_lists import ListCommand


class PlainCommand(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return without_values(super().get_params(ctx))


class PlainListCommand(ListCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return without_values(super().get_params(ctx))


class PlainGroup(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return without_values(super().get_params(ctx))


class LaterGroup(PlainGroup):
    """A group whose commands are read when one of them is wanted: `sda --help` has no use for them.

    A subclass says in which module the `app` with the commands stands.
    """

    module: ClassVar[str]

    @cached_property
    def _whole(self) -> Any:
        return typer.main.get_group(import_module(self.module).app)

    def list_commands(self, ctx: Any) -> list[str]:
        found: list[str] = self._whole.list_commands(ctx)
        return found

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return self._whole.get_command(ctx, cmd_name)


def explained(command: Callable[..., None]) -> Callable[..., None]:
    """The command, in whose signature a text beside the type of an option is the option's help.

    An option of which there is nothing else to say is written `Annotated[int, "How many."] = 10`.
    It has the name of its parameter, where `all_` is `--all`; what is False unless it is given has
    no `--no-...`. A parameter whose type is a dataclass stands for options that belong together,
    which are the fields.
    """
    groups: dict[str, tuple[Any, list[str]]] = {}
    options: list[inspect.Parameter] = []
    for parameter in _typed_parameters(command):
        group = parameter.annotation
        own = []
        if isinstance(group, type) and is_dataclass(group):
            own = _typed_parameters(group)
            groups[parameter.name] = group, [option.name for option in own]
        options += map(_option, own or [parameter])

    @wraps(command)
    def called(**given: Any) -> None:
        for name, (group, names) in groups.items():
            given[name] = group(**{option: given.pop(option) for option in names})
        command(**given)

    called.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    called.__annotations__ = {option.name: option.annotation for option in options}
    return called


def _typed_parameters(made: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function, or of a dataclass, with their types in place of names."""
    hints = get_type_hints(made, include_extras=True)
    parameters = inspect.signature(made).parameters.values()
    return [parameter.replace(annotation=hints[parameter.name]) for parameter in parameters]


def _option(parameter: inspect.Parameter) -> inspect.Parameter:
    """The parameter as typer knows it: a text beside its type has become an option's help."""
    kind, *notes = get_args(parameter.annotation) or (parameter.annotation,)
    name = parameter.name
    is_named = parameter.default is False or name.endswith("_")
    names = [f"--{name.rstrip('_').replace('_', '-')}"] if is_named else []
    said = [typer.Option(*names, help=note) for note in notes if isinstance(note, str)]
    return parameter.replace(annotation=Annotated[(kind, *said)]) if said else parameter


def without_values(params: list[Any]) -> list[Any]:
    """The parameters; options that take no value are shown without one, not as `--quiet <bool>`."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params
