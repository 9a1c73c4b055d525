"""A discriminator taught by what the metric was asked, which can then be asked for free."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from sda.archive import TRIAL, Answered
from sda.models.discriminator import Discriminator
from sda.models.generator import CHUNK
from sda.models.panel import Panel
from sda.rewards import judge
from sda.text.sentences import Sentences
from sda.training.fitting import Fit, accepted, fit, fit_best, mean_fit
from sda.training.stages import JudgeSettings

MODEL = "model."
"""Before the names of the weights of the discriminators that judge."""


def asked_in(epoch: int, epochs: int, settings: JudgeSettings) -> int:
    """The sentences that the metric is asked at the beginning of an epoch of Stage II.

    Rounds are spread evenly over the epochs, and sentences over the rounds.
    """
    rounds = min(settings.rounds, epochs)
    due = [1 + number * epochs // rounds for number in range(rounds)]
    if epoch not in due:
        return 0
    number = due.index(epoch)
    return settings.asked * (number + 1) // rounds - settings.asked * number // rounds


class Judge:
    """The discriminator that knows best what the metric accepts, of several that were fitted.

    It ranks sentences as a metric does, at no metric calls. Until it is fitted it knows nothing.
    """

    def __init__(
        self, candidates: Mapping[str, Callable[[int], Discriminator]], settings: JudgeSettings
    ) -> None:
        """`candidates` make untaught discriminators, each number another; one that reads the
        generator's states takes them as they are then."""
        self._candidates = dict(candidates)
        self._settings = settings
        self.name: str | None = None
        """Of the kind that judges, among the candidates."""
        self.fits: dict[str, Fit] = {}
        """What came of the last fit of each candidate."""
        self._model: Panel | None = None

    @property
    def is_fitted(self) -> bool:
        return self._model is not None

    @property
    def model(self) -> Discriminator:
        if self._model is None:
            raise RuntimeError("the judge is not fitted yet")
        return self._model

    def learn(self, answered: Answered, rng: torch.Generator) -> bool:
        """Fit all candidates on what the metric said and keep the best; False where it said the
        same of all sentences, which teaches nothing.

        What it was only tried on is left out: the generator did not write that.
        """
        written = (answered.epochs != TRIAL).nonzero()[:, 0]
        sentences, scores = answered.sentences[written], answered.scores[written]
        is_real = accepted(scores, self._settings.accept)
        if bool(is_real.all()):
            return False
        seed = int(torch.randint(2**62, (1,), generator=rng))
        given = sentences, is_real, self._settings, seed
        firsts = {name: make(0) for name, make in self._candidates.items()}
        self.name, self.fits = fit_best(firsts, *given)
        others = [self._candidates[self.name](n) for n in range(1, self._settings.members)]
        fits = [self.fits[self.name], *(fit(one, *given, n) for n, one in enumerate(others, 1))]
        self.fits[self.name] = mean_fit(fits)
        self._model = Panel([firsts[self.name], *others])
        return True

    def __call__(self, sentences: Sentences) -> Tensor:
        """(B,) D of each sentence, float64, on the CPU."""
        device = self.model.device
        parts = [torch.zeros(0, dtype=torch.float64)]
        for first in range(0, len(sentences), CHUNK):
            some = sentences[first : first + CHUNK].to(device)
            parts.append(judge(self.model, some).cpu().double())
        return torch.cat(parts)

    def figures(self) -> dict[str, float]:
        """How well it told the unseen part apart; none before it is fitted."""
        return {} if self.name is None else {"judge_auc": self.fits[self.name].auc}

    def told(self) -> str:
        """Who judges and how well, beside the others, in a sentence."""
        assert self.name is not None
        others = [f"{name} {fit.auc:.2f}" for name, fit in self.fits.items() if name != self.name]
        beside = f" ({', '.join(others)})" if others else ""
        auc = self.fits[self.name].auc
        unseen = "answers of the metric that it never saw"
        return f"The judge is {self.name}, AUC {auc:.2f} on {unseen}{beside}."

    def tensors(self) -> dict[str, Tensor]:
        if self._model is None:
            return {}
        return {f"{MODEL}{name}": value for name, value in self._model.kept().items()}

    def facts(self) -> dict[str, Any]:
        """All that is not a tensor, ready for JSON."""
        return {"name": self.name, "fits": {name: asdict(fit) for name, fit in self.fits.items()}}

    def load(self, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
        """Be what `tensors` and `facts` of another said."""
        self.name = facts["name"]
        self.fits = {name: Fit(**values) for name, values in facts["fits"].items()}
        self._model = None
        if self.name is not None:
            make = self._candidates[self.name]
            self._model = Panel([make(number) for number in range(self._settings.members)])
            with torch.no_grad():
                for name, value in self._model.kept().items():
                    value.copy_(tensors[f"{MODEL}{name}"])
