"""Systems side by side: rewritings of the same sources, beside copies, chance and people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from sda.errors import UserError
from sda.randomness import seeded
from sda.transfer.styled import StyledTexts
from sda.transfer.transfer_scores import Measured, TransferScorer
from sda.transfer.transfer_task import System, TransferTask

COPY = "copy of the source"
CHANCE = "random sentence of the target style"


@dataclass(frozen=True)
class ScoredSystem:
    """All figures of a system by name; `is_given` where it was to be scored.

    The others stand beside those: what copying, chance and people reach.
    """

    name: str
    is_given: bool
    measured: dict[str, Measured]

    def as_dict(self) -> dict[str, Any]:
        scores = [each.score().as_dict() for each in self.measured.values()]
        return {"name": self.name, "is_given": self.is_given, "scores": scores}


@dataclass(frozen=True)
class TransferEvaluation:
    """The systems that were given, and before them what they are held against."""

    task: TransferTask
    systems: tuple[ScoredSystem, ...]
    against: str
    """The system that the others are compared with."""

    def differences(self) -> list[tuple[str, dict[str, tuple[float, tuple[float, float] | None]]]]:
        """For every other system by how much its figures are higher, with intervals."""
        first = next(each for each in self.systems if each.name == self.against)
        return [
            (
                each.name,
                {
                    name: found.minus(first.measured[name])
                    for name, found in each.measured.items()
                    if name in first.measured
                },
            )
            for each in self.systems
            if each.name != self.against
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "styles": list(self.task.names),
            "sentences": len(self.task.sources),
            "references": len(self.task.references),
            "systems": [each.as_dict() for each in self.systems],
            "against": self.against,
            "differences": [
                {
                    "name": name,
                    "scores": {
                        score: {"value": value, "interval": interval and list(interval)}
                        for score, (value, interval) in found.items()
                    },
                }
                for name, found in self.differences()
            ],
        }


def evaluate_systems(
    scorer: TransferScorer,
    systems: Sequence[System],
    train: StyledTexts | None = None,
    against: str | None = None,
    seed: int = 0,
    done: Callable[[str], None] = lambda _: None,
) -> TransferEvaluation:
    """All systems scored, in the order given, beside copying, chance and people.

    `against` is the system that differences are taken from, the first one by default. `done` is
    called with the name of each system that is scored.
    """
    if not systems:
        raise ValueError("nothing to score")
    task = scorer.task
    names = [system.name for system in systems]
    if against is not None and against not in names:
        raise UserError(f"--against: there is no system {against!r}: there are {', '.join(names)}.")
    rows = [ScoredSystem(COPY, False, scorer.measure(task.sources))]
    chance = random_targets(task, train, seed)
    if chance is not None:
        rows.append(ScoredSystem(CHANCE, False, scorer.measure(chance)))
    for number, texts in enumerate(task.references):
        others = [each for place, each in enumerate(task.references) if place != number]
        found = scorer.measure(texts, others)
        rows.append(ScoredSystem(f"human {number}", False, found))
    for system in systems:
        rows.append(ScoredSystem(system.name, True, scorer.measure(system.texts)))
        done(system.name)
    return TransferEvaluation(task, tuple(rows), names[0] if against is None else against)


def random_targets(task: TransferTask, train: StyledTexts | None, seed: int) -> list[str] | None:
    """For each source a sentence of the target's style, drawn at random, whatever it says.

    From the sources of that style, which no language model has learned; where there are none, from
    `train`; None where there is neither.
    """
    found = [""] * len(task.sources)
    for style in sorted(set(task.targets)):
        pool: Sequence[str] = [
            text for text, own in zip(task.sources, task.origins, strict=True) if own == style
        ]
        if not pool and train is not None:
            pool = train.texts[style]
        if not pool:
            return None
        places = [place for place, target in enumerate(task.targets) if target == style]
        rng = seeded(seed, "random target", style)
        drawn = torch.randint(len(pool), (len(places),), generator=rng)
        for place, number in zip(places, drawn.tolist(), strict=True):
            found[place] = pool[number]
    return found
