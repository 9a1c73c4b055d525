"""What a pretrained discriminator buys in SDA as the paper has it, beside one from scratch.

    python tools/compare_judges.py TEXT --generator hf:MODEL --judge rnn --judge hf:ENCODER \\
        --metric good.py:score --steps 20 --seeds 3 --out RUNS

Each judge has a start of its own for each seed, and then as many steps, held near that start. Start
and result write at several temperatures. A colder model scores higher and varies less, so they are
compared at equal distinct-2: the metric where the result's curve over temperatures has the
distinct-2 of its start at temperature 1, less the start's metric. One line of JSON a run.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from sda.reference.function import load_function
from sda.runs.run import Run
from sda.runs.train import train_run
from sda.settings.layers import Choices
from sda.show.terminal import Quiet

TEMPERATURES = (0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3)
SHARED = ("stage2.kl=0.05", "stage2.baseline=batch_mean", "stage2.rollouts=0")


def distinct_2(texts: list[str]) -> float:
    """The share of pairs of neighbouring words that are different ones."""
    pairs = [pair for text in texts for pair in zip(text.split(), text.split()[1:], strict=False)]
    return len(set(pairs)) / max(1, len(pairs))


def curve(run: Run, stage: str, score: Any, samples: int) -> list[tuple[float, float]]:
    """distinct-2 and the metric at each temperature."""
    points = []
    for temperature in TEMPERATURES:
        texts = run.sample(samples, temperature=temperature, seed=1, stage=stage, keep=1)
        points.append((distinct_2(texts), float(np.mean(score(texts)))))
    return points


def metric_at(points: list[tuple[float, float]], wanted: float) -> float:
    """The metric where the curve has that distinct-2, between two temperatures; its end beyond."""
    ordered = sorted(points)
    return float(np.interp(wanted, [d for d, _ in ordered], [m for _, m in ordered]))


def compare(given: argparse.Namespace) -> None:
    score = load_function(given.metric)
    for seed in range(given.seeds):
        for judge in given.judge:
            out = given.out / f"{judge.partition(':')[0]}-{seed}"
            choices = Choices(
                str(given.text),
                method="sda",
                preset="paper",
                generator=given.generator,
                discriminator=judge,
                metric=given.metric,
                profile=given.profile,
                values={"seed": seed},
                assignments=(
                    *SHARED,
                    f"stage2.epochs={given.steps}",
                    "stage2.first_steps=1",
                    *given.settings,
                ),
            )
            settings, origins = choices.settle()
            run = train_run(settings, origins, out, Quiet(), resume=True)
            before = curve(run, "mle", score, given.samples)
            after = curve(run, "last", score, given.samples)
            at = dict(zip(TEMPERATURES, before, strict=True))[1.0]
            found = {
                "judge": judge,
                "seed": seed,
                "distinct_2": at[0],
                "start": at[1],
                "gain": metric_at(after, at[0]) - at[1],
                "plain": dict(zip(TEMPERATURES, after, strict=True))[1.0],
                "cpu": run.costs().get("cpu_seconds"),
            }
            print(json.dumps(found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--generator", required=True)
    parser.add_argument("--judge", action="append", required=True)
    parser.add_argument("--metric", required=True)
    parser.add_argument("--profile", default="small")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--set", dest="settings", action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    compare(parser.parse_args())


if __name__ == "__main__":
    main()
