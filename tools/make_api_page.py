"""Write the page of the Python interface, `docs/api.md`, from the docstrings of its names.

    python tools/make_api_page.py

Which names and members stand there, and in which order, is said here; all that is said of them are
their docstrings.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sda

PAGE = Path(__file__).parent.parent / "docs" / "api.md"
HEAD = """\
# From Python

`import sda` gives the names below; nothing else of the package is promised to stay as it is. A
generator and a baseline of your own, step by step, are in [extending](extending.md). This page is
made from docstrings by `tools/make_api_page.py`.
"""
# Under each heading its names, and of each class the members that a reader needs.
CHAPTERS: dict[str, dict[str, tuple[str, ...]]] = {
    "Train and judge": {"train": (), "resume": (), "evaluate": ()},
    "What comes back": {
        "Run": (
            "path",
            "settings",
            "is_finished",
            "verdict",
            "progress",
            "scores",
            "sample",
            "generator",
        ),
        "Evaluation": ("value", "as_dict"),
        "Score": ("as_dict",),
        "Alarm": ("advice",),
        "Options": (),
        "UserError": (),
    },
    "Labelled rows": {"augment": (), "Augmented": ("missing", "table", "rejected_table")},
    "Style transfer": {
        "train_transfer": (),
        "TransferRun": (
            "path",
            "settings",
            "styles",
            "is_finished",
            "progress",
            "scores",
            "transfer",
        ),
    },
    "What to subclass": {
        "Generator": ("start", "step", "log_probs", "loss"),
        "Discriminator": ("features", "real_logit"),
        "ReferenceMetric": ("__call__",),
        "Frame": (),
        "Sentences": ("mask", "flat"),
        "Context": (),
    },
}


def main() -> None:
    PAGE.write_text(api_page(), encoding="utf-8")


def api_page() -> str:
    """The whole page."""
    parts = [HEAD]
    for heading, names in CHAPTERS.items():
        parts.append(f"## {heading}\n")
        for name, members in names.items():
            parts += _entry(getattr(sda, name), name, members)
    return "\n".join(parts)


def _entry(thing: Any, name: str, members: tuple[str, ...]) -> Iterator[str]:
    yield f"### `sda.{name}`\n"
    if not inspect.isclass(thing) or "__init__" in vars(thing):
        yield f"```\n{_call(thing, f'sda.{name}')}\n```\n"
    yield f"{inspect.getdoc(thing)}\n"
    fields = dict(described_fields(thing)) if inspect.isclass(thing) else {}
    if fields:
        yield "\n".join(f"- `{field}`: {text}" for field, text in fields.items()) + "\n"
    for member in members:
        yield from _member(thing, member)


def _member(owner: type, name: str) -> Iterator[str]:
    found = inspect.getattr_static(owner, name)
    short = f"{owner.__name__}.{name}"
    if isinstance(found, property):
        yield f"**`{short}`**: {_one_line(inspect.getdoc(found.fget))}\n"
    else:
        yield f"```\n{_call(found, short)}\n```\n"
        yield f"{inspect.getdoc(found)}\n"


def _call(thing: Any, shown: str) -> str:
    """How it is called: on one line if that is short, else an argument a line."""
    signature = inspect.signature(thing)
    arguments: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in arguments:
            arguments.append("*")
        default = "" if parameter.default is parameter.empty else f" = {_shown(parameter.default)}"
        kind = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
        arguments.append(f"{parameter.name}{kind}{default}")
    returned = "" if inspect.isclass(thing) else f" -> {signature.return_annotation}"
    line = f"{shown}({', '.join(arguments)}){returned}"
    if len(line) <= 100:
        return line
    return f"{shown}(\n" + "".join(f"    {text},\n" for text in arguments) + f"){returned}"


def _shown(default: Any) -> str:
    """A default; that of a field that is made anew each time is shown as what it makes."""
    is_factory = type(default).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"
    return "[]" if is_factory else repr(default)


def described_fields(kind: type) -> Iterator[tuple[str, str]]:
    """The fields of a class that have a docstring below them."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    for field, below in zip(tree.body, tree.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=text)):
                yield name, _one_line(str(text))


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


if __name__ == "__main__":
    main()
