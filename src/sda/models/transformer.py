"""A decoder-only Transformer that remembers keys and values, so that a word costs one position."""

from __future__ import annotations

from typing import Literal, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from sda.devices import computed_in
from sda.errors import UserError
from sda.models.branching import State
from sda.models.generator import Frame
from sda.models.hidden import HiddenStateGenerator
from sda.models.initialise import normal_weights_
from sda.text.context import Context
from sda.text.sentences import Sentences

Memory = tuple[Tensor, Tensor]
"""Keys and values of one layer, (B, heads, t, d) each, for the t tokens read so far."""
Parts = tuple[tuple[Memory, ...], tuple[Tensor, ...]]
"""Memories of all layers, and the vector (B, W) of the label, none where there are no labels."""
Rotation = tuple[Tensor, Tensor]
"""Cosine and sine (T, d / 2) of the angles by which T positions are turned."""

SLOWEST = 10_000  # the slowest pair of numbers turns this many times slower than the fastest


class TransformerGenerator(HiddenStateGenerator):
    """Pre-norm layers of causal attention; the state holds the keys and values of the past.

    The position of a token is the number of tokens before it, which is how long the keys are.
    Rotary positions have no end; learned ones reach as far as `max_length`. Where sentences have
    one of `labels` labels, a vector of the label is part of every input, and of the state.
    """

    def __init__(
        self,
        frame: Frame,
        rng: torch.Generator,
        width: int = 128,
        layers: int = 2,
        heads: int = 4,
        feedforward: int = 512,
        dropout: float = 0.0,
        positions: Literal["rotary", "learned"] = "rotary",
        tied: bool = True,
        init_std: float = 0.02,
        dtype: torch.dtype = torch.float32,
        labels: int = 0,
    ) -> None:
        super().__init__(frame, width, width, tied)
        if min(layers, heads, feedforward) < 1:
            sizes = f"{layers}, {heads} and {feedforward}"
            raise ValueError(f"layers, heads and feedforward must be 1 or more, not {sizes}")
        if width % heads:
            raise ValueError(f"width must be a multiple of heads, not {width} of {heads}")
        if positions == "rotary" and width // heads % 2:
            raise ValueError(f"rotary positions need an even width of a head, not {width // heads}")
        self.heads = heads
        self.size = width // heads
        self.dtype = dtype
        self.positions = nn.Embedding(self.max_length, width) if positions == "learned" else None
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            Layer(width, heads, feedforward, dropout) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.labels = nn.Embedding(labels, width) if labels else None
        normal_weights_(self, init_std, rng)

    def start(self, n: int, context: Context | None = None) -> State:
        nothing = self.device_zeros(n, self.heads, 0, self.size)
        memories = tuple((nothing, nothing) for _ in self.layers)
        return memories, self.label_vectors(context)

    def advance(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        x, after = self._read(tokens[:, None], cast(Parts, state))
        return self.norm(x[:, 0]), after

    def hidden_states(self, sentences: Sentences) -> Tensor:
        start = cast(Parts, self.start(len(sentences), sentences.context))
        x, _ = self._read(self.inputs(sentences), start)
        hidden: Tensor = self.norm(x[sentences.mask])
        return hidden

    def _read(self, tokens: Tensor, state: Parts) -> tuple[Tensor, Parts]:
        """What the layers make (B, T, W) of tokens (B, T), and the state after the last."""
        memories, label = state
        first = memories[0][0].shape[2]
        places = torch.arange(first, first + tokens.shape[1], device=tokens.device)
        x: Tensor = self.embedding(tokens)
        for vector in label:
            x = x + vector[:, None]
        rotation = None
        if self.positions is None:
            rotation = rotation_at(places, self.size)
        elif first + tokens.shape[1] > self.max_length:
            raise UserError(
                f"learned positions end at {self.max_length} tokens: write shorter sentences, or"
                ' train with generator.positions = "rotary"'
            )
        else:
            x = x + self.positions(places)
        x = self.dropout(x)
        after = []
        with computed_in(self.dtype, self.device):
            for layer, memory in zip(self.layers, memories, strict=True):
                x, memory = layer(x, memory, rotation)
                after.append(memory)
        return x, (tuple(after), label)


class Layer(nn.Module):
    """Attention to the past, then a network at each position; both add to what they read."""

    def __init__(self, width: int, heads: int, feedforward: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        # A bias of the keys adds the same to all scores of a query, and softmax takes it out again.
        self.projection = nn.Linear(width, 3 * width, bias=False)
        self.attended = nn.Linear(width, width)
        self.attention_dropout = nn.Dropout(dropout)
        self.network_norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, feedforward)
        self.outer = nn.Linear(feedforward, width)
        self.network_dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, memory: Memory, rotation: Rotation | None
    ) -> tuple[Tensor, Memory]:
        """x (B, T, W) one layer further, and the memory with T more tokens.

        T is 1, or the memory is empty.
        """
        seen, memory = self._attend(self.attention_norm(x), memory, rotation)
        x = x + self.attention_dropout(self.attended(seen))
        inner = gelu(self.inner(self.network_norm(x)))
        return x + self.network_dropout(self.outer(inner)), memory

    def _attend(
        self, x: Tensor, memory: Memory, rotation: Rotation | None
    ) -> tuple[Tensor, Memory]:
        rows, steps, width = x.shape
        parts: Tensor = self.projection(x).view(rows, steps, 3, self.heads, width // self.heads)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        if rotation is not None:
            queries, keys = rotate(queries, rotation), rotate(keys, rotation)
        is_start = memory[0].shape[2] == 0
        keys, values = torch.cat((memory[0], keys), 2), torch.cat((memory[1], values), 2)
        # Padding comes after the words of a sentence, so causality alone keeps it out.
        seen = scaled_dot_product_attention(queries, keys, values, is_causal=is_start)
        return seen.transpose(1, 2).flatten(2), (keys, values)


def rotation_at(places: Tensor, size: int) -> Rotation:
    """The angles of places (T,) in a head of the given size: the further, the more turns."""
    pairs = torch.arange(0, size, 2, device=places.device)
    angles = places[:, None] * SLOWEST ** (-pairs / size)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, rotation: Rotation) -> Tensor:
    """x (B, heads, T, d) with each pair (i, i + d / 2) of its numbers turned by the angle.

    The product of two vectors that were turned depends on the distance of their places alone.
    """
    cosine, sine = rotation
    a, b = x.chunk(2, -1)
    return torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1)
