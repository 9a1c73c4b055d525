"""The command line, called in this process or in a child that ends with the case."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from .verdicts import Told

HIDDEN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


class Began(BaseException):
    """All has been read and checked, and training would begin now."""


def call(*arguments: object, stdin: bytes = b"") -> Told:
    """What the command line says to these arguments, with streams as strict as those of a shell."""
    cli = _prepared()
    words = [str(argument) for argument in arguments]
    out, err = _stream("strict"), _stream("backslashreplace")
    trouble: BaseException | None = None
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["sda", *words]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        # Each call is the first one of its process, and shows what Python shows to a user.
        warnings.simplefilter("default")
        for hidden in HIDDEN:
            warnings.simplefilter("ignore", hidden)
        try:
            cli.main()
            out.flush()
        except SystemExit as end:
            code = 0 if end.code is None else end.code
        except Began:
            pass
        except KeyboardInterrupt:
            raise
        except BaseException as found:
            trouble = found
    return Told(code, _text(out), _text(err), trouble)


@cache
def _prepared() -> Any:
    """The command line; its parser, which takes most of the time, is made once."""
    import typer

    from sda import cli

    cli.app = typer.main.get_command(cli.app)  # type: ignore[assignment]
    return cli


def _stream(errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, newline="\n")


def _text(stream: io.TextIOWrapper) -> str:
    with contextlib.suppress(ValueError):
        stream.flush()
    content: Any = stream.buffer
    return str(content.getvalue().decode("utf-8", "replace"))


@contextlib.contextmanager
def before_training() -> Iterator[None]:
    """Every run stops where its first epoch would begin, and those of other processes before."""
    from sda.reproduction import runner
    from sda.runs import train
    from sda.transfer import transfer_training

    def begin(*_: object) -> None:
        raise Began

    with (
        mock.patch.object(runner, "run_jobs", begin),
        mock.patch.object(train._Training, "_train", begin),
        mock.patch.object(transfer_training._TransferTraining, "run", begin),
    ):
        yield


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """The folder is the one that commands are called in."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
