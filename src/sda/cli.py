"""The command line: arguments in, one call, an exit code out.

Everything heavy is imported inside the commands, so that `sda --help` answers at once.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated

import typer

from sda import __version__
from sda.commands import (
    augmenting,
    data_sets,
    evaluating,
    generating,
    inspecting,
    reproducing,
)

app = typer.Typer(
    help="Self Data Augmentation: a text generator learns from its own best sentences, and you see"
    " what that bought.",
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
            print(
                "sda: interrupted; a run goes on with --resume, others by the same command",
                file=sys.stderr,
            )
        raise
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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


for command in (
    generating.train,
    generating.demo,
    generating.sample,
    evaluating.evaluate,
    evaluating.compare,
    evaluating.curve,
    evaluating.report,
    inspecting.inspect,
    augmenting.eda,
    reproducing.reproduce,
    reproducing.table,
    reproducing.figure,
    data_sets.data,
):
    app.command()(command)
