"""What SDA makes of the metric beside it, against MLE and RL: one table over several seeds.

    python examples/dog/compare.py --out runs/dog --seeds 0 1 2

Runs that are finished are not repeated. Every row is over all seeds: mean and standard deviation.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

import sda

METRIC = f"{Path(__file__).parent / 'metric.py'}:score"
SCORES = ("bleu-3", "self-bleu-3", "distinct-2", "grammatical-share", "nll-test", "duplicate-share")


def figures(run: sda.Run, name: str, stage: str, seed: int) -> dict[str, float]:
    """The share of samples with a dog, and the scores of the row of that name."""
    texts = run.sample(10_000, seed=seed, stage=stage)
    row = next(row for row in run.scores() if row.name == name and row.temperature == 1.0)
    dogs = sum("dog" in text.split() for text in texts) / len(texts)
    return {"dog-share": dogs, **{score: row.value(score) for score in SCORES}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("runs/dog"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--profile", default="small")
    options = parser.parse_args()

    rows: dict[str, list[dict[str, float]]] = {"mle": [], "rl": [], "sda": []}
    for seed in options.seeds:
        for method, metric in (("sda", METRIC), ("rl", None)):
            folder = options.out / f"{method}-{options.profile}-{seed}"
            run = sda.train(
                "captions",
                folder,
                method=method,
                metric=metric,
                profile=options.profile,
                seed=seed,
                resume=True,
                quiet=False,
            )
            if method == "sda":
                rows["mle"].append(figures(run, "mle", "mle", seed))
            rows[method].append(figures(run, method, "last", seed))
    print(f"| | {' | '.join(('dog-share', *SCORES))} |")
    print(f"|---|{'---|' * (len(SCORES) + 1)}")
    for name, found in rows.items():
        cells = []
        for score in ("dog-share", *SCORES):
            values = [figure[score] for figure in found]
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            cells.append(f"{statistics.mean(values):.3f} ± {spread:.3f}")
        print(f"| {name} | {' | '.join(cells)} |")
    (options.out / "table.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
