"""A generator that sees a window of the past: gated convolutions, each reaching twice as far."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import glu

from sda.models.branching import State
from sda.models.generator import Frame
from sda.models.hidden import HiddenStateGenerator
from sda.models.initialise import normal_weights_
from sda.text.context import Context
from sda.text.sentences import Sentences

Parts = tuple[tuple[Tensor, ...], tuple[Tensor, ...]]
"""The last inputs of all layers, and the vector (B, C) of the label, none where there are none."""


class CnnGenerator(HiddenStateGenerator):
    """Gated causal convolutions of dilation 1, 2, 4, ..., each added to what it reads.

    A word depends on the last 1 + (width - 1) * (2 ** layers - 1) tokens, the start symbol counted.
    The state holds the last inputs of each layer; before the start they are zero. Where sentences
    have one of `labels` labels, a vector of the label is part of every input, and of the state.
    """

    def __init__(
        self,
        frame: Frame,
        rng: torch.Generator,
        channels: int = 128,
        layers: int = 4,
        width: int = 3,
        dropout: float = 0.0,
        tied: bool = False,
        init_std: float = 0.05,
        labels: int = 0,
    ) -> None:
        super().__init__(frame, channels, channels, tied)
        if layers < 1 or width < 1:
            raise ValueError(f"layers and width must be 1 or more, not {layers} and {width}")
        self.layers = nn.ModuleList(
            GatedConvolution(channels, width, 2**layer, dropout) for layer in range(layers)
        )
        self.input_dropout = nn.Dropout(dropout)
        self.output_dropout = nn.Dropout(dropout)
        self.labels = nn.Embedding(labels, channels) if labels else None
        normal_weights_(self, init_std, rng)

    def start(self, n: int, context: Context | None = None) -> State:
        channels = self.embedding.embedding_dim
        layers = cast(list[GatedConvolution], list(self.layers))
        pasts = tuple(self.device_zeros(n, layer.reach, channels) for layer in layers)
        return pasts, self.label_vectors(context)

    def advance(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        x, after = self._read(tokens[:, None], cast(Parts, state))
        return x[:, 0], after

    def hidden_states(self, sentences: Sentences) -> Tensor:
        start = cast(Parts, self.start(len(sentences), sentences.context))
        x, _ = self._read(self.inputs(sentences), start)
        return x[sentences.mask]

    def _read(self, tokens: Tensor, state: Parts) -> tuple[Tensor, Parts]:
        """Hidden states (B, T, C) after each of the tokens (B, T), and the state then."""
        pasts, label = state
        x: Tensor = self.embedding(tokens)
        for vector in label:
            x = x + vector[:, None]
        x = self.input_dropout(x)
        after = []
        for layer, past in zip(self.layers, pasts, strict=True):
            x, past = layer(x, past)
            after.append(past)
        return self.output_dropout(x), (tuple(after), label)


class GatedConvolution(nn.Module):
    """One layer: `width` inputs, `dilation` apart, the last of them the present one."""

    def __init__(self, channels: int, width: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.dilation = dilation
        self.filters = nn.Linear(width * channels, 2 * channels)
        self.dropout = nn.Dropout(dropout)

    @property
    def reach(self) -> int:
        """How many inputs before the present one matter."""
        return (self.width - 1) * self.dilation

    def forward(self, x: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, T, C) one layer further, and the last inputs (B, reach, C) after it."""
        inputs = torch.cat((past, x), 1)
        steps = x.shape[1]
        shifts = range(0, self.reach + 1, self.dilation)
        # One product over all taps: a step and a whole sentence take the same path.
        taps = torch.cat([inputs[:, shift : shift + steps] for shift in shifts], 2)
        return x + self.dropout(glu(self.filters(taps), 2)), inputs[:, steps:]
