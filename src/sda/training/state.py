"""Everything that training changes, so that it can be saved and continued."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from sda.archive import Archive
from sda.buffer import Buffer
from sda.devices import random_state, set_random_state
from sda.models.discriminator import Discriminator
from sda.models.generator import Generator
from sda.ranks import ALONE, Shares
from sda.training.judging import Judge
from sda.training.wasserstein import Critic

Json = dict[str, Any]


@dataclass(frozen=True)
class SecondPolicy:
    """What the theory adds: the policy pi_1, and the critic that measures how far it is from pi."""

    generator: Generator
    optimizer: torch.optim.Optimizer
    critic: Critic
    critic_optimizer: torch.optim.Optimizer


class Learner(NamedTuple):
    """A policy that a step of Stage II teaches, and the optimiser that moves it."""

    generator: Generator
    optimizer: torch.optim.Optimizer


@dataclass
class TrainState:
    """Two models, their optimisers, the buffer, what the metric was asked, the random numbers, and
    where training stands.

    The generator has one optimiser for each stage, as in SeqGAN: moments of one loss say nothing
    about the other. `best` holds the generator of the best validation epoch while Stage I runs,
    `start` that of the start of Stage II where a penalty needs it. `second` is there in runs with
    two policies alone; `generator` is pi then. `judge` is there where a discriminator
    learns what the metric accepts and rejects: it rewards in the place of `discriminator`.
    """

    generator: Generator
    discriminator: Discriminator
    mle_optimizer: torch.optim.Optimizer
    policy_optimizer: torch.optim.Optimizer
    discriminator_optimizer: torch.optim.Optimizer
    buffer: Buffer
    rng: torch.Generator
    second: SecondPolicy | None = None
    archive: Archive = field(default_factory=Archive)
    judge: Judge | None = None
    shares: Shares = ALONE
    """Which part of the work this process does; all of it unless there are several."""
    phase: int = 0
    """Entries of Stage I that are done."""
    mle_epoch: int = 0
    discriminator_round: int = 0
    sda_epoch: int = 0
    best_nll: float = float("inf")
    best_epoch: int = 0
    best: dict[str, Tensor] = field(default_factory=dict)
    start: dict[str, Tensor] = field(default_factory=dict)
    updates: int = 0
    """Of the generator, so far."""
    written: int = 0
    """Tokens that the generator wrote so far, those of completions among them."""
    epochs_since_best: int = 0
    """Since the rate was last lowered or the validation loss last improved."""
    rate_drops: int = 0
    stopped_early: bool = False

    COUNTERS: ClassVar = (
        "phase",
        "mle_epoch",
        "discriminator_round",
        "sda_epoch",
        "best_nll",
        "best_epoch",
        "epochs_since_best",
        "rate_drops",
        "stopped_early",
        "updates",
        "written",
    )

    @property
    def rewarding(self) -> Discriminator:
        """The discriminator whose judgement sentences earn."""
        return self.discriminator if self.judge is None else self.judge.model

    @property
    def device(self) -> torch.device:
        """Where the models are; the buffer is on the CPU."""
        return self.generator.device

    def tensors(self) -> dict[str, Tensor]:
        """All tensors by name, the states of both random number generators among them."""
        found = {
            "rng": self.rng.get_state(),
            # Dropout draws from torch's own generator.
            "global_rng": torch.get_rng_state(),
            **_device_rng(self.device),
            **prefixed("generator", self.generator.state_dict()),
            **prefixed("discriminator", self.discriminator.state_dict()),
            **prefixed("buffer", self.buffer.state_dict()),
            **prefixed("archive", self.archive.state_dict()),
            **prefixed("best", self.best),
            **prefixed("start", self.start),
        }
        if self.second is not None:
            found |= prefixed("second", self.second.generator.state_dict())
            found |= prefixed("critic", self.second.critic.state_dict())
        if self.judge is not None:
            found |= prefixed("judge", self.judge.tensors())
        for name, optimizer in self._optimizers().items():
            found |= prefixed(name, optimizer_tensors(optimizer))
        return found

    def counters(self) -> Json:
        """Everything else: plain numbers, and the learning rates."""
        numbers: Json = {name: getattr(self, name) for name in self.COUNTERS}
        numbers["calls"], numbers["answers"] = self.archive.calls, self.archive.mark
        numbers["best_nll"] = None if self.best_nll == float("inf") else self.best_nll
        numbers["rates"] = {
            name: optimizer.param_groups[0]["lr"] for name, optimizer in self._optimizers().items()
        }
        if self.judge is not None:
            numbers["judge"] = self.judge.facts()
        return numbers

    def load(self, tensors: Mapping[str, Tensor], counters: Json) -> None:
        """Be what `tensors` and `counters` of another state said."""
        if self.judge is not None:
            # Before random numbers are set: a model that is made may draw from torch's own.
            self.judge.load(under("judge", tensors), counters["judge"])
        self._load(tensors, counters, self._optimizers())
        self.buffer.load_state_dict(under("buffer", tensors))
        self.archive.load_state_dict(under("archive", tensors))
        # Runs of earlier versions did not count them, or had no mark of them.
        self.archive.go_back(counters.get("calls", 0), counters.get("answers"))
        if self.second is not None:
            self.second.generator.load_state_dict(under("second", tensors))
            self.second.critic.load_state_dict(under("critic", tensors))
        self.best = under("best", tensors)
        self.start = under("start", tensors)

    def load_start(self, tensors: Mapping[str, Tensor], counters: Json) -> None:
        """Be where another state's Stage I ended; all that Stage II alone has stays as it is."""
        self._load(tensors, counters, self._first_optimizers())

    def _load(
        self,
        tensors: Mapping[str, Tensor],
        counters: Json,
        optimizers: Mapping[str, torch.optim.Optimizer],
    ) -> None:
        self.generator.load_state_dict(under("generator", tensors))
        self.discriminator.load_state_dict(under("discriminator", tensors))
        for name, optimizer in optimizers.items():
            load_optimizer(optimizer, under(name, tensors), counters["rates"][name])
        for name in self.COUNTERS:
            setattr(self, name, counters[name])
        self.best_nll = float("inf") if counters["best_nll"] is None else counters["best_nll"]
        self.rng.set_state(tensors["rng"])
        torch.set_rng_state(tensors["global_rng"])
        if f"device_rng.{self.device.type}" in tensors:
            set_random_state(self.device, tensors[f"device_rng.{self.device.type}"])

    def _first_optimizers(self) -> dict[str, torch.optim.Optimizer]:
        """Those that Stage I has moved."""
        return {
            "mle_optimizer": self.mle_optimizer,
            "discriminator_optimizer": self.discriminator_optimizer,
        }

    def _optimizers(self) -> dict[str, torch.optim.Optimizer]:
        found = {**self._first_optimizers(), "policy_optimizer": self.policy_optimizer}
        if self.second is not None:
            found["second_optimizer"] = self.second.optimizer
            found["critic_optimizer"] = self.second.critic_optimizer
        return found


def _device_rng(device: torch.device) -> dict[str, Tensor]:
    state = random_state(device)
    return {} if state is None else {f"device_rng.{device.type}": state}


def prefixed(name: str, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of one part with its name before theirs; `under` takes it off again."""
    return {f"{name}.{key}": value.detach() for key, value in values.items()}


def under(name: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of one part, which were saved with its name before theirs."""
    start = f"{name}."
    return {key[len(start) :]: value for key, value in tensors.items() if key.startswith(start)}


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Adam's moments by parameter number, for `load_optimizer`."""
    found: dict[str, Tensor] = {}
    for index, values in optimizer.state_dict()["state"].items():
        found |= prefixed(str(index), values)
    return found


def load_optimizer(
    optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor], rate: float
) -> None:
    """Adam's moments by parameter number; the settings stay those the optimiser was made with."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        index, _, name = key.partition(".")
        state.setdefault(int(index), {})[name] = value
    whole = optimizer.state_dict()
    whole["state"] = state
    optimizer.load_state_dict(whole)
    for group in optimizer.param_groups:
        group["lr"] = rate
