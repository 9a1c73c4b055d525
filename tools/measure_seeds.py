"""Rows of an experiment on seeds that its table does not have.

    python tools/measure_seeds.py budget --rows sda-500 --rows sda-2000 --seeds 6 7 8 \\
        --scores grammatical-share self-bleu-5 --runs RUNS --out FILE.json
    python tools/measure_seeds.py table FILE.json [FILE.json ...]

Each row is run in profile `small` as `sda reproduce` would run it, from a start of its own seed.
The file has the scores of starts and results, from the table of each run; runs that are done are
not made again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean
from typing import Any

from sda.reproduction.definitions import experiment
from sda.reproduction.jobs import make_job
from sda.reproduction.measure import commit
from sda.reproduction.work import Places, train_job


def measured(name: str, row: str, seed: int, scores: list[str], places: Places) -> dict[str, Any]:
    """The scores of a run and of its start, and what it handed over."""
    found = experiment(name)
    run = train_job(make_job(found, found.row(row), "rnn", "small", seed), places)
    _, start, *_, result = run.scores()
    figures = {
        side: {score.name: score.value for score in one.scores if score.name in scores}
        for side, one in (("start", start), ("result", result))
    }
    calls = run.costs().get("calls", 0)
    return {"row": row, "seed": seed, **figures, "calls": calls, "verdict": run.verdict}


def table(files: list[Path]) -> str:
    """The rows as a Markdown table: means, and the values of each seed."""
    runs = [run for file in files for run in json.loads(file.read_text(encoding="utf-8"))["runs"]]
    names = list(runs[0]["start"])
    lines = [f"| row | seeds | {' | '.join(names)} |", "|---" * (2 + len(names)) + "|"]
    for row in dict.fromkeys(run["row"] for run in runs):
        some = sorted((run for run in runs if run["row"] == row), key=lambda run: run["seed"])
        seeds = ", ".join(str(run["seed"]) for run in some)
        for side in ("start", "result"):
            cells = [_cell([run[side][name] for run in some]) for name in names]
            title = row if side == "result" else f"start of {row}"
            lines.append(f"| {title} | {seeds} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(values: list[float]) -> str:
    return f"{mean(values):.4f} ({', '.join(f'{value:.3f}' for value in values)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("what", help="the experiment, or `table`")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--rows", action="append", default=[])
    parser.add_argument("--seeds", type=int, nargs="+", default=[])
    parser.add_argument("--scores", nargs="+", default=[])
    parser.add_argument("--runs", type=Path)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if chosen.what == "table":
        print(table(chosen.files))
        return
    places = Places(Path("data"), chosen.runs, chosen.runs / "ledger")
    found: list[dict[str, Any]] = []
    for seed in chosen.seeds:
        for row in chosen.rows:
            found.append(measured(chosen.what, row, seed, chosen.scores, places))
            report = {"commit": commit(), "runs": found}
            chosen.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
            print(found[-1], flush=True)
    print(table([chosen.out]))


if __name__ == "__main__":
    main()
