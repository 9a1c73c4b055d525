"""An encoder-decoder with attention and copying as a textbook has it: word by word, over all words.

Nothing is kept between two words of a rewriting: source and beginning are read again for each. The
weights are those of a `Rewriter` that can write every word.
"""

from __future__ import annotations

import torch
from torch import Tensor

from sda.models.copying import FLOOR
from sda.models.rewriter import Rewriter
from sda.text.context import Context, labels_of, source_of
from sda.text.sentences import Sentences


def loss(generator: Rewriter, sentences: Sentences) -> Tensor:
    """Minus the log-likelihood of a sentence given its source and its style, on average."""
    first = torch.full_like(sentences.lengths[:, None], generator.bos)
    inputs = torch.cat((first, sentences.tokens[:, :-1]), 1)
    assert sentences.context is not None
    probs = _all_probs(generator, inputs, sentences.context)
    chosen = probs.gather(2, sentences.tokens[:, :, None])[:, :, 0].log()
    return -(chosen * sentences.mask).sum() / len(sentences)


@torch.no_grad()
def rewrite(generator: Rewriter, context: Context, longest: int) -> Tensor:
    """(B, longest) the likeliest words one after the other, over the end too."""
    tokens = torch.full((len(context), 1), generator.bos)
    for _ in range(longest):
        probs = _all_probs(generator, tokens, context)
        tokens = torch.cat((tokens, probs[:, -1].argmax(1, keepdim=True)), 1)
    return tokens[:, 1:]


def _all_probs(generator: Rewriter, inputs: Tensor, context: Context) -> Tensor:
    """(B, T, V) of the next word after each input."""
    source = source_of(context)
    places = _read(generator, source)
    mean = (places * source.mask[:, :, None]).sum(1) / source.lengths[:, None]
    hidden = torch.tanh(generator.first(mean))
    style = generator.labels(labels_of(context))
    words = generator.vocabulary_size
    columns = []
    for column in inputs.unbind(1):
        hidden = _gru(generator.writer, generator.embedding(column) + style, hidden)
        fit = (generator.query(hidden)[:, None] * places).sum(2)
        shares = fit.masked_fill(~source.mask, -torch.inf).softmax(1)
        seen = (shares[:, :, None] * places).sum(1)
        vector = torch.tanh(generator.seen(torch.cat((hidden, seen), 1)))
        logits = vector @ generator.embedding.weight[:words].t() + generator.bias
        copied = torch.sigmoid(generator.gate(vector)) * shares
        probs = logits.softmax(1) * (1 - copied.sum(1, keepdim=True))
        probs = probs.scatter_add(1, source.tokens, copied)
        columns.append(probs * (1 - FLOOR) + FLOOR / words)
    return torch.stack(columns, 1)


def _read(generator: Rewriter, source: Sentences) -> Tensor:
    """(B, S, 2R) what each place of the source holds, read word by word from both ends."""
    words = generator.embedding(source.tokens)
    rows, steps, _ = words.shape
    zero = words.new_zeros(rows, generator.forwards.hidden_size)
    before, hidden = [], zero
    for t in range(steps):
        hidden = _gru(generator.forwards, words[:, t], hidden)
        before.append(hidden)
    after: list[Tensor] = []
    hidden = zero
    for t in reversed(range(steps)):
        # From the end of each sentence: padding leaves the state at zero.
        read = _gru(generator.backwards, words[:, t], hidden)
        hidden = torch.where((t < source.lengths)[:, None], read, zero)
        after.insert(0, hidden)
    return torch.cat((torch.stack(before, 1), torch.stack(after, 1)), 2)


def _gru(layer: torch.nn.GRU, x: Tensor, hidden: Tensor) -> Tensor:
    """One step of a GRU, by its three equations."""
    size = layer.hidden_size
    part = layer.get_parameter
    given = x @ part("weight_ih_l0").t() + part("bias_ih_l0")
    own = hidden @ part("weight_hh_l0").t() + part("bias_hh_l0")
    reset = torch.sigmoid(given[:, :size] + own[:, :size])
    update = torch.sigmoid(given[:, size : 2 * size] + own[:, size : 2 * size])
    new = torch.tanh(given[:, 2 * size :] + reset * own[:, 2 * size :])
    return (1 - update) * new + update * hidden
