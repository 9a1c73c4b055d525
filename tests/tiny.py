"""Runs that take seconds, and what makes two of them the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

from sda.runs.run import Run
from sda.runs.train import train_run
from sda.settings.layers import Choices, Layers
from sda.settings.schema import Settings
from sda.show import run_page
from sda.show.terminal import Quiet, Reporter

# On top of the smoke profile: two epochs, one round and two epochs, of a few updates each.
TINY = (
    "embedded.train=120",
    "embedded.valid=30",
    "embedded.test=40",
    "generator.embedding=8",
    "generator.hidden=8",
    "discriminator.embedding=4",
    "discriminator.maps=[4, 4, 4]",
    "mle.epochs=2",
    "discriminator_phase.first_sentences=16",
    "discriminator_phase.sentences=16",
    "buffer.candidates=16",
    "buffer.first_fill=32",
    "stage2.epochs=2",
    "stage2.first_steps=2",
    "stage2.batch_size=8",
    "stage2.rollouts=1",
    "stage2.rollout_every=5",
    "evaluation.samples=20",
    "evaluation.final_samples=30",
)
# For what is slow at every step: one of everything, and few sentences.
BRIEF = (
    "mle.epochs=1",
    "stage2.first_steps=1",
    "stage2.rollout_every=8",
    "discriminator_phase.passes=1",
    "discriminator_phase.rounds=1",
    "buffer.candidates=4",
    "buffer.first_fill=8",
    "evaluation.samples=10",
    "evaluation.final_samples=10",
)
EPOCHS = 5
# Of what Stage II may cost in diversity.
NO_LIMITS = tuple(
    f"hand_over.{name}=1e9" for name in ("duplicates", "copies", "self_bleu", "mauve", "reverse")
)
SMALL_ORACLE = ("embedded.length=8", "embedded.vocabulary=50", "embedded.oracle_size=8")


def sets(assignments: Sequence[str]) -> list[str]:
    """Assignments as options of a command."""
    return [word for assignment in assignments for word in ("--set", assignment)]


# What `train_tiny` does, for the command.
SETS = ("--preset", "paper", *sets(TINY))
SMOKE = ("--profile", "smoke", "--quiet", *SETS)


def toy_lines() -> list[str]:
    """Eighty distinct sentences of six words."""
    adjectives = ("red", "old", "big", "sad", "shy")
    nouns = ("cat", "dog", "bird", "fish")
    verbs = ("sat", "ran", "slept", "sang")
    lines = [
        f"the {adjective} {noun} {verb} near {other}"
        for adjective, noun, verb, other in product(adjectives, nouns, verbs, nouns)
    ]
    return lines[::4]


def write_toy(path: Path) -> Path:
    path.write_text("".join(f"{line}\n" for line in toy_lines()), encoding="utf-8")
    return path


def file_with(path: Path, content: bytes | None) -> Path:
    """The path, where a file with the content is now; with None there is none."""
    if content is not None:
        path.write_bytes(content)
    return path


def tiny_settings(
    source: str | Path, *more: str, **choices: Any
) -> tuple[Settings, dict[str, str]]:
    """Settings of a tiny run and their origins; `more` are further assignments.

    The preset is the paper's unless another is named, for files too.
    """
    choices = {"preset": "paper", **choices}
    wanted = Choices(str(source), profile="smoke", assignments=(*TINY, *more), **choices)
    return wanted.settle()


def tiny_table() -> dict[str, Any]:
    """The tiny settings as the nested mapping that `sda.train` takes."""
    layers = Layers([])
    for assignment in TINY:
        layers.set(assignment)
    return layers.table


def metric_file(folder: Path, name: str, code: str) -> str:
    """A user's metric in a file, as --metric wants it; `code` is its one expression of a text."""
    path = folder / f"{name}.py"
    path.write_text(f"def {name}(texts):\n    return [float({code}) for text in texts]\n")
    return f"{path}:{name}"


def train_tiny(
    source: str | Path,
    out: Path,
    more: Sequence[str] = (),
    reporter: Reporter | None = None,
    resume: bool = False,
    **choices: Any,
) -> Run:
    """A run of seconds."""
    settings, origins = tiny_settings(source, *more, **choices)
    return train_run(settings, origins, out, reporter or Quiet(), resume)


DRAWN = {"draw_curves": run_page.draw_curves, "draw_plane": run_page.draw_plane}
UNDRAWN = {"draw_curves": lambda runs: [], "draw_plane": lambda *plane, **options: ""}


def undrawn() -> AbstractContextManager[object]:
    """No page of a run has a drawing: to draw them takes longer than to train a tiny run."""
    return mock.patch.multiple(run_page, **UNDRAWN)


def drawn() -> AbstractContextManager[object]:
    """Pages of runs have their drawings after all."""
    return mock.patch.multiple(run_page, **DRAWN)


@dataclass(frozen=True)
class Answer:
    """What a command said, and the code that it ended with."""

    code: object
    out: str
    err: str


def assert_one_sentence(answer: Answer, *words: str) -> None:
    """The sentence, with these words in it, is all that was said; nothing but warnings precedes."""
    *warnings, last = answer.err.splitlines()
    assert answer.code == 2
    assert answer.out == ""
    assert all(line.startswith("warning: ") for line in warnings)
    assert last.startswith("sda: ")
    for word in words:
        assert word in last


class Interrupting(Quiet):
    """Stands for a user who presses Ctrl-C after so many epochs, or so many updates."""

    def __init__(self, epochs: int | None = None, ticks: int | None = None) -> None:
        self.epochs = epochs
        self.ticks = ticks

    def epoch(self, line: dict[str, Any]) -> None:
        if self.epochs is not None:
            self.epochs -= 1
            if self.epochs == 0:
                raise KeyboardInterrupt

    def tick(self) -> None:
        if self.ticks is not None:
            self.ticks -= 1
            if self.ticks == 0:
                raise KeyboardInterrupt


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def outcome(folder: Path) -> dict[str, Any]:
    """Everything that two equal runs agree on: all but the seconds."""
    names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    same = {
        str(name): hash_of(folder / name)
        for name in names
        # These tell the time, or where in a file that does.
        if name.name not in ("progress.jsonl", "state.json", "finished.json")
    }
    lines = [json.loads(line) for line in (folder / "progress.jsonl").read_bytes().splitlines()]
    finished = json.loads((folder / "finished.json").read_text())
    for timed in (*lines, finished):
        del timed["seconds"], timed["cpu_seconds"]
    states = sorted(folder.glob("checkpoints/*/state.json"))
    counters = {path.parent.name: json.loads(path.read_text())["counters"] for path in states}
    return {"files": same, "progress": lines, "counters": counters, "end": finished}


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder with its hash, the lock left out."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(folder)): hash_of(path) for path in files}
