"""The command line: arguments in, one call, an exit code out.

Everything heavy is imported inside the commands, so that `sda --help` answers at once.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sda import __version__
from sda.commands import (
    augmenting,
    data_sets,
    evaluating,
    generating,
    inspecting,
    reproducing,
    sampler,
    transfer_rivals,
    transfer_scoring,
    transferring,
)
from sda.commands.interruption import Interrupted, again
from sda.commands.value_lists import ListCommand


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _without_values(super().get_params(ctx))


class _ListCommand(ListCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _without_values(super().get_params(ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _without_values(super().get_params(ctx))


def _without_values(params: list[Any]) -> list[Any]:
    """The parameters; options that take no value are shown without one, not as `--quiet <bool>`."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


app = typer.Typer(
    cls=_Group,
    help="Self Data Augmentation: train a model on your sentences, let it learn from the best that"
    " it writes, and see what that bought. `sda COMMAND --help` says more about a command.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

INTERRUPTED = 130  # what a shell reports after Ctrl-C


def main() -> None:
    """Run a command; what the user can mend is one sentence on standard error and exit code 2."""
    from sda.errors import UserError

    try:
        app()
    except UserError as error:
        print(f"sda: {error}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as end:
        # typer turns Ctrl-C into this code and says nothing.
        if end.code == INTERRUPTED:
            print(f"sda: {again(sys.argv[1:])}", file=sys.stderr)
        raise
    except Interrupted as end:
        print(f"sda: {end}", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has seen enough, as `head` does.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        # Files name themselves where they are written; standard output may be on a full disk too.
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        print(f"sda: standard output: {error.strerror}", file=sys.stderr)
        # What is still waiting to be written would fail once more on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version of sda."
        ),
    ] = False,
) -> None:
    pass


COMMANDS = {
    "Train and write": (
        generating.demo,
        inspecting.inspect,
        generating.train,
        generating.resume,
        sampler.sample,
        augmenting.eda,
    ),
    "Score and compare": (
        evaluating.evaluate,
        evaluating.report,
        evaluating.curve,
        evaluating.compare,
    ),
    "Repeat the paper": (
        reproducing.reproduce,
        reproducing.table,
        reproducing.figure,
        data_sets.data,
    ),
}
for heading, commands in COMMANDS.items():
    for command in commands:
        app.command(cls=_Command, rich_help_panel=heading)(command)

transfer = typer.Typer(
    cls=_Group,
    help="Rewrite sentences in another style, and score rewritings.",
    no_args_is_help=True,
)
transfer.command(cls=_Command)(transferring.demo)
transfer.command(cls=_Command)(transferring.train)
transfer.command(cls=_Command)(transferring.apply)
transfer.command(cls=_ListCommand)(transfer_scoring.evaluate)
transfer.command(cls=_ListCommand)(transfer_rivals.rival)
app.add_typer(transfer, name="transfer", rich_help_panel="Train and write")
