"""Files and values given to the one function that lets them in, without a command around it.

A whole command spends most of its time on what comes after. Here a case is a file that something
happened to, or words that are none, and the function at the door: it gives a value, or one sentence
that names the file. Kinds of whole commands attack the same doors, with all that follows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from .calling import HIDDEN
from .damage import ANY, damage
from .ground import Ground
from .verdicts import EXIT, SILENT, Told, Verdict, judged
from .worker import Kind

SEALS = ("state_sha256", "sha256")


@dataclass(frozen=True)
class Door:
    """A file of a folder, and what the function that reads it makes of the folder.

    `beside` are files that it reads as well. Where it `is_sealed`, a checksum tells every change.
    """

    source: Callable[[Ground], Path]
    file: str
    read: Callable[[Path], object]
    beside: tuple[str, ...] = ()
    is_sealed: bool = False


def entered(read: Callable[[], object], tried: str, file: str | None = None) -> tuple[Verdict, Any]:
    """Whether what is read is let in or refused as it should be, and what came in, if anything."""
    from sda.errors import UserError

    code, said, trouble, value = 0, "", None, None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for hidden in HIDDEN:
            warnings.simplefilter("ignore", hidden)
        try:
            value = read()
        except UserError as refusal:
            code, said = 2, str(refusal)
        except KeyboardInterrupt:
            raise
        except BaseException as found:
            trouble = found
    lines = [warnings.formatwarning(w.message, w.category, w.filename, w.lineno) for w in warned]
    verdict = judged(Told(code, "", "".join((*lines, said)), trouble), tried)
    if verdict.fault is None and code == 2:
        if file is not None and file not in said:
            return Verdict(EXIT, "a refusal that does not name the file", said, tried), None
        if "\n" in said.strip():
            return Verdict(EXIT, "a refusal of several lines", said, tried), None
    return verdict, value


@dataclass
class DamagedAtTheDoor(Kind):
    """Files of one sort of folder, each damaged and read by its own function."""

    name: str
    about: str
    share: float
    doors: Mapping[str, Door]
    _whole: dict[Path, bytes] = field(default_factory=dict)
    _values: dict[str, Any] = field(default_factory=dict)

    def prepare(self, ground: Ground) -> None:
        for name, door in self.doors.items():
            self._values[name] = _plain(door.read(door.source(ground)))

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        name = chance.choice(list(self.doors))
        door = self.doors[name]
        source, place = door.source(ground), folder / "it"
        for each in (door.file, *door.beside):
            target = place / each
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(self._content(source / each))
        target = place / door.file
        others = [
            other.source(ground) / other.file
            for other in self.doors.values()
            if other.file.endswith(target.suffix) and other is not door
        ]
        what = damage(target, others, chance)
        tried = f"{name}: {door.file} {what}"
        # A file that is gone, or no file, may be told by the name of its folder.
        verdict, value = entered(lambda: door.read(place), tried, str(place))
        if verdict.fault is not None or value is None or not door.is_sealed:
            return verdict
        if not what.startswith("replaced") and _plain(value) != self._values[name]:
            return Verdict(SILENT, f"{name}: another value", str(value)[:500], tried)
        return verdict

    def _content(self, path: Path) -> bytes:
        if path not in self._whole:
            self._whole[path] = path.read_bytes()
        return self._whole[path]


def _plain(value: Any) -> Any:
    """The value without its seals, for comparison."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if key not in SEALS}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return repr(value)


@dataclass
class AtTheDoor(Kind):
    """Something made up for each case, given to one of several functions."""

    name: str
    about: str
    share: float
    made: Callable[[Ground, int, Random, Path], tuple[Callable[[], object], str, str | None]]
    """What to call, what was tried in words, and what a refusal has to name."""
    prepared: Callable[[Ground], object] = lambda _: None

    def prepare(self, ground: Ground) -> None:
        self.prepared(ground)

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        read, tried, file = self.made(ground, number, chance, folder)
        return entered(read, tried, file)[0]


def hurt(file: Path, chance: Random, share: float) -> str:
    """In a share of cases something happens to the file, told in words."""
    return f", {chance.choice(ANY)(file, chance)}" if chance.random() < share else ""
