"""`python -m benchmarks`: run every `bench_*.py`, print a table and write the numbers as JSON."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.harness import Limit, Row, as_dict, from_dict

FOLDER = Path(__file__).parent
PACKAGES = ("sda", "torch", "numpy", "numba", "nltk", "fast-bleu")


def main() -> None:
    names = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=names, help="run this one alone, and keep other rows")
    parser.add_argument("--json", type=Path, default=FOLDER / "results.json", metavar="FILE")
    arguments = parser.parse_args()

    failed: list[str] = []
    rows = run(arguments.only) if arguments.only else run_apart(names, failed)
    Console().print(table(rows))
    now = commit()
    records = [{**as_dict(row), "commit": now} for row in rows]
    if (arguments.only or failed) and arguments.json.exists():
        records = laid_over(json.loads(arguments.json.read_text(encoding="utf-8"))["rows"], records)
    report = {**circumstances(), "rows": records}
    arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    if failed:
        raise SystemExit(f"Not measured, see above: {', '.join(failed)}. Their old rows are kept.")


def laid_over(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that were measured now, after those that were measured before and are not."""
    names = {row["name"] for row in new}
    return [row for row in old if row["name"] not in names] + new


def run_apart(names: list[str], failed: list[str]) -> list[Row | Limit]:
    """The rows of all benchmarks, each in a process of its own: one's heap would slow the next.
    Those that fail are added to `failed`, and cost no other its rows."""
    rows: list[Row | Limit] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            file = Path(folder) / f"{name}.json"
            command = [sys.executable, "-m", "benchmarks", "--only", name, "--json", str(file)]
            is_done = subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
            print(f"{name}: {'done' if is_done else 'failed'}", file=sys.stderr)
            if not is_done:
                failed.append(name)
                continue
            found = json.loads(file.read_text(encoding="utf-8"))["rows"]
            rows += map(from_dict, found)
    return rows


def run(name: str) -> list[Row | Limit]:
    """The rows of one benchmark, on one thread."""
    torch.set_num_threads(1)
    try:
        module = importlib.import_module(f"benchmarks.bench_{name}")
    except ModuleNotFoundError as error:
        raise SystemExit(
            f"The {name} benchmark needs {error.name}: pip install -e '.[dev,bench]'"
        ) from error
    rows: list[Row | Limit] = module.rows()
    return rows


def table(rows: list[Row | Limit]) -> Table:
    """The rows for reading; CPU seconds on one thread."""
    result = Table("name", "ours", "reference", "ratio", "goal", "met", "note")
    verdicts = {None: "", True: "yes", False: "NO"}
    for row in rows:
        result.add_row(row.name, *cells(row), verdicts[row.is_met], row.note)
    return result


def cells(row: Row | Limit) -> tuple[str, str, str, str]:
    """Ours, the reference, the ratio and the goal."""
    if isinstance(row, Limit):
        return f"{row.amount:.4g} {row.unit}", "", "", f"below {row.goal_below:g} {row.unit}"
    return (
        f"{row.ours_seconds:.4g} s",
        f"{row.reference_seconds:.4g} s",
        f"{row.ratio:.1f}",
        "" if row.goal_ratio is None else f"{row.goal_ratio:g}",
    )


def circumstances() -> dict[str, object]:
    """What the numbers depend on besides the code: versions and machine."""
    return {
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := installed(name))},
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def commit() -> str | None:
    """The commit of this folder, marked where files have changed since; None without git."""
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=FOLDER,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return described.stdout.strip()


if __name__ == "__main__":
    main()
