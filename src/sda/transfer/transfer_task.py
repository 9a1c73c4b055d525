"""What is to be rewritten, into which styles, and how people rewrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sda.errors import UserError
from sda.text.reading import read_lines
from sda.transfer.styled import ending, file_styles, refuse_twice


@dataclass(frozen=True)
class TransferTask:
    """Source sentences, those of one style after those of another.

    `origins` and `targets` say of each which of the styles `names` it has and is to have;
    `references` are rewritings by people, each of them one of every source.
    """

    names: tuple[str, ...]
    sources: tuple[str, ...]
    origins: tuple[int, ...]
    targets: tuple[int, ...]
    references: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        sizes = {len(part) for part in (self.sources, self.origins, self.targets, *self.references)}
        if len(sizes) > 1:
            raise ValueError("every source has an origin, a target and a place in all references")


@dataclass(frozen=True)
class System:
    """Who rewrote, and all rewritings in the order of the sources."""

    name: str
    texts: tuple[str, ...]


class SourceFiles:
    """Files of sources, one for each style that is rewritten, and what belongs to them."""

    def __init__(self, files: Sequence[Path], styles: Sequence[str] | None = None) -> None:
        """`styles` are all that there are; without them, those of the files."""
        refuse_twice(files)
        self.files = tuple(files)
        own = file_styles(files)
        self.names = tuple(own if styles is None else styles)
        if set(own) <= set(self.names):
            self.origins = tuple(self.names.index(name) for name in own)
        elif len(own) == len(self.names):
            self.origins = tuple(range(len(own)))
        else:
            raise UserError(
                f"{files[0]}: sources of the styles {', '.join(own)} have no place among"
                f" {', '.join(self.names)}: name as many files, or give them the same endings."
            )
        self.lines = [_lines(file) for file in files]

    def task(
        self, references: Sequence[Path] = (), targets: Sequence[str] | None = None
    ) -> TransferTask:
        """The sources with the style that each is to get, and references from such files."""
        wanted = self.file_targets(targets)
        sizes = [len(part) for part in self.lines]
        return TransferTask(
            self.names,
            tuple(text for part in self.lines for text in part),
            _spread(self.origins, sizes),
            _spread(wanted, sizes),
            tuple(system.texts for system in self.systems(references)),
        )

    def systems(self, files: Sequence[Path]) -> list[System]:
        """The rewritings of each system: as many files as there are of sources, line by line.

        Files with the endings of the sources belong together by the rest of their names, in any
        order; others as they follow each other.
        """
        found = []
        for name, group in self._groups(files):
            parts = [_lines(file) for file in group]
            for file, part, source, lines in zip(group, parts, self.files, self.lines, strict=True):
                if len(part) != len(lines):
                    raise UserError(
                        f"{file} has {len(part):,} lines where {source} has {len(lines):,}: line"
                        " by line, one is the rewriting of the other."
                    )
            found.append(System(name, tuple(text for part in parts for text in part)))
        return found

    def file_targets(self, wanted: Sequence[str] | None) -> tuple[int, ...]:
        """The number of the style that each file is to get; of two, the other one."""
        if len(self.names) < 2:
            raise UserError(
                f"{self.files[0]} is the only file of sources: name the other style as well, by"
                " further sources or by --train."
            )
        if wanted is None:
            if len(self.names) != 2:
                raise UserError(
                    f"there are {len(self.names)} styles: say by --targets which one the sentences"
                    f" of each file were to get ({', '.join(map(str, self.files))})."
                )
            return tuple(1 - origin for origin in self.origins)
        if len(wanted) != len(self.files):
            raise UserError(f"--targets: {len(self.files)} files need as many, not {len(wanted)}.")
        for name in wanted:
            if name not in self.names:
                raise UserError(
                    f"--targets: there is no style {name!r}: there are {', '.join(self.names)}."
                )
        return tuple(self.names.index(name) for name in wanted)

    def _groups(self, files: Sequence[Path]) -> list[tuple[str, tuple[Path, ...]]]:
        if files:
            refuse_twice(files)
        endings = [ending(file) for file in self.files]
        if all(endings) and all(ending(file) in endings for file in files):
            return self._by_endings(files, endings)
        size = len(self.files)
        if len(files) % size:
            raise UserError(
                f"{files[-1]}: {len(files)} files do not make groups of {size}, one for each file"
                " of sources."
            )
        groups = [tuple(files[i : i + size]) for i in range(0, len(files), size)]
        return list(zip(_names([group[0] for group in groups]), groups, strict=True))

    def _by_endings(
        self, files: Sequence[Path], endings: Sequence[str]
    ) -> list[tuple[str, tuple[Path, ...]]]:
        parts: dict[Path, dict[str, Path]] = {}
        for file in files:
            own = ending(file)
            rest = file.with_name(file.name.removesuffix(".gz").removesuffix(f".{own}"))
            parts.setdefault(rest, {})[own] = file
        for rest, found in parts.items():
            for own in endings:
                if own not in found:
                    raise UserError(f"{rest}.{own} is missing beside {next(iter(found.values()))}.")
        groups = [tuple(found[own] for own in endings) for found in parts.values()]
        return list(zip(_names(list(parts)), groups, strict=True))


def _spread(values: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
    """Each value as often as its size says."""
    return tuple(value for value, size in zip(values, sizes, strict=True) for _ in range(size))


def _names(files: Sequence[Path]) -> list[str]:
    """The names of the files, with their folders where those are needed to tell them apart."""
    short = [file.name for file in files]
    return short if len(set(short)) == len(short) else [str(file) for file in files]


def _lines(file: Path) -> tuple[str, ...]:
    """All lines, blank ones too: each of them has a place."""
    left_out: set[int] = set()
    found = read_lines(file, left_out=left_out)
    if left_out:
        raise UserError(f"{file}, line {min(left_out)}: too long for a sentence.")
    return tuple(" ".join(line.split()) for line in found)
