"""The command that checks the files of the experiments, and makes some of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sda.reproduction.data_files import Finding
    from sda.show.table import Table


FOLDER = Path("data")
PROGRAM = "sda data"
BUILD = "write it as sda data build coco --from ANNOTATIONS.json --out DATA"


def data(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER | build coco]",
            help="Data folder to check, by default `data`; or `build coco`, which makes the COCO"
            " files.",
        ),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="JSON file to write.")] = None,
    annotations: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="ANNOTATIONS.json",
            help="With build: captions_train2014.json or captions_val2014.json; repeatable.",
        ),
    ] = None,
    out: Annotated[Path | None, "With build: data folder to write; by default `data`."] = None,
    not_in: Annotated[
        list[Path] | None,
        typer.Option(
            "--not-in",
            help="With build: text file with sentences that training may not have; repeatable.",
        ),
    ] = None,
) -> None:
    """Check the files that the experiments read, and say where missing ones come from.

    `sda data build coco --from captions_val2014.json --out DATA` makes those of COCO.
    """
    from sda.errors import UserError

    given = words or []
    if given[:1] == ["build"] and len(given) > 1:
        if given[1:] != ["coco"]:
            raise UserError(f"{PROGRAM} {' '.join(given)}: only coco can be built; {BUILD}")
        if not annotations:
            raise UserError(f"{PROGRAM} build coco: --from is missing; {BUILD}")
        if json_file is not None:
            raise UserError("--json is for the check of a folder")
        _build_coco(annotations, out or FOLDER, not_in or [])
        return
    if len(given) > 1:
        raise UserError(f"{PROGRAM} {' '.join(given)}: name one folder; {BUILD}")
    if annotations or out is not None or not_in:
        raise UserError(f"--from, --out and --not-in are for building; {BUILD}")
    _check(Path(given[0]) if given else FOLDER, json_file)


def _build_coco(annotations: Sequence[Path], out: Path, not_in: Sequence[Path]) -> None:
    from sda.reproduction.coco_captions import (
        Sizes,
        nltk_words,
        read_captions,
        split_captions,
        write_split,
    )
    from sda.reproduction.data_files import PAGE, State, check_file, known_files
    from sda.text.reading import read_lines

    others = [line for path in not_in for line in read_lines(path)]
    split = split_captions(read_captions(annotations), nltk_words(), Sizes(), others)
    for path, lines, digest in write_split(split, out):
        print(f"{path}: {lines:,} lines, sha256 {digest}")
    ours = [file for file in known_files() if file.path.startswith("coco/")]
    if all(check_file(out, file).state is State.PRESENT for file in ours):
        print("These are the files of the ledger, byte for byte.")
    else:
        print(
            "These are not the files of the ledger, which drew other images and captions by the"
            f" same recipe ({PAGE}): compare figures on them with each other only, and give sda"
            " reproduce --results a folder of your own."
        )


def _check(folder: Path, json_file: Path | None) -> None:
    from dataclasses import asdict

    from sda.errors import UserError
    from sda.files import write_json
    from sda.reproduction.data_files import check_file, known_files

    findings = [check_file(folder, file) for file in known_files()]
    if json_file is not None:
        rows = [
            {**asdict(found.file), "state": found.state, "found_bytes": found.bytes}
            for found in findings
        ]
        write_json(json_file, rows)
    _show_files(folder, findings)
    wrong = [str(found) for found in findings if found.is_wrong]
    if wrong:
        raise UserError(
            f"{folder}: {'; '.join(wrong)}; figures on other files are not those of docs/results"
        )


def _show_files(folder: Path, findings: Sequence[Finding]) -> None:
    from rich.console import Console

    from sda.reproduction.data_files import PAGE, State, by_origin
    from sda.show.rich_tables import show

    missing = [found.file for found in findings if found.state is State.MISSING]
    lines = [
        f"missing: {', '.join(file.path for file in group)}"
        f"\n  needed for: {group[0].purpose}"
        f"\n  from: {group[0].origin}"
        f"\n  made so: {group[0].made}"
        f"\n  licence: {group[0].licence}"
        for group in by_origin(missing)
    ]
    right = sum(found.state is State.PRESENT for found in findings)
    end = f"; {PAGE} says how to make the missing ones" if missing else ""
    lines.append(f"{right} of {len(findings)} files are there as they should be{end}.")
    console = Console()
    show(_file_table(folder, findings), console)
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _file_table(folder: Path, findings: Sequence[Finding]) -> Table:
    """A row a file, under a row with the name of its folder: a terminal is narrow."""
    from sda.show.table import Cell, Column, Table

    columns = [
        Column("file", "left", is_whole=True),
        Column("what", "left"),
        Column("lines", is_whole=True),
        Column("bytes", is_whole=True),
        Column("state", "left"),
    ]
    rows: list[list[Cell]] = []
    above = ""
    for found in findings:
        file = found.file
        place, _, name = file.path.rpartition("/")
        if place != above:
            rows.append([f"{place}/", *[""] * 4])
            above = place
        lines = None if file.lines is None else f"{file.lines:,}"
        rows.append([f" {name}", file.what, lines, f"{file.bytes:,}", found.state.value])
    return Table.of_rows(f"Files of the experiments in {folder}", columns, rows)
