"""What happens in which order: both stages as plain lists."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from sda.training.step_kinds import AUGMENTED, INTERLEAVED, TRAINING, Step


class Phase(Enum):
    """One entry of Stage I."""

    GENERATOR = "mle"
    """One epoch of maximum likelihood (Eq. 5)."""
    DISCRIMINATOR = "discriminator"
    """One round of telling training sentences from the generator's (Eq. 6)."""


def stage_one(epochs: int, rounds: int, alternations: int = 0) -> list[Phase]:
    """The generator's epochs, then the discriminator's rounds (decision 0036).

    With alternations both are dealt out evenly over that many turns, the discriminator first in
    each, for generators that read the discriminator's features.
    """
    if not alternations:
        return [Phase.GENERATOR] * epochs + [Phase.DISCRIMINATOR] * rounds
    phases: list[Phase] = []
    for turn in range(alternations):
        phases += [Phase.DISCRIMINATOR] * _deal(rounds, alternations, turn)
        phases += [Phase.GENERATOR] * _deal(epochs, alternations, turn)
    return phases


def _deal(total: int, turns: int, turn: int) -> int:
    return total * (turn + 1) // turns - total * turn // turns


def next_phase(phases: Sequence[Phase], position: int, stopped_early: bool) -> int:
    """The position of the next entry to do: epochs are passed over once Stage I stopped early."""
    while stopped_early and position < len(phases) and phases[position] is Phase.GENERATOR:
        position += 1
    return position


def paper_schedule(epochs: int, first: int = 6, every: int = 10) -> list[list[Step]]:
    """Six training steps and one augmented step an epoch, one training step fewer every ten
    epochs, until one is left (decision 0009)."""
    return [[TRAINING] * max(1, first - epoch // every) + [AUGMENTED] for epoch in range(epochs)]


def same_number(step: Step, epochs: int, first: int = 6, every: int = 10) -> list[list[Step]]:
    """As many steps an epoch as the paper's schedule has, all of one kind: controls of equal
    length."""
    return [[step] * len(steps) for steps in paper_schedule(epochs, first, every)]


def with_likelihood(schedule: Sequence[Sequence[Step]], every: int) -> list[list[Step]]:
    """The schedule with a likelihood step after every so many steps, counted over all epochs."""
    done = 0
    longer: list[list[Step]] = []
    for steps in schedule:
        epoch: list[Step] = []
        for step in steps:
            epoch.append(step)
            done += 1
            if done % every == 0:
                epoch.append(INTERLEAVED)
        longer.append(epoch)
    return longer
