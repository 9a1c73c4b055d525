"""The parts that a baseline may bring: an augmentation, an objective, a selection of sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from sda.errors import UserError
from sda.models.discriminator import Discriminator
from sda.randomness import seeded
from sda.reference.metric import WeightedSum
from sda.runs.components import build
from sda.scoring.row_scorer import Selection
from sda.settings.schema import Settings
from sda.text.corpus import Corpus
from sda.text.vocabulary import Vocabulary
from sda.training.steps import Objective, nll


def hold_out(settings: Settings, corpus: Corpus) -> Corpus:
    """The corpus with some training sentences set apart for the discriminator, if so asked."""
    share = settings.discriminator_phase.unseen
    if not share:
        return corpus
    count = round(share * len(corpus))
    if not 0 < count < len(corpus):
        raise UserError(
            f"discriminator_phase.unseen = {share:g} of {len(corpus)} training sentences leaves"
            f" none for the {'generator' if count else 'discriminator'}"
        )
    order = torch.randperm(len(corpus), generator=seeded(settings.seed, "held out"))
    return replace(corpus, train=corpus.train[order[count:]], unseen=corpus.train[order[:count]])


def augment(settings: Settings, corpus: Corpus) -> Corpus:
    """The corpus that training walks: as it is, or as the settings' augmentation enlarges it.

    An epoch walks as many sentences as it would without, so that more text does not mean more
    updates. Its random numbers are its own: the models begin as they would without it.
    """
    if not settings.augmentation:
        return corpus
    make: Callable[[Corpus], Corpus] = _part(
        settings, "augmentation", corpus, seeded(settings.seed, "augmentation")
    )
    return replace(make(corpus), walk=len(corpus))


def build_objective(settings: Settings, corpus: Corpus, rng: torch.Generator) -> Objective:
    """What Stage I minimises: Eq. 5, or what the settings name.

    It may draw from `rng`, the state's, so that a run can be taken up again.
    """
    if not settings.objective:
        return nll
    made: Objective = _part(settings, "objective", corpus, rng)
    return made


def _part(settings: Settings, key: str, corpus: Corpus, rng: torch.Generator) -> Any:
    return build(
        getattr(settings, key), key, vocabulary=corpus.vocabulary, train=corpus.train, rng=rng
    )


def build_selection(
    settings: Settings,
    metric: WeightedSum,
    discriminator: Discriminator,
    vocabulary: Vocabulary,
    rng: torch.Generator,
) -> Selection | None:
    """What chooses among the sentences of a finished run, if the settings name anything."""
    if not settings.selection:
        return None
    chosen: Selection = build(
        settings.selection,
        "selection",
        metric=metric,
        discriminator=discriminator,
        vocabulary=vocabulary,
        rng=rng,
    )
    return chosen


@dataclass(frozen=True)
class Selector:
    """Makes the selection of a finished run anew for each use, since one may draw at random."""

    settings: Settings
    corpus: Corpus
    metric: WeightedSum
    discriminator: Discriminator

    def selection(self, rng: torch.Generator) -> Selection | None:
        vocabulary = self.corpus.vocabulary
        return build_selection(self.settings, self.metric, self.discriminator, vocabulary, rng)
