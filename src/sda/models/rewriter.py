"""A sentence in another style: a GRU that reads the source, looks back at it, and copies from it.

There is no input feeding (what the writer looked at is not read back), so that a given sentence is
scored in one pass.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from sda.models.branching import State
from sda.models.copying import CopyingGenerator
from sda.models.generator import Frame
from sda.models.initialise import normal_
from sda.models.rnn import gru_step, read_source
from sda.text.context import Context, labels_of
from sda.text.sentences import Sentences

Memory = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""The writer's state (B, H), the style's vector (B, E), places of the source (B, S, 2R), which of
them are real, and their ids."""


class Rewriter(CopyingGenerator):
    """Reads the source both ways with `reading` units each; the style is part of every input."""

    def __init__(
        self,
        frame: Frame,
        rng: torch.Generator,
        labels: int,
        writable: int | None,
        embedding: int,
        reading: int,
        hidden: int,
        dropout: float = 0.0,
        init_std: float = 0.08,
    ) -> None:
        super().__init__(frame, embedding, writable)
        self.forwards = nn.GRU(embedding, reading, batch_first=True)
        self.backwards = nn.GRU(embedding, reading, batch_first=True)
        self.labels = nn.Embedding(labels, embedding)
        self.first = nn.Linear(2 * reading, hidden)
        self.writer = nn.GRU(embedding, hidden, batch_first=True)
        self.query = nn.Linear(hidden, 2 * reading, bias=False)
        self.seen = nn.Linear(hidden + 2 * reading, embedding)
        self.dropouts = nn.ModuleList(nn.Dropout(dropout) for _ in range(2))
        normal_(self, init_std, rng)

    def start(self, n: int, context: Context | None = None) -> State:
        source, places = read_source(context, self._embedded, self.forwards, self.backwards)
        real = source.mask
        mean = (places * real[:, :, None]).sum(1) / source.lengths.clamp(min=1)[:, None]
        return (
            torch.tanh(self.first(mean)),
            self.labels(labels_of(context)),
            places,
            real,
            source.tokens,
        )

    def look(self, state: State, tokens: Tensor) -> tuple[Tensor, Tensor, State]:
        hidden, style, places, real, source = cast(Memory, state)
        hidden = gru_step(self.writer, self._embedded(tokens) + style, hidden)
        vectors, shares = self._see(hidden[:, None], places, real)
        return vectors[:, 0], shares[:, 0], (hidden, style, places, real, source)

    def look_at_all(self, sentences: Sentences) -> tuple[Tensor, Tensor, Tensor]:
        start = self.start(len(sentences), sentences.context)
        first, style, places, real, source = cast(Memory, start)
        words = self._embedded(self.inputs(sentences)) + style[:, None]
        hidden, _ = self.writer(words, first[None])
        return *self._see(hidden, places, real), source

    def _embedded(self, tokens: Tensor) -> Tensor:
        vectors: Tensor = self.dropouts[0](self.embedding(tokens))
        return vectors

    def _see(self, hidden: Tensor, places: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """Vectors (B, T, E) and shares (B, T, S) of states (B, T, H) of the writer."""
        fit = self.query(hidden) @ places.transpose(1, 2)
        shares = fit.masked_fill(~real[:, None], -torch.inf).softmax(2)
        seen = torch.tanh(self.seen(torch.cat((hidden, shares @ places), 2)))
        return self.dropouts[1](seen), shares
