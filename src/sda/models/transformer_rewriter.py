"""The Transformer among the rewriting models: it reads the source at once, and copies from it."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from sda.models.branching import State
from sda.models.copying import CopyingGenerator
from sda.models.generator import Frame
from sda.models.initialise import normal_weights_
from sda.models.transformer import Layer, Memory, Rotation, rotate, rotation_at
from sda.text.context import Context, labels_of, source_of
from sda.text.sentences import Sentences

Parts = tuple[tuple[Memory, ...], Tensor, Tensor, Tensor, Tensor]
"""Keys and values of the layers that write, the style's vector (B, W), places of the source
(B, S, W), which of them are real, and their ids."""


class TransformerRewriter(CopyingGenerator):
    """Layers that read the source, layers that write, and between them attention to the source.

    Places are told apart by rotary positions; the style is part of every input of the writer. What
    is copied is found by one more attention on top, as in `Rewriter`.
    """

    def __init__(
        self,
        frame: Frame,
        rng: torch.Generator,
        labels: int,
        writable: int | None,
        width: int,
        layers: int,
        heads: int,
        feedforward: int,
        dropout: float = 0.0,
        init_std: float = 0.06,
    ) -> None:
        super().__init__(frame, width, writable)
        if width % (2 * heads):
            raise ValueError(f"width must be a multiple of 2 * heads, not {width} of {heads}")
        self.heads = heads
        self.size = width // heads
        self.labels = nn.Embedding(labels, width)
        self.reader = nn.ModuleList(
            LookingLayer(width, heads, feedforward, dropout) for _ in range(layers)
        )
        self.writer = nn.ModuleList(
            Layer(width, heads, feedforward, dropout) for _ in range(layers)
        )
        self.between = nn.ModuleList(
            LookingLayer(width, heads, feedforward, dropout) for _ in range(layers)
        )
        self.reader_norm = nn.LayerNorm(width)
        self.writer_norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.seen = nn.Linear(2 * width, width)
        self.dropouts = nn.ModuleList(nn.Dropout(dropout) for _ in range(2))
        normal_weights_(self, init_std, rng)

    def start(self, n: int, context: Context | None = None) -> State:
        source = source_of(context).trimmed()
        x: Tensor = self.dropouts[0](self.embedding(source.tokens))
        rotation = rotation_at(torch.arange(x.shape[1], device=x.device), self.size)
        for layer in self.reader:
            x = layer(x, x, source.mask, rotation)
        nothing = self.device_zeros(n, self.heads, 0, self.size)
        memories = tuple((nothing, nothing) for _ in self.writer)
        style = self.labels(labels_of(context))
        return memories, style, self.reader_norm(x), source.mask, source.tokens

    def look(self, state: State, tokens: Tensor) -> tuple[Tensor, Tensor, State]:
        vectors, shares, after = self._read(cast(Parts, state), tokens[:, None])
        return vectors[:, 0], shares[:, 0], after

    def look_at_all(self, sentences: Sentences) -> tuple[Tensor, Tensor, Tensor]:
        start = cast(Parts, self.start(len(sentences), sentences.context))
        vectors, shares, _ = self._read(start, self.inputs(sentences))
        return vectors, shares, start[-1]

    def _read(self, state: Parts, tokens: Tensor) -> tuple[Tensor, Tensor, Parts]:
        """Vectors (B, T, W) and shares (B, T, S) after tokens (B, T), and the state after them."""
        memories, style, places, real, source = state
        first = memories[0][0].shape[2]
        at = torch.arange(first, first + tokens.shape[1], device=tokens.device)
        rotation = rotation_at(at, self.size)
        x: Tensor = self.dropouts[0](self.embedding(tokens)) + style[:, None]
        after = []
        for layer, between, memory in zip(self.writer, self.between, memories, strict=True):
            x, memory = layer(x, memory, rotation)
            x = between(x, places, real, None)
            after.append(memory)
        x = self.writer_norm(x)
        fit = self.query(x) @ places.transpose(1, 2) / places.shape[2] ** 0.5
        shares = fit.masked_fill(~real[:, None], -torch.inf).softmax(2)
        seen = torch.tanh(self.seen(torch.cat((x, shares @ places), 2)))
        return self.dropouts[1](seen), shares, (tuple(after), style, places, real, source)


class LookingLayer(nn.Module):
    """Attention to given places, all at once, then a network; both add to what they read."""

    def __init__(self, width: int, heads: int, feedforward: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.queries = nn.Linear(width, width, bias=False)
        self.keys_values = nn.Linear(width, 2 * width, bias=False)
        self.attended = nn.Linear(width, width)
        self.network_norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, feedforward)
        self.outer = nn.Linear(feedforward, width)
        self.dropouts = nn.ModuleList(nn.Dropout(dropout) for _ in range(2))

    def forward(self, x: Tensor, places: Tensor, real: Tensor, rotation: Rotation | None) -> Tensor:
        """x (B, T, W) one layer further, with what it sees of places (B, S, W), some real (B, S).

        With a rotation, x and places are the same sentences, and know where words stand.
        """
        rows, steps, width = x.shape
        normed = self.norm(x)
        shown = normed if rotation is not None else places
        queries = self._heads(self.queries(normed))
        keys, values = map(self._heads, self.keys_values(shown).chunk(2, 2))
        if rotation is not None:
            queries, keys = rotate(queries, rotation), rotate(keys, rotation)
        seen = scaled_dot_product_attention(queries, keys, values, real[:, None, None])
        together = seen.transpose(1, 2).reshape(rows, steps, width)
        x = x + self.dropouts[0](self.attended(together))
        inner = gelu(self.inner(self.network_norm(x)))
        added: Tensor = x + self.dropouts[1](self.outer(inner))
        return added

    def _heads(self, x: Tensor) -> Tensor:
        """(B, heads, T, d) from (B, T, W)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
