"""A sentence from a sentence: a GRU that writes while it looks at a source sentence.

There is no input feeding (what the writer looked at is not read back), so that a given sentence is
scored in one pass. Copying words of the source is left to models built for rewriting.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from sda.models.branching import State
from sda.models.generator import Frame
from sda.models.hidden import HiddenStateGenerator
from sda.models.initialise import normal_
from sda.models.rnn import gru_step, read_source
from sda.text.context import Context, labels_of
from sda.text.sentences import Sentences

Memory = tuple[Tensor, Tensor, Tensor]
"""The writer's state (B, H), places of the source (B, S + 1, H), and which of them are real."""


class EncoderDecoder(HiddenStateGenerator):
    """Reads the source both ways; each next word looks at the places of it that fit best.

    Place 0 is no word of the source: what the writer looks at when it needs none of them. Where
    sentences have one of `labels` labels, the writer also starts from a vector of the label.
    """

    def __init__(
        self,
        frame: Frame,
        rng: torch.Generator,
        embedding: int = 32,
        hidden: int = 32,
        dropout: float = 0.0,
        tied: bool = False,
        init_std: float = 0.1,
        labels: int = 0,
    ) -> None:
        super().__init__(frame, embedding, hidden, tied)
        self.forwards = nn.GRU(embedding, hidden, batch_first=True)
        self.backwards = nn.GRU(embedding, hidden, batch_first=True)
        self.places = nn.Linear(2 * hidden, hidden)
        self.nowhere = nn.Parameter(torch.empty(hidden))
        self.labels = nn.Embedding(labels, hidden) if labels else None
        self.writer = nn.GRU(embedding, hidden, batch_first=True)
        self.seen = nn.Linear(2 * hidden, hidden)
        self.dropouts = nn.ModuleList(nn.Dropout(dropout) for _ in range(2))
        normal_(self, init_std, rng)

    def start(self, n: int, context: Context | None = None) -> State:
        source, both = read_source(context, self._embedded, self.forwards, self.backwards)
        found = torch.tanh(self.places(both))
        places = torch.cat((self.nowhere.expand(n, 1, -1), found), 1)
        real = torch.cat((source.mask.new_ones(n, 1), source.mask), 1)
        # The mean of all places, so that the first word knows the source as well.
        first = (places * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)
        if self.labels is not None:
            first = first + self.labels(labels_of(context))
        return first, places, real

    def advance(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        hidden, places, real = cast(Memory, state)
        hidden = gru_step(self.writer, self._embedded(tokens), hidden)
        looked = self._look(hidden[:, None], places, real)[:, 0]
        return looked, (hidden, places, real)

    def hidden_states(self, sentences: Sentences) -> Tensor:
        first, places, real = cast(Memory, self.start(len(sentences), sentences.context))
        hidden, _ = self.writer(self._embedded(self.inputs(sentences)), first[None])
        return self._look(hidden, places, real)[sentences.mask]

    def _embedded(self, tokens: Tensor) -> Tensor:
        vectors: Tensor = self.dropouts[0](self.embedding(tokens))
        return vectors

    def _look(self, hidden: Tensor, places: Tensor, real: Tensor) -> Tensor:
        """(B, T, H) states of the writer with what they see of the source."""
        fit = hidden @ places.transpose(1, 2)
        share = fit.masked_fill(~real[:, None], -torch.inf).softmax(2)
        seen = torch.tanh(self.seen(torch.cat((hidden, share @ places), 2)))
        result: Tensor = self.dropouts[1](seen)
        return result
