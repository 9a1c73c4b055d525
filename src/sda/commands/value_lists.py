"""Options that take several values behind each other, as in --sources a.neg a.pos."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand


class ListCommand(TyperCommand):
    """A command whose options for lists need to be named once only.

    What follows such an option belongs to it, up to the next option.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        lists = {
            name
            for param in self.get_params(ctx)
            if getattr(param, "multiple", False)
            for name in param.opts
        }
        return super().parse_args(ctx, spread_values(args, lists))


def spread_values(args: Sequence[str], lists: set[str]) -> list[str]:
    """The arguments with the name of a list before each of its values.

    >>> spread_values(["out", "--from", "a", "b", "--seed", "1"], {"--from"})
    ['out', '--from', 'a', '--from', 'b', '--seed', '1']
    """
    found: list[str] = []
    current, is_first = "", False
    for arg in args:
        if arg.startswith("-") and arg != "-":
            current, is_first = (arg if arg in lists else ""), True
            found.append(arg)
            continue
        if current and not is_first:
            found.append(current)
        found.append(arg)
        is_first = False
    return found
