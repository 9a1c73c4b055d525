"""A discriminator that reads over the generator's shoulder and judges word by word.

What is wrong with a sentence is mostly wrong at one place, and a generator that was trained by
maximum likelihood knows much about every place. So each word gets a verdict from what the frozen
generator made of it, and the sentence is as good as its words together (decision 0150).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Literal, Protocol, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from sda.models.discriminator import Discriminator
from sda.models.generator import CHUNK
from sda.models.initialise import normal_weights_
from sda.text.sentences import Sentences

Pooling = Literal["product", "sum", "any"]

FIRST_VERDICT = 3.0
"""The logit of an untaught verdict: a product of a dozen halves is next to zero, without slope."""
LARGEST = -1e-6
"""Of the logarithm of a product of verdicts: 1 itself has no finite logit."""


class WordReader(Protocol):
    """What says something of each word of a sentence: a generator, or less."""

    @property
    def device(self) -> torch.device: ...

    def word_states(self, sentences: Sentences, /) -> Tensor:
        """(M, F) of the M words that are not padding."""
        ...

    def requires_grad_(self, requires_grad: bool = True, /) -> Self: ...


class WordJudge(Discriminator):
    """D = the product of the words' verdicts, or the sigmoid of the sum of their logits.

    A product calls a sentence bad as soon as one word is; a sum weighs the words against each
    other; `any` calls a sentence good as soon as one word is. The generator that is read is a copy,
    frozen as it is when the judge is made.
    """

    def __init__(
        self,
        generator: WordReader,
        example: Sentences,
        rng: torch.Generator,
        hidden: int = 64,
        dropout: float = 0.3,
        pooling: Pooling = "product",
        init_std: float = 0.05,
    ) -> None:
        """`example` has a sentence to try the generator on: how much does it say of a word?"""
        super().__init__()
        if hidden < 1:
            raise ValueError(f"hidden must be 1 or more, not {hidden}")
        self.pooling = pooling
        size = generator.word_states(example[:1].to(generator.device)).shape[1]
        self.network = nn.Sequential(
            nn.Linear(size, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, 1)
        )
        normal_weights_(self, init_std, rng)
        if pooling != "sum":
            first = FIRST_VERDICT if pooling == "product" else -FIRST_VERDICT
            nn.init.constant_(self.network[-1].bias, first)  # type: ignore[arg-type]
        self.mean: Tensor
        self.deviation: Tensor
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("deviation", torch.ones(size))
        self.reader = copy.deepcopy(generator).requires_grad_(False)

    @property
    def device(self) -> torch.device:
        return self.mean.device

    def begin_fit(self, sentences: Sentences) -> Callable[[Tensor], Tensor]:
        """Numbers are scaled as these sentences have them, and what is read of them is kept."""
        states = self.read(sentences)
        self.mean, self.deviation = states.mean(0), states.std(0).clamp(min=1e-3)
        mask = sentences.trimmed().mask
        # As wide as the longest, so that any rows can be picked.
        kept = _spread(self._scaled(states), mask)

        def logits(rows: Tensor) -> Tensor:
            some = mask[rows]
            return self._pool(self._verdicts(kept[rows][some]), some)

        return logits

    def features(self, sentences: Sentences) -> Tensor:
        """The mean of what the generator made of the words."""
        sentences = sentences.trimmed()
        mask = sentences.mask
        states = _spread(self._scaled(self.read(sentences)), mask)
        return states.sum(1) / sentences.lengths.clamp(min=1)[:, None]

    def real_logit(self, sentences: Sentences) -> Tensor:
        return self.logit_of(self.read(sentences), sentences)

    def logit_of(self, states: Tensor, sentences: Sentences) -> Tensor:
        """(B,) the same, where `states` are what `read` made of the sentences."""
        return self._pool(self._verdicts(self._scaled(states)), sentences.trimmed().mask)

    def log_verdicts(self, states: Tensor) -> Tensor:
        """(M,) the logarithms of the verdicts on words of which the reader said `states`."""
        return logsigmoid(self._verdicts(self._scaled(states)))

    def read(self, sentences: Sentences) -> Tensor:
        """(M, F) what the reader says of each word that is not padding."""
        sentences = sentences.trimmed()
        parts = [
            self.reader.word_states(sentences[first : first + CHUNK])
            for first in range(0, len(sentences), CHUNK)
        ]
        return torch.cat(parts) if parts else self.mean.new_zeros(0, len(self.mean))

    def _scaled(self, states: Tensor) -> Tensor:
        return (states - self.mean) / self.deviation

    def _verdicts(self, scaled: Tensor) -> Tensor:
        verdicts: Tensor = self.network(scaled)
        return verdicts[:, 0]

    def _pool(self, verdicts: Tensor, mask: Tensor) -> Tensor:
        """(B,) the logit of each sentence from those of all words, whose places are in the mask."""
        if self.pooling == "sum":
            return _spread(verdicts, mask).sum(1)
        if self.pooling == "any":
            return -_product(-verdicts, mask)
        return _product(verdicts, mask)


def _product(verdicts: Tensor, mask: Tensor) -> Tensor:
    """(B,) the logit of the product of the words' probabilities, from their logits."""
    log_real = _spread(logsigmoid(verdicts), mask).sum(1).clamp(max=LARGEST)
    return log_real - torch.log(-torch.expm1(log_real))


def _spread(words: Tensor, mask: Tensor) -> Tensor:
    """(B, T, ...) what belongs to the words (N, ...) at their places, zero elsewhere."""
    spread = words.new_zeros(*mask.shape, *words.shape[1:])
    spread[mask] = words
    return spread
