"""A generator whose words are weighed by a judge as they are written.

A judge that multiplies verdicts on words knows of a wrong word when it is written, and need not
wait for the end of the sentence to throw all of it away (decision 0171).
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from sda.models.branching import State
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame, Generator, choice_figures
from sda.models.hidden import OutputLayerGenerator
from sda.models.panel import Panel
from sda.models.word_judge import WordJudge
from sda.text.context import Context
from sda.text.sentences import Sentences

STRONGEST = 1000.0
"""A guide beyond which nothing but the best word drawn is ever let pass."""
Memory = tuple[State, State, Tensor, Tensor, Tensor]
"""Of the generator and of the reader; what the reader's output layer reads, its logits, and the
logarithm of each member's verdict so far."""


def can_guide(judge: Discriminator) -> bool:
    """Whether the judge has a verdict on each word that the words after it do not change."""
    return isinstance(judge, Panel) and all(
        isinstance(member, WordJudge)
        and member.pooling == "product"
        and isinstance(member.reader, OutputLayerGenerator)
        for member in judge.each()
    )


class Guided(Generator):
    """Writes as the generator does, and lets a word pass with the judge's verdict on it, to the
    power of `strength`, as its probability.

    So the next word has the generator's probability times that verdict, made to sum to one. The
    verdicts on the words of a sentence multiply to D, that of the judge on all of it. Likelihoods
    are the generator's own: what the judge takes away is not counted.
    """

    def __init__(self, generator: Generator, judge: Panel, strength: float) -> None:
        """The judge is one that `can_guide`."""
        g = generator
        super().__init__(Frame(g.vocabulary_size, g.eos, g.max_length, g.bos))
        self.generator = generator
        self.judge = judge
        self.strength = strength

    @property
    def _members(self) -> tuple[WordJudge, ...]:
        return cast(tuple[WordJudge, ...], self.judge.each())

    @property
    def _reader(self) -> OutputLayerGenerator:
        """The generator that all members read."""
        return cast(OutputLayerGenerator, self._members[0].reader)

    def start(self, n: int, context: Context | None = None) -> State:
        nothing = self.device_zeros(n, 0)
        verdicts = self.device_zeros(n, len(self._members))
        read = self._reader.start(n, context)
        return self.generator.start(n, context), read, nothing, nothing, verdicts

    def step(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        own, read, hidden, _, verdicts = memory = cast(Memory, state)
        # What is read first is no word that anybody chose.
        if hidden.shape[1]:
            verdicts = verdicts + self._verdicts(memory, tokens)
        logits, own = self.generator.step(own, tokens)
        hidden, read = self._reader.advance(read, tokens)
        return logits, (own, read, hidden, self._reader.logits(hidden), verdicts)

    def passing(self, state: State, tokens: Tensor) -> Tensor:
        memory = cast(Memory, state)
        before = memory[4]
        after = before + self._verdicts(memory, tokens)
        return self.strength * (after.logsumexp(1) - before.logsumexp(1))

    def _verdicts(self, memory: Memory, tokens: Tensor) -> Tensor:
        """(B, K) the logarithms of the members' verdicts on the tokens (B,), drawn to come next."""
        _, _, hidden, logits, _ = memory
        states = self._reader.chosen_states(hidden, tokens, choice_figures(logits, tokens))
        return torch.stack([member.log_verdicts(states) for member in self._members], 1)

    def log_probs(self, sentences: Sentences) -> Tensor:
        return self.generator.log_probs(sentences)

    def loss(self, sentences: Sentences, weights: Tensor | None = None) -> Tensor:
        return self.generator.loss(sentences, weights)
