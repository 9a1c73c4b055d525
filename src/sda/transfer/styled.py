"""Sentences of several styles: one file, and one list, for each of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sda.errors import UserError
from sda.text.reading import SUFFIXES, read_lines


@dataclass(frozen=True)
class StyledTexts:
    """The names of the styles, and in the same order the sentences of each."""

    names: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.texts) or len(set(self.names)) < len(self.names):
            raise ValueError(f"{len(self.texts)} lists of sentences for the styles {self.names}")

    def number(self, name: str) -> int:
        """The place of a style; one that does not exist is refused."""
        if name not in self.names:
            raise UserError(f"there is no style {name!r}: there are {', '.join(self.names)}.")
        return self.names.index(name)


def read_styled(files: Sequence[Path], names: Sequence[str] | None = None) -> StyledTexts:
    """The sentences of each file, blank lines left out and words joined by single spaces.

    Styles are called by `names`, or else after their files.
    """
    if len(files) < 2:
        raise UserError("style transfer needs at least two files, one for each style.")
    refuse_twice(files)
    wanted = tuple(file_styles(files) if names is None else names)
    if len(wanted) != len(files):
        raise UserError(f"{len(files)} files of styles need as many names, not {len(wanted)}.")
    if len(set(wanted)) < len(wanted) or not all(name.strip() for name in wanted):
        raise UserError(f"every style needs a name of its own, not {', '.join(wanted)}.")
    return StyledTexts(wanted, tuple(_sentences(file) for file in files))


def refuse_twice(files: Sequence[Path]) -> None:
    """No file is named twice, by whichever path."""
    seen: set[str] = set()
    for file in files:
        place = os.path.realpath(file)
        if place in seen:
            raise UserError(f"{file} is given twice: every style needs a file of its own.")
        seen.add(place)


def file_styles(files: Sequence[Path]) -> list[str]:
    """What the files call their styles, all different.

    The endings, as in train.neg and train.pos; or the names, as in formal.txt and casual.txt; or
    the folders; or else the names with numbers behind them.
    """
    ways: tuple[Callable[[Path], str], ...] = (ending, _stem, lambda file: file.parent.name)
    for way in ways:
        found = [way(file) for file in files]
        if all(found) and len(set(found)) == len(found):
            return found
    return [f"{_stem(file)}-{number}" for number, file in enumerate(files, 1)]


def ending(file: Path) -> str:
    """What stands behind the last point of the name; nothing where that is a kind of file."""
    suffix = Path(file.name.removesuffix(".gz")).suffix
    return "" if suffix in SUFFIXES else suffix.removeprefix(".")


def _stem(file: Path) -> str:
    return Path(file.name.removesuffix(".gz")).stem


def _sentences(file: Path) -> tuple[str, ...]:
    cut = (" ".join(line.split()) for line in read_lines(file))
    found = tuple(text for text in cut if text)
    if not found:
        raise UserError(f"{file} holds blank lines only.")
    return found
