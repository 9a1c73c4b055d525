"""Several discriminators that judge together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from sda.models.discriminator import Discriminator
from sda.models.given import given_weights
from sda.models.word_judge import WordJudge
from sda.text.sentences import Sentences


class Panel(Discriminator):
    """D is the mean of the members' D.

    Each member learned from another part of the same sentences, and errs elsewhere. What none of
    them is taught, such as the generator that they read, is the same in all and kept once.
    """

    def __init__(self, members: Sequence[Discriminator]) -> None:
        super().__init__()
        first, *others = members
        for name, part in first.named_children():
            if not any(value.requires_grad for value in part.parameters()):
                for other in others:
                    setattr(other, name, part)
        self.members = nn.ModuleList(members)

    def features(self, sentences: Sentences) -> Tensor:
        return torch.cat([one.features(sentences) for one in self.each()], 1)

    def real_logit(self, sentences: Sentences) -> Tensor:
        return mean_logit(torch.stack(self._logits(sentences)))

    def _logits(self, sentences: Sentences) -> list[Tensor]:
        """Of each member. What judges of words read is the same for all, and read once."""
        first = self.members[0]
        if not isinstance(first, WordJudge):
            return [one.real_logit(sentences) for one in self.each()]
        states = first.read(sentences)
        return [cast(WordJudge, one).logit_of(states, sentences) for one in self.each()]

    def completed_logit(self, prefixes: Tensor, completions: Sentences) -> Tensor:
        logits = [one.completed_logit(prefixes, completions) for one in self.each()]
        return mean_logit(torch.stack(logits))

    def kept(self) -> dict[str, Tensor]:
        """All tensors that it is made of, those that members share once, but no given ones."""
        given = given_weights(self)
        every = chain(self.named_parameters(), self.named_buffers())
        return {name: value for name, value in every if id(value) not in given}

    def each(self) -> Sequence[Discriminator]:
        return tuple(self.members)  # type: ignore[arg-type]


def mean_logit(logits: Tensor) -> Tensor:
    """(B,) the logit of the mean of the probabilities whose logits are (K, B)."""
    log_n = math.log(len(logits))
    yes = logsigmoid(logits).logsumexp(0) - log_n
    no = logsigmoid(-logits).logsumexp(0) - log_n
    return yes - no
