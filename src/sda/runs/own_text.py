"""A run's own copy of texts that came as a list: it can be resumed, scored and moved with it.

Decision 0142.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from sda.errors import UserError, brief
from sda.files import naming, write_text
from sda.runs.folder import RunFolder
from sda.settings.schema import Settings


def as_lines(texts: Iterable[object]) -> list[str]:
    """One line for each text, with its line breaks as spaces; what no file can hold is refused."""
    lines = []
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise UserError(f"source: text {number} is {brief(text)}, not a string")
        if "\0" in text:
            raise UserError(f"source: text {number} holds a NUL character; leave it out")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise UserError(
                f"source: text {number} holds half a character (U+{ord(text[error.start]):04X}) at"
                f" position {error.start + 1}; leave it out"
            ) from None
        lines.append(" ".join(text.splitlines()))
    if not lines:
        raise UserError("source: there are no texts in it")
    return lines


@contextmanager
def readable(
    folder: RunFolder, settings: Settings, lines: Sequence[str] | None
) -> Iterator[Settings]:
    """Settings whose source can be read inside; after that the run holds the lines, if it began.

    Without lines they are the settings themselves. A run that is there must have begun with the
    same lines.
    """
    if lines is None:
        yield settings
        return
    content = "".join(f"{line}\n" for line in lines)
    if folder.text.is_file() and folder.holds_run:
        with naming(folder.text):
            if folder.text.read_text(encoding="utf-8") != content:
                raise UserError(f"{folder.text}: the run there began with other texts")
        yield settings
        return
    # Hidden until there is a run: a mistake in the settings must not leave a file behind, and
    # nobody else's text.txt may be overwritten.
    hidden = folder.path / f".{folder.text.name}"
    write_text(hidden, content)
    try:
        with _naming_texts(str(hidden)):
            yield settings.model_copy(update={"source": str(hidden)})
        if folder.holds_run:
            with naming(folder.text):
                os.replace(hidden, folder.text)
    finally:
        hidden.unlink(missing_ok=True)


@contextmanager
def _naming_texts(hidden: str) -> Iterator[None]:
    """A user's mistake inside is told of the list of texts, not of a file that nobody knows."""
    try:
        yield
    except UserError as error:
        words = str(error).replace(f"{hidden}, line ", "source: text ")
        raise UserError(words.replace(hidden, "the list of texts")) from None
