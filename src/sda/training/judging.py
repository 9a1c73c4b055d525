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
from sda.training.fitting import Fit, Told, accepted, parts, race
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
        self,
        candidates: Mapping[str, Callable[[int], Discriminator]],
        settings: JudgeSettings,
    ) -> None:
        """`candidates` make untaught discriminators, each number another; one that reads the
        generator's states takes them as they are then."""
        self._candidates = dict(candidates)
        self._settings = settings
        self.name: str | None = None
        """Of the kind that judges, among the candidates."""
        self.told: Told = lambda done, total: None
        """Hears how many of how many discriminators are fitted."""
        self.fits: dict[str, Fit] = {}
        """What came of the last fit of each candidate."""
        self._model: Panel | None = None
        self._answers = self._seed = 0  # of the last fit: how many, and what part is whose

    @property
    def is_fitted(self) -> bool:
        return self._model is not None

    @property
    def model(self) -> Panel:
        if self._model is None:
            raise RuntimeError("the judge is not fitted yet")
        return self._model

    def learn(self, answered: Answered, rng: torch.Generator) -> bool:
        """Fit candidates on what the metric said and keep the best kind; False where it said the
        same of all sentences, which teaches nothing.

        What it was only tried on is left out: the generator did not write that.
        """
        written = (answered.epochs != TRIAL).nonzero()[:, 0]
        sentences, scores = answered.sentences[written], answered.scores[written]
        is_real = accepted(scores, self._settings.accept)
        if bool(is_real.all()):
            return False
        self._answers = len(written)
        self._seed = int(torch.randint(2**62, (1,), generator=rng))
        self.name, members, self.fits = race(
            self._candidates, sentences, is_real, self._settings, self._seed, self.told
        )
        self._model = Panel(members)
        return True

    def unseen(self, answered: Answered) -> tuple[Tensor, Tensor]:
        """Rows of what it learned from, and for each D of a member that did not see it: what the
        judge would have said of it before it was told."""
        written = (answered.epochs != TRIAL).nonzero()[: self._answers, 0]
        rows, verdicts = [], []
        for number, member in enumerate(self.model.each()):
            part, _ = parts(len(written), self._settings.unseen, self._seed, number)
            rows.append(written[part])
            verdicts.append(_verdicts(member, answered.sentences[written[part]]))
        return torch.cat(rows), torch.cat(verdicts)

    def __call__(self, sentences: Sentences) -> Tensor:
        """(B,) D of each sentence, float64, on the CPU."""
        return _verdicts(self.model, sentences)

    def figures(self) -> dict[str, float]:
        """How well it told the unseen part apart; none before it is fitted."""
        return {} if self.name is None else {"judge_auc": self.fits[self.name].auc}

    def sentence(self) -> str:
        """Who judges, how well, and by what it was chosen, in a sentence."""
        assert self.name is not None
        chosen = self.fits[self.name]
        others = [f"{name} {fit.loss:.2f}" for name, fit in self.fits.items() if name != self.name]
        beside = f"; its loss there is the lowest, {chosen.loss:.2f} ({', '.join(others)})"
        unseen = "answers of the metric that it never saw"
        told = f"The judge is {self.name}, AUC {chosen.auc:.2f} on {unseen}"
        return f"{told}{beside if others else ''}."

    def tensors(self) -> dict[str, Tensor]:
        if self._model is None:
            return {}
        return {f"{MODEL}{name}": value for name, value in self._model.kept().items()}

    def facts(self) -> dict[str, Any]:
        """All that is not a tensor, ready for JSON."""
        fits = {name: asdict(fit) for name, fit in self.fits.items()}
        return {"name": self.name, "fits": fits, "answers": self._answers, "seed": self._seed}

    def load(self, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
        """Be what `tensors` and `facts` of another said."""
        self.name = facts["name"]
        self.fits = {name: Fit(**values) for name, values in facts["fits"].items()}
        self._answers, self._seed = facts["answers"], facts["seed"]
        self._model = None
        if self.name is not None:
            make = self._candidates[self.name]
            self._model = Panel([make(number) for number in range(self._settings.members)])
            with torch.no_grad():
                for name, value in self._model.kept().items():
                    value.copy_(tensors[f"{MODEL}{name}"])


def _verdicts(model: Discriminator, sentences: Sentences) -> Tensor:
    """(B,) D of each sentence, float64, on the CPU."""
    found = [torch.zeros(0, dtype=torch.float64)]
    for first in range(0, len(sentences), CHUNK):
        some = sentences[first : first + CHUNK].to(model.device)
        found.append(judge(model, some).cpu().double())
    return torch.cat(found)
