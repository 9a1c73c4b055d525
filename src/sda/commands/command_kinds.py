"""How commands and groups of them are shown and found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
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
    no `--no-...`.
    """
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        kind, *notes = get_args(hints[name]) or (hints[name],)
        is_named = parameter.default is False or name.endswith("_")
        names = [f"--{name.rstrip('_').replace('_', '-')}"] if is_named else []
        said = [typer.Option(*names, help=note) for note in notes if isinstance(note, str)]
        if said:
            hints[name] = Annotated[(kind, *said)]
    command.__annotations__ = hints
    return command


def without_values(params: list[Any]) -> list[Any]:
    """The parameters; options that take no value are shown without one, not as `--quiet <bool>`."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params
