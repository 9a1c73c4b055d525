"""The recurrent base of the paper: an LSTM or GRU generator and a bidirectional GRU discriminator.

The paper states no sizes; decision 0021 gives those used here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import torch
from torch import Tensor, nn

from sda.models.branching import State
from sda.models.discriminator import Discriminator, match_label
from sda.models.generator import Frame
from sda.models.hidden import HiddenStateGenerator
from sda.models.initialise import normal_
from sda.text.context import Context, labels_of, source_of
from sda.text.sentences import Sentences


class RnnGenerator(HiddenStateGenerator):
    """Embedding, recurrent layers, softmax over the vocabulary; the state starts at zero.

    Where sentences have one of `labels` labels, each layer starts from a vector of the label.
    """

    def __init__(
        self,
        frame: Frame,
        rng: torch.Generator,
        cell: Literal["lstm", "gru"] = "lstm",
        embedding: int = 32,
        hidden: int = 32,
        layers: int = 1,
        dropout: float = 0.0,
        tied: bool = False,
        init_std: float = 0.1,
        labels: int = 0,
    ) -> None:
        super().__init__(frame, embedding, hidden, tied)
        if layers < 1:
            raise ValueError(f"layers must be 1 or more, not {layers}")
        self.cell = cell
        self.hidden = hidden
        kind = nn.LSTM if cell == "lstm" else nn.GRU
        self.recurrent = nn.ModuleList(
            kind(embedding if layer == 0 else hidden, hidden, batch_first=True)
            for layer in range(layers)
        )
        # Dropout stands before each recurrent layer and before the output layer.
        self.dropouts = nn.ModuleList(nn.Dropout(dropout) for _ in range(layers + 1))
        self.labels = nn.Embedding(labels, layers * hidden) if labels else None
        normal_(self, init_std, rng)

    def start(self, n: int, context: Context | None = None) -> State:
        zero = self.device_zeros(n, self.hidden)
        layers = len(self.recurrent)
        first = [zero] * layers if self.labels is None else self._first_states(context)
        return tuple((hidden, zero) if self.cell == "lstm" else (hidden,) for hidden in first)

    def _first_states(self, context: Context | None) -> list[Tensor]:
        """(B, H) of each layer: what it remembers of the label before the first word."""
        assert self.labels is not None
        vectors: Tensor = self.labels(labels_of(context))
        return list(vectors.split(self.hidden, 1))  # type: ignore[no-untyped-call]

    def advance(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        x: Tensor = self.dropouts[0](self.embedding(tokens))
        after: list[State] = []
        for layer, dropout, memory in zip(
            self.recurrent,
            self.dropouts[1:],
            cast(tuple[tuple[Tensor, ...], ...], state),
            strict=True,
        ):
            if isinstance(layer, nn.GRU):
                memory = (gru_step(layer, x, memory[0]),)
            else:
                memory = torch.lstm_cell(x, memory, *layer_weights(cast(nn.LSTM, layer)))
            after.append(memory)
            x = dropout(memory[0])
        return x, tuple(after)

    def hidden_states(self, sentences: Sentences) -> Tensor:
        x: Tensor = self.dropouts[0](self.embedding(self.inputs(sentences)))
        start = cast(tuple[tuple[Tensor, ...], ...], self.start(len(sentences), sentences.context))
        for layer, dropout, memory in zip(self.recurrent, self.dropouts[1:], start, strict=True):
            # torch wants a row for each of its own layers in front, of which there is one.
            first = tuple(part[None] for part in memory)
            x = dropout(layer(x, first if self.cell == "lstm" else first[0])[0])
        return x[sentences.mask]


class RnnDiscriminator(Discriminator):
    """A GRU from the left and one from the right; the judgement reads where both end.

    Where sentences have one of `labels` labels, the judgement also asks how well the features go
    with a vector of the label.
    """

    def __init__(
        self,
        vocabulary_size: int,
        rng: torch.Generator,
        embedding: int = 64,
        hidden: int = 64,
        dropout: float = 0.25,
        init_std: float = 0.1,
        labels: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding)
        self.forwards = nn.GRU(embedding, hidden, batch_first=True)
        self.backwards = nn.GRU(embedding, hidden, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(2 * hidden, 1)
        self.labels = nn.Embedding(labels, 2 * hidden) if labels else None
        normal_(self, init_std, rng)

    def features(self, sentences: Sentences) -> Tensor:
        sentences = sentences.trimmed()
        last = (sentences.lengths - 1).clamp(min=0)
        mirrored = sentences.tokens.gather(1, mirror(sentences))
        ends = [
            gru(self.embedding(tokens))[0][torch.arange(len(last), device=last.device), last]
            for gru, tokens in ((self.forwards, sentences.tokens), (self.backwards, mirrored))
        ]
        return torch.cat(ends, 1)

    def real_logit(self, sentences: Sentences) -> Tensor:
        features: Tensor = self.dropout(self.features(sentences))
        logit: Tensor = self.output(features)
        return logit[:, 0] + match_label(self.labels, features, sentences.context)


def gru_step(gru: nn.GRU, x: Tensor, hidden: Tensor) -> Tensor:
    """(B, H) the state of the only layer after reading x (B, F) in a state (B, H)."""
    return torch.gru_cell(x, hidden, *layer_weights(gru))


def layer_weights(layer: nn.RNNBase) -> list[Tensor]:
    """Of what is read and of what is remembered: two matrices, then two biases."""
    return cast(list[list[Tensor]], layer.all_weights)[0]


def mirror(sentences: Sentences) -> Tensor:
    """(B, T) where each word stands when its sentence is read from the end; 0 on padding.

    Reversing each sentence within its own length keeps padding out of both directions.
    """
    last = (sentences.lengths - 1).clamp(min=0)
    columns = torch.arange(sentences.tokens.shape[1], device=last.device)
    return (last[:, None] - columns).clamp(min=0)


def read_source(
    context: Context | None,
    embed: Callable[[Tensor], Tensor],
    forwards: nn.GRU,
    backwards: nn.GRU,
) -> tuple[Sentences, Tensor]:
    """The source sentences, and (B, S, 2H) what the two readers make of their embedded words."""
    source = source_of(context).trimmed()
    return source, read_both_ways(source, embed(source.tokens), forwards, backwards)


def read_both_ways(
    sentences: Sentences, words: Tensor, forwards: nn.GRU, backwards: nn.GRU
) -> Tensor:
    """(B, T, 2H): what each place knows of the words before it and of those after it.

    The second reader begins at the end of each sentence, and its states are turned round again.
    """
    turn = mirror(sentences)[:, :, None]
    after, _ = backwards(words.gather(1, turn.expand_as(words)))
    return torch.cat((forwards(words)[0], after.gather(1, turn.expand_as(after))), 2)
