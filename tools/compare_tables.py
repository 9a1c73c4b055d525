"""Whether two versions of the code make the same tables from the ledger.

    python tools/compare_tables.py dump OUT
    python tools/compare_tables.py compare A B [--grown]

`dump` writes every table of the installed package in every form, `OUT/PROFILE/EXPERIMENT.FORM`, for
all profiles that the ledger has records of. `compare` holds two such folders against each other;
in place of a folder of tables it also takes a folder of sources, `src` of a checkout, whose tables
it makes first. It lists what differs and fails if a figure does: in JSON every value counts, in
the other forms the numbers in their order. Other words around the same numbers are told, no more.
With `--grown` only figures that the first has count, in JSON alone: tables have got rows since.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from difflib import unified_diff
from inspect import signature
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"
FORMS = ("json", "markdown", "latex", "screen")
WIDTH = "200"  # letters; few tables have to be cut into parts then
SHOWN = 20  # differences of one file
# What tells a table, a row or a difference from its neighbours in JSON.
NAMES = ("experiment", "base", "profile", "row", "minus", "plane")
NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")


def dump(out: Path, results: Path) -> None:
    """The folder holds every table in every form."""
    from sda.cli import app
    from sda.commands.reproducing import table
    from sda.reproduction.definitions import experiment_names
    from sda.reproduction.ledger import Ledger

    os.environ["COLUMNS"] = WIDTH
    # Older versions have no narrow table on the screen, and no word for the whole one.
    has_narrow = "is_whole" in signature(table).parameters
    more = {form: ["--all"] if has_narrow and form == "screen" else [] for form in FORMS}
    for profile in sorted({record.data["profile"] for record in Ledger(results).records()}):
        (out / profile).mkdir(parents=True, exist_ok=True)
        for name in experiment_names():
            for form in FORMS:
                command = ["table", name, "--profile", profile, "--format", form, *more[form]]
                path = out / profile / f"{name}.{form}"
                with path.open("w", encoding="utf-8") as file, redirect_stdout(file):
                    app([*command, "--results", str(results)], standalone_mode=False)


def tables_in(folder: Path, results: Path, room: Path) -> Path:
    """The folder itself, or one with the tables that the sources in it make."""
    if not (folder / "sda").is_dir():
        return folder
    command = [sys.executable, __file__, "dump", str(room), "--results", str(results)]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(folder.resolve())})
    return room


def different_values(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """The places of two JSON values that differ, with what stands there."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            if key in one and key in other:
                yield from different_values(one[key], other[key], f"{place}.{key}")
            else:
                yield f"{place}.{key}: only in {'the first' if key in one else 'the second'}"
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from different_values(left, right, f"{place}[{number}]")
    elif one != other:
        yield f"{place}: {one!r} and {other!r}"


def lost_values(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """The numbers of the first JSON value that the second does not have in their place, whatever
    rows, columns and words the second has besides."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key, value in one.items():
            yield from lost_values(value, other.get(key), f"{place}.{key}")
    elif isinstance(one, list) and any(isinstance(value, dict) for value in one):
        known = {_name(value): value for value in other or ()}
        for value in one:
            yield from lost_values(value, known.get(_name(value)), f"{place}.{_name(value)}")
    elif one != other and not _is_words(one):
        yield f"{place}: {one!r} and {other!r}"


def _name(value: dict[str, Any]) -> str:
    """What a table, row or difference is told by; lines that are no row have their title."""
    own = [str(value[key]) for key in NAMES if value.get(key) is not None]
    return "/".join(own if "row" not in value or value["row"] else [*own, value["title"]])


def _is_words(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(map(_is_words, value)))


def different_figures(one: str, other: str) -> list[str]:
    """Lines of a text whose numbers differ; none if all numbers are the same in their order."""
    if NUMBER.findall(one) == NUMBER.findall(other):
        return []
    lines = unified_diff(one.splitlines(), other.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def compare(first: Path, second: Path, *, is_grown: bool = False) -> bool:
    """Whether both folders have the same tables, or the second all figures of the first where it
    may have grown; differences are printed."""
    folders = (first, second)
    files = "*.json" if is_grown else "*.*"
    names = [{path.relative_to(f) for path in f.rglob(files)} for f in folders]
    is_same = bool(names[0])
    for name in sorted(names[0] if is_grown else names[0] | names[1]):
        missing = [str(f) for f, known in zip(folders, names, strict=True) if name not in known]
        if missing:
            print(f"{name}: not in {missing[0]}")
            is_same = False
            continue
        one, other = ((folder / name).read_text(encoding="utf-8") for folder in folders)
        if one == other:
            continue
        if name.suffix == ".json":
            differences = lost_values if is_grown else different_values
            found = list(differences(json.loads(one), json.loads(other)))
        else:
            found = different_figures(one, other)
        print(f"{name}: {'figures differ' if found else 'other words, the same figures'}")
        for line in found[:SHOWN]:
            print(f"  {line}")
        is_same = is_same and not found
    print(f"{len(names[0])} files: {'the same figures' if is_same else 'not the same'}")
    return is_same


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=("dump", "compare"))
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--results", type=Path, default=RESULTS, help="Folder of the ledger.")
    parser.add_argument("--grown", action="store_true", help="The second may have more rows.")
    options = parser.parse_args()
    wanted = 1 if options.command == "dump" else 2
    if len(options.folders) != wanted:
        parser.error(f"{options.command} takes {wanted} folder{'s' if wanted > 1 else ''}")
    if options.command == "dump":
        dump(options.folders[0], options.results)
        return
    with tempfile.TemporaryDirectory() as room:
        folders = [
            tables_in(folder, options.results, Path(room) / str(number))
            for number, folder in enumerate(options.folders)
        ]
        sys.exit(not compare(*folders, is_grown=options.grown))


if __name__ == "__main__":
    main()
