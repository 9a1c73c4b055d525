"""The door of every file that the program wrote once: what comes in is checked here, and only here.

A folder may be damaged, or come from anybody. Whatever does not have the shape that it should is
told in one sentence with the file, the place in it, and what is wrong there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sda.errors import UserError, brief
from sda.files import parse_json, read_json, read_whole

LARGEST_NUMBER = 2**53
"""Whole numbers beyond it are no count of anything, and lose digits as floats."""
Count = Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Figure = Annotated[float, Field(ge=float("-inf"), allow_inf_nan=True)]
"""A number; a figure of training may be beyond all bounds, but not nothing at all."""


class Shape(BaseModel):
    """What a part of a file must hold; it may hold more."""

    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def check(shape: Any, value: Any, place: str) -> Any:
    """The value itself, which has the shape; any other raises a sentence that begins so."""
    try:
        _adapter(shape).validate_python(value)
    except ValidationError as error:
        problem = error.errors()[0]
        # Of several shapes that a value may have, pydantic tells which one it has tried.
        parts = [str(part) for part in problem["loc"] if not str(part).endswith(Shape.__name__)]
        key = ".".join(parts)
        is_object = problem["type"] in ("model_type", "dict_type")
        message = "should be an object" if is_object else str(problem["msg"])
        told = f"{message[0].lower()}{message[1:]}"
        given = "" if problem["type"] == "missing" else f", not {brief(problem['input'])}"
        at = f"'{key}': " if key else ""
        raise UserError(f"{place}: {at}{told}{given}") from None
    except RecursionError:
        raise UserError(f"{place}: nested too deeply to be read") from None
    return value


def read_checked(path: Path, shape: Any) -> Any:
    """The JSON value in the file, which has the shape."""
    return check(shape, read_json(path), str(path))


@dataclass(frozen=True)
class CheckedLines:
    """The values of a file with one JSON value a line, and how many bytes whole lines have.

    `is_cut` says whether a line at the end was not written to its end, which is left out.
    """

    values: list[Any]
    size: int
    is_cut: bool


def read_checked_lines(path: Path, shape: Any) -> CheckedLines:
    """The lines of the file, each of which has the shape; a broken one is named by its number."""
    content = read_whole(path)
    size = content.rfind(b"\n") + 1
    # Not splitlines: a text may hold what Unicode takes for the end of a line.
    lines: Sequence[bytes] = content[:size].split(b"\n")[:-1]
    values = []
    for number, line in enumerate(lines, 1):
        place = f"{path}, line {number}"
        values.append(check(shape, parse_json(line, place), place))
    return CheckedLines(values, size, size < len(content))
