"""The command line: arguments in, one call, an exit code out.

Everything heavy is imported inside the commands, so that `sda --help` answers at once.
"""

from __future__ import annotations

import errno
import io
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
    labelling,
    model_folders,
    reproducing,
    sampler,
)
from sda.commands.command_kinds import LaterGroup, PlainCommand, PlainGroup, explained
from sda.commands.interruption import Interrupted, again
from sda.commands.telling import is_first


class _Transfer(LaterGroup):
    module = "sda.commands.transfer_group"


class _Judge(LaterGroup):
    module = "sda.commands.judge_group"


app = typer.Typer(
    cls=PlainGroup,
    help="Self Data Augmentation: train a model on your sentences, let it learn from the best that"
    " it writes, and see what that bought. `sda COMMAND --help` says more about a command.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

INTERRUPTED = 130  # what a shell reports after Ctrl-C


def main() -> None:
    """Run a command; what the user can mend is one sentence on standard error and exit code 2."""
    from sda.errors import LeftAlone, UserError, brief

    if isinstance(sys.stdout, io.TextIOWrapper):
        # The name of a file may be no text; its bytes are given back as they were.
        sys.stdout.reconfigure(errors="surrogateescape")
    try:
        app()
    except UserError as error:
        # Of several processes all fail alike, and the first one speaks; one that was left by the
        # others may be the only one that can.
        if is_first() or isinstance(error, LeftAlone):
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
    except (MemoryError, RuntimeError, ImportError) as error:
        if not _wants_memory(error):
            raise
        print(
            "sda: there is not enough memory for this; give it less text or smaller models, or a"
            " machine with more",
            file=sys.stderr,
        )
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has seen enough, as `head` does.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        # A name that is no name of a file, such as one that is too long, is met wherever a file is
        # first looked for.
        if error.filename is not None:
            print(f"sda: {brief(error.filename)}: {error.strerror}", file=sys.stderr)
            sys.exit(2)
        # Files name themselves where they are written; standard output may be on a full disk too.
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        print(f"sda: standard output: {error.strerror}", file=sys.stderr)
        # What is still waiting to be written would fail once more on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)


def _wants_memory(error: Exception) -> bool:
    """Whether memory has run out; torch and the loader of libraries have no exception for it."""
    text = str(error).lower()
    signs = (
        *("allocate memory", "failed to map segment", "start new thread"),
        "could not create a primitive",  # oneDNN, which computes layers for torch
    )
    return isinstance(error, MemoryError) or any(sign in text for sign in signs)


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
        labelling.augment,
        model_folders.export,
        model_folders.models,
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
        app.command(cls=PlainCommand, rich_help_panel=heading)(explained(command))

GROUPS: dict[str, tuple[str, type[LaterGroup], str]] = {
    "transfer": (
        "Train and write",
        _Transfer,
        "Rewrite sentences in another style, and score rewritings.",
    ),
    "judge": (
        "Score and compare",
        _Judge,
        "Let people rate sentences: plan a study, serve its pages, and see what can be said.",
    ),
}
for name, (heading, group, about) in GROUPS.items():
    later = typer.Typer(cls=group, help=about, no_args_is_help=True)
    later.callback()(lambda: None)
    app.add_typer(later, name=name, rich_help_panel=heading)
