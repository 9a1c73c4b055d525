"""Which share the judge of the preset `recommended` keeps best, on seeds that no table shows.

    python tools/choose_share.py --runs RUNS --out FILE.json --seeds 3 4 5

For each seed and share a run of the row `sda-2000` of the experiment `budget`, profile small. What
is taken is the share with the most grammatical sentences on average whose self-BLEU-5 is above the
start's by at most 0.03 on average and 0.04 in each seed: the aim is 0.04, and other seeds differ.
Runs that are done are not made again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean
from typing import Any

from sda.reproduction.definitions import experiment, merged
from sda.reproduction.jobs import make_job
from sda.reproduction.measure import commit
from sda.reproduction.work import Places, train_job

SHARES = (0.5, 0.45, 0.4, 0.35, 0.3)
WANTED, PAID = "grammatical-share", "self-bleu-5"
MOST_ON_AVERAGE, MOST = 0.03, 0.04


def measured(share: float, seed: int, places: Places) -> dict[str, Any]:
    """What was handed over, beside its start."""
    budget = experiment("budget")
    row = budget.row("sda-2000")
    settings = merged(row.settings, {"judge": {"keep": share}})
    job = make_job(budget, row.model_copy(update={"settings": settings}), "rnn", "small", seed)
    run = train_job(job, places)
    _, start, *_, handed = run.scores()
    figures = {
        side: {score.name: score.value for score in one.scores if score.name in (WANTED, PAID)}
        for side, one in (("start", start), ("handed", handed))
    }
    return {"share": share, "seed": seed, **figures, "kept": run.keep, "verdict": run.verdict}


def table(found: list[dict[str, Any]]) -> str:
    """The shares as a Markdown table, and the one that is taken."""
    lines = ["| share | grammatical | self-BLEU-5 above the start | kept |", "|---|---|---|---|"]
    allowed: dict[float, float] = {}
    for share in dict.fromkeys(one["share"] for one in found):
        runs = [one for one in found if one["share"] == share]
        good = [one["handed"][WANTED] for one in runs]
        paid = [one["handed"][PAID] - one["start"][PAID] for one in runs]
        if mean(paid) <= MOST_ON_AVERAGE and max(paid) <= MOST:
            allowed[share] = mean(good)
        cells = [
            f"{share:g}",
            f"{mean(good):.3f} ({', '.join(f'{value:.3f}' for value in good)})",
            f"{mean(paid):+.3f} ({', '.join(f'{value:+.3f}' for value in paid)})",
            ", ".join(f"{one['kept']:g}" for one in runs),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    taken = f"{max(allowed, key=lambda share: allowed[share]):g}" if allowed else "none"
    return "\n".join([*lines, "", f"taken: {taken}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[3, 4, 5])
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    chosen = parser.parse_args()
    places = Places(Path("data"), chosen.runs, chosen.runs / "ledger")
    found: list[dict[str, Any]] = []
    for seed in chosen.seeds:
        for share in chosen.shares:
            found.append(measured(share, seed, places))
            report = {"commit": commit(), "runs": found}
            chosen.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
            print(share, seed, found[-1]["handed"], found[-1]["verdict"], flush=True)
    print(table(found))


if __name__ == "__main__":
    main()
