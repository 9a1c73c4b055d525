"""Whom the steps of Stage II teach: the paper's one policy, or others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from sda.text.sentences import Sentences
from sda.training.progress import Meter
from sda.training.state import Learner, TrainState
from sda.training.step_kinds import Step


class Policies(Protocol):
    """The policies that learn in turn."""

    def learner(self, step: Step) -> Learner:
        """Who learns in this step, which begins now."""

    def pull(self, step: Step, fake: Sentences, weights: Tensor, meter: Meter) -> Tensor:
        """Weights (B, T) of the policy gradient, with what keeps the policies together."""


@dataclass(frozen=True)
class OnePolicy:
    """The generator learns in every step, and nothing pulls it."""

    state: TrainState

    def learner(self, step: Step) -> Learner:
        return Learner(self.state.generator, step.optimizer_of(self.state))

    def pull(self, step: Step, fake: Sentences, weights: Tensor, meter: Meter) -> Tensor:
        return weights
