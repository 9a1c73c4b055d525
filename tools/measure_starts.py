"""Points over temperatures of starts whose records are older than those of what began with them.

    python tools/measure_starts.py budget --out RUNS --results results

Self-BLEU and distinct n-grams depend on the number of sentences, and older records have points
about another number. Each start of the experiment is trained again where its folder is gone; its
record keeps all its figures, and gets the new points beside them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sda.reproduction.definitions import Portion, experiment
from sda.reproduction.distance import has_points_like_its_table
from sda.reproduction.jobs import plan_jobs
from sda.reproduction.measure import commit, measure_points, sweep_for
from sda.reproduction.work import Places, train_job


def measure(name: str, profile: str, places: Places) -> None:
    for job in plan_jobs(experiment(name), Portion(profile, rows=["mle"])):
        record = places.ledger.find(job.key)
        if record is None or has_points_like_its_table(record) or record.later is not None:
            continue
        curve = measure_points(train_job(job, places), sweep_for(job))
        places.ledger.add_points(record, {"commit": commit(), **curve})
        print(job.name, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("experiment")
    parser.add_argument("--profile", default="small")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("runs/reproduce"))
    parser.add_argument("--results", type=Path, default=Path("results"))
    given = parser.parse_args()
    measure(given.experiment, given.profile, Places(given.data, given.out, given.results))


if __name__ == "__main__":
    main()
