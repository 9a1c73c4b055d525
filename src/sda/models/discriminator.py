"""The seam behind which every discriminator stands."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

from sda.text.sentences import Sentences


class Discriminator(nn.Module, ABC):
    """A judge of whole sentences: D = sigmoid(real_logit), near 1 for real ones (decision 0001)."""

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

    def penalty(self) -> Tensor | float:
        """What the training loss adds to keep the model small; zero unless a model has one."""
        return 0.0
