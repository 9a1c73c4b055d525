"""A Transformer as a textbook writes it: no memory, so every word reads its whole beginning again.

Everything reads the parameters of the model of `sda`, so that results can be compared. Sentences
have one length.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from sda.models.transformer import Layer, TransformerGenerator

BATCH = 64


@torch.no_grad()
def sample(generator: TransformerGenerator, n: int, rng: torch.Generator) -> Tensor:
    """(n, T) sentences written a word at a time, a batch of them to the end before the next."""
    starts = torch.full((n, 1), generator.bos).split(BATCH)  # type: ignore[no-untyped-call]
    return torch.cat([complete(generator, start, rng) for start in starts])


def complete(generator: TransformerGenerator, tokens: Tensor, rng: torch.Generator) -> Tensor:
    """(B, T) the words that follow the start symbol (B, 1)."""
    for _ in range(generator.max_length):
        logits = read_out(generator, hidden_states(generator, tokens)[:, -1])
        word = torch.multinomial(logits.softmax(1), 1, generator=rng)
        tokens = torch.cat((tokens, word), 1)
    return tokens[:, 1:]


def log_probs(generator: TransformerGenerator, tokens: Tensor) -> Tensor:
    """(B, T) log-probability of each of the tokens given those before it."""
    start = torch.full((len(tokens), 1), generator.bos)
    hidden = hidden_states(generator, torch.cat((start, tokens[:, :-1]), 1))
    return read_out(generator, hidden).log_softmax(2).gather(2, tokens[..., None])[..., 0]


def read_out(generator: TransformerGenerator, hidden: Tensor) -> Tensor:
    """(..., V) scores of the next word."""
    return functional.linear(hidden, generator.output_weight, generator.bias)


def hidden_states(generator: TransformerGenerator, tokens: Tensor) -> Tensor:
    """(B, T, W) after each token."""
    x: Tensor = generator.embedding(tokens)
    if generator.positions is not None:
        x = x + generator.positions.weight[: tokens.shape[1]]
    for layer in generator.layers:
        assert isinstance(layer, Layer)
        x = x + attend(layer, layer.attention_norm(x), generator.positions is None)
        x = x + layer.outer(functional.gelu(layer.inner(layer.network_norm(x))))
    hidden: Tensor = generator.norm(x)
    return hidden


def attend(layer: Layer, x: Tensor, rotary: bool) -> Tensor:
    """(B, T, W) softmax(Q K' / sqrt(d)) V for each head, nobody looking ahead."""
    rows, steps, width = x.shape
    queries, keys, values = (
        part.view(rows, steps, layer.heads, -1).transpose(1, 2)
        for part in layer.projection(x).chunk(3, 2)
    )
    if rotary:
        queries, keys = turn(queries), turn(keys)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(width // layer.heads)
    ahead = torch.ones(steps, steps, dtype=torch.bool).triu(1)
    seen = scores.masked_fill(ahead, -math.inf).softmax(3) @ values
    attended: Tensor = layer.attended(seen.transpose(1, 2).reshape(rows, steps, width))
    return attended


def turn(x: Tensor) -> Tensor:
    """x (B, heads, T, d) with each pair of numbers as a complex one times exp(i t / 10000^(2j/d)).

    Number j of the first half of d and of the second are a pair.
    """
    steps, size = x.shape[2:]
    half = size // 2
    angles = torch.outer(torch.arange(steps), 10_000 ** -(torch.arange(half) / half))
    turned = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones(()), angles)
    return torch.cat((turned.real, turned.imag), 3)
