"""The main job on embedded data: MLE beside SDA, with the control that asks what was bought."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from sda.runs.report import run_views
from sda.runs.run import Run
from sda.runs.train import train_run
from sda.settings.layers import Choices
from sda.show.rich_tables import show
from sda.show.run_page import score_table
from sda.show.terminal import Reporter

SCORES = (
    "nll-oracle",
    "nll-test",
    "grammatical-share",
    "bleu-3",
    "self-bleu-3",
    "distinct-2",
    "duplicate-share",
)


def run_demo(out: Path, seed: int, profile: str, reporter: Reporter) -> Run:
    """Train SDA on captions, or go on with it, and print the table."""
    choices = Choices("captions", profile=profile, values={"seed": seed})
    settings, origins = choices.settle()
    run = train_run(settings, origins, out, reporter, resume=True)
    console = Console()
    title = f"captions, profile {profile}, seed {seed}: a single run"
    show(score_table(run_views([run]), SCORES, title), console)
    line = f"report with plots: {run.folder.report}"
    console.print(line, highlight=False, markup=False, soft_wrap=True)
    return run
