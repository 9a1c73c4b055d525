"""The seam behind which every discriminator stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor, nn

from sda.text.context import Context, labels_of
from sda.text.sentences import Sentences


class Discriminator(nn.Module, ABC):
    """A judge of whole sentences: D = sigmoid(real_logit), near 1 for real ones (decision 0001)."""

    pace: float = 1.0
    """Its learning rate as a judge, in multiples of the one that is set."""

    @abstractmethod
    def features(self, sentences: Sentences) -> Tensor:
        """(B, F) what the judgement is based on; independent of the other rows and of padding."""

    @abstractmethod
    def real_logit(self, sentences: Sentences) -> Tensor:
        """(B,) high for sentences that look real."""

    def completed_logit(self, prefixes: Tensor, completions: Sentences) -> Tensor:
        """(B * N,) the same for N completions of each prefix (B, t), those of one prefix together.

        A model that can read a shared beginning once overrides this for speed.
        """
        return self.real_logit(completions)

    def expect(self, real: Sentences, fake: Sentences) -> None:
        """Updates will walk these sentences, several times perhaps.

        A model that can read them once, or that scales its numbers by them, overrides it.
        """

    def begin_fit(self, sentences: Sentences) -> Callable[[Tensor], Tensor]:
        """Logits (R,) of rows (R,) of these sentences, which a fit will ask for again and again.

        A model that can read the sentences once, or that scales its numbers by them, overrides it.
        """
        return lambda rows: self.real_logit(sentences[rows])

    def penalty(self) -> Tensor | float:
        """What the training loss adds to keep the model small; zero unless a model has one."""
        return 0.0

    @property
    def device(self) -> torch.device:
        """Where sentences have to be; a judge without parameters takes those of the CPU."""
        return next((value.device for value in self.parameters()), torch.device("cpu"))


def match_label(
    labels: nn.Embedding | None, features: Tensor, context: Context | None
) -> Tensor | float:
    """(B,) how well features (B, F) go with a vector of each sentence's label; 0 without labels."""
    if labels is None:
        return 0.0
    vectors: Tensor = labels(labels_of(context))
    return (features * vectors).sum(1)
