"""The main job on embedded data: what 2,000 calls of a metric buy, by several methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from sda.evaluation.evaluator import Evaluation
from sda.runs.budget import TRIED
from sda.runs.run import Run
from sda.runs.train import train_run
from sda.settings.layers import Choices
from sda.show.rich_tables import show
from sda.show.table import NAMES, Cell, Column, Table
from sda.show.terminal import Reporter

METRIC = "grammatical"
CALLS = 2000
# With titles that leave room for the costs on a terminal of 80 columns.
SCORES = {
    "grammatical-share": "grammatical",
    "self-bleu-5": "self-BLEU-5",
    "distinct-2": "distinct-2",
}
# Less text than in the profile and shorter training, so that it takes under three minutes. The best
# of two for each sample, and what the metric is tried on, are as many calls as the others have.
SCALE: dict[str, Any] = {
    "embedded": {"train": 4000, "test": 2000},
    "discriminator_phase": {"first_rounds": 0},
    "evaluation": {"final_samples": (CALLS - TRIED) // 2},
    "mle": {"epochs": 16},
}
FEW = {"stage2": {"epochs": 3}, "judge": {"members": 2}}
NOTE = (
    "Calls: sentences that the metric scored, all told. Written: sentences for each one that is"
    " kept. Lower self-BLEU and higher distinct-2 are more varied."
)


def run_demo(out: Path, seed: int, profile: str, reporter: Reporter) -> list[Run]:
    """Train the methods on captions, or go on with it, and print table and verdict."""

    def trained(name: str, method: str, preset: str, **values: Any) -> Run:
        choices = Choices(
            "captions",
            method=method,
            preset=preset,
            profile=profile,
            metric=METRIC,
            values={**({} if profile == "smoke" else SCALE), "seed": seed, **values},
        )
        settings, origins = choices.settle()
        return train_run(settings, origins, out / name, reporter, resume=True)

    start = str(out / "sda")
    limit = {"calls": {"limit": CALLS}}
    shorter = {} if profile == "smoke" else FEW
    sda = trained("sda", "sda", "recommended", **limit, **shorter)
    reward = trained("metric-reward", "sda", "metric-reward", start=start, **limit)
    best = trained("best-of-2", "best-of-n", "paper", start=start, selection={"candidates": 2})
    runs = [sda, reward, best]
    console = Console()
    show(_table(runs, f"captions, profile {profile}, seed {seed}: a single run"), console)
    for line in (sda.verdict, f"report with plots: {sda.folder.report}"):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    return runs


def _table(runs: list[Run], title: str) -> Table:
    """One row a way of writing: what it scored, and what it cost."""
    sda, reward, best = runs
    real, start, cold = sda.scores()[:3]
    rows = [
        _row("real text", real),
        _row("MLE", start, 0, 1),
        _row(f"MLE at T = {cold.temperature:g}", cold, 0, 1),
        _row("metric as reward", _last(reward), reward.costs()["calls"], 1),
        _row("best of 2", _last(best), best.costs()["calls"], 2),
        _row("SDA", _last(sda), sda.costs()["calls"], 1 / sda.keep),
    ]
    columns = [
        NAMES,
        *(Column(title, digits=3) for title in SCORES.values()),
        Column("calls", digits=0),
        Column("written", digits=1),
    ]
    return Table.of_rows(title, columns, rows, [NOTE])


def _row(
    name: str, found: Evaluation, calls: float | None = None, written: float | None = None
) -> list[Cell]:
    return [name, *(found.value(score) for score in SCORES), calls, written]


def _last(run: Run) -> Evaluation:
    """What became of the run: its last row at temperature 1."""
    return [row for row in run.scores() if row.temperature == 1][-1]
