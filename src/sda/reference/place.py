"""Where in a user's code something is, for messages that send the user there."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any


def defined_at(code: Callable[..., Any]) -> str:
    """File and line of the definition, as " (FILE, line 3)"; empty where there is none."""
    found = _code_of(code)
    return "" if found is None else _place(found.co_filename, found.co_firstlineno)


def raised_at(code: Callable[..., Any], error: BaseException) -> str:
    """File and line at which the code's own file last was on the way to the error."""
    found = _code_of(code)
    if found is None:
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == found.co_filename]
    return _place(found.co_filename, lines[-1] if lines and lines[-1] else found.co_firstlineno)


def _place(file: str, line: int) -> str:
    path = Path(file)
    here = Path.cwd()
    return f" ({path.relative_to(here) if path.is_relative_to(here) else path}, line {line})"


def _code_of(code: Callable[..., Any]) -> CodeType | None:
    """The compiled body of a function, of a method, or of the call of a class or an object."""
    plain = inspect.unwrap(code)
    if inspect.isclass(plain) or not hasattr(plain, "__code__"):
        # A partial function stands for the one in it.
        plain = getattr(plain, "func", getattr(plain, "__call__", plain))  # noqa: B004
    found = getattr(plain, "__code__", None)
    return found if isinstance(found, CodeType) else None
