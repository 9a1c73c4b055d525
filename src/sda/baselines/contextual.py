"""Contextual replacement (Kobayashi 2018): words drawn from a bidirectional language model.

The model is trained on the corpus itself. It reads the words before a place and those after it, and
not the word there; what it expects takes that word's place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sda.baselines.augmentation import FittedAugmentation
from sda.baselines.edits import USUAL, Amount
from sda.models.initialise import normal_
from sda.text.corpus import POOL, batches
from sda.text.sentences import Flat, Sentences

COMMON = 5
"""Times that a word must occur before it may take another's place."""
MOST_WORDS = 5000
"""Words that may take another's place: the commonest."""
_RATE = 0.003
_CLIP = 1.0
_BATCH = 64
_SENTENCES = 512  # written at a time
_PASSES = 200  # over the text at most: of a small one, more teach nothing and take as long
_LONGEST = 50  # words of a piece that is learned from; a line may have thousands

Progress = Callable[[int, int], None]


def has_letters(words: Sequence[str]) -> NDArray[np.bool_]:
    """(V,) true for words of letters alone."""
    return np.fromiter((word.isalpha() for word in words), np.bool_, len(words))


@dataclass(eq=False)
class Contextual(FittedAugmentation):
    """Adds versions of every training sentence with words drawn anew from their context."""

    may_change = staticmethod(has_letters)

    temperature: float = 1.0
    updates: int = 1000
    hidden: int = 64

    def write(self, sentences: Flat, longest: int) -> Flat:
        model = fit_context(sentences, self.is_word, self.seed(), self.updates, self.hidden)
        return rewrite(model, sentences, self.rng, self.amount, self.temperature)


class ContextModel(nn.Module):
    """One GRU reads up to a place, another back to it; both say which word stands there.

    `words` (C,) are the ids that it can put; `classes` (V,) is the place of each id in `words`, or
    -1.
    """

    def __init__(
        self, vocabulary_size: int, words: Tensor, hidden: int, rng: torch.Generator
    ) -> None:
        super().__init__()
        self.boundary = vocabulary_size
        self.words = words
        self.classes = torch.full((vocabulary_size,), -1)
        self.classes[words] = torch.arange(len(words))
        self.embedding = nn.Embedding(vocabulary_size + 1, hidden)
        self.forwards = nn.GRU(hidden, hidden, batch_first=True)
        self.backwards = nn.GRU(hidden, hidden, batch_first=True)
        self.output = nn.Linear(2 * hidden, len(words))
        normal_(self, 0.1, rng)

    def contexts(self, sentences: Sentences) -> Tensor:
        """(B, T, 2 H) what stands before each word and what stands after it."""
        lengths = sentences.lengths
        left = self._read(self.forwards, sentences.tokens)
        right = self._read(self.backwards, _mirrored(sentences.tokens[..., None], lengths)[..., 0])
        return torch.cat((left, _mirrored(right, lengths)), 2)

    def loss(self, sentences: Sentences) -> Tensor:
        """Minus the log-probability of the words that it can put, on average."""
        classes = self.classes[sentences.tokens].masked_fill(~sentences.mask, -1)
        known = classes >= 0
        logits = self.output(self.contexts(sentences)[known])
        return nn.functional.cross_entropy(logits, classes[known])

    def _read(self, gru: nn.GRU, tokens: Tensor) -> Tensor:
        """(B, T, H) the state before each token."""
        inputs = nn.functional.pad(tokens[:, :-1], (1, 0), value=self.boundary)
        states: Tensor = gru(self.embedding(inputs))[0]
        return states


def fit_context(
    sentences: Flat,
    is_word: NDArray[np.bool_],
    seed: int,
    updates: int = 1000,
    hidden: int = 64,
    progress: Progress | None = None,
) -> ContextModel:
    """The model after so many batches of the sentences; it puts only words where `is_word` (V,).

    `progress` is called after each update with its number and their total. The same seed gives the
    same model, and torch's global random numbers are left as they were.
    """
    if updates < 0 or hidden < 1:
        raise ValueError(
            f"updates must be 0 or more and hidden 1 or more, not {updates} and {hidden}"
        )
    counts = np.bincount(sentences.ids, minlength=len(is_word)) * is_word
    order = np.argsort(-counts, kind="stable")[:MOST_WORDS]
    words = torch.from_numpy(order[counts[order] >= COMMON])
    if len(words) < 2:
        raise ValueError(f"fewer than two words of letters occur {COMMON} times")
    rng = torch.Generator().manual_seed(seed)
    # Layers under construction draw from the global generator.
    with torch.random.fork_rng(devices=[]):
        model = ContextModel(len(is_word), words, hidden, rng)
    pieces = _in_pieces(sentences)
    owners = np.repeat(np.arange(len(pieces)), pieces.lengths)
    holders = np.unique(owners[np.isin(pieces.ids, words.numpy())])
    train = Sentences.from_flat(pieces.take(holders))
    updates = min(updates, _PASSES * math.ceil(len(train) / _BATCH))
    optimizer = torch.optim.Adam(model.parameters(), lr=_RATE)
    done = 0
    while done < updates:
        for batch in batches(train, _BATCH, rng, POOL):
            optimizer.zero_grad(set_to_none=True)
            model.loss(batch).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
            optimizer.step()
            done += 1
            if progress is not None:
                progress(done, updates)
            if done == updates:
                break
    return model


def _in_pieces(sentences: Flat) -> Flat:
    """The sentences, long ones in several; what stands on the other side of a cut is not read."""
    lengths = sentences.lengths
    pieces = -(-lengths // _LONGEST)
    within = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    firsts = np.repeat(sentences.starts[:-1], pieces) + within * _LONGEST
    return Flat(sentences.ids, np.append(firsts, sentences.starts[-1]))


@torch.no_grad()
def rewrite(
    model: ContextModel,
    sentences: Flat,
    rng: torch.Generator,
    amount: Amount = USUAL,
    temperature: float = 1.0,
) -> Flat:
    """New sentences in which words that the model can put gave way to others.

    Any of them are chosen, and each becomes another one in proportion to the
    model's probability to the power 1 / temperature, given the rest of the source.
    """
    amount.check()
    if not temperature > 0.0:
        raise ValueError(f"temperature must be above 0, not {temperature}")
    alpha, per_sentence = amount
    written = sentences.take(np.repeat(np.arange(len(sentences)), per_sentence))
    for first in range(0, len(sentences), _SENTENCES):
        numbers = np.arange(first, min(first + _SENTENCES, len(sentences)))
        source = Sentences.from_flat(sentences.take(numbers))
        if not source.tokens.shape[1]:
            continue
        contexts = model.contexts(source)
        counts = (alpha * source.lengths.double()).long().clamp(min=1)
        versions = [
            _changed(model, source, contexts, counts, temperature, rng) for _ in range(per_sentence)
        ]
        tokens = torch.stack(versions, 1).flatten(0, 1)
        mask = source.mask.repeat_interleave(per_sentence, 0)
        begin, end = written.starts[[first * per_sentence, (int(numbers[-1]) + 1) * per_sentence]]
        written.ids[begin:end] = tokens[mask].numpy()
    return written


def _changed(
    model: ContextModel,
    source: Sentences,
    contexts: Tensor,
    counts: Tensor,
    temperature: float,
    rng: torch.Generator,
) -> Tensor:
    """(B, T) the tokens with `counts` (B,) words of each sentence drawn anew."""
    classes = model.classes[source.tokens].masked_fill(~source.mask, -1)
    keys = torch.rand(source.tokens.shape, generator=rng).masked_fill(classes < 0, 2.0)
    ranks = keys.argsort(1).argsort(1)
    chosen = (ranks < counts[:, None]) & (classes >= 0)
    tokens = source.tokens.clone()
    if chosen.any():
        logits = model.output(contexts[chosen]) / temperature
        logits.scatter_(1, classes[chosen][:, None], -torch.inf)
        drawn = torch.multinomial(logits.softmax(1), 1, generator=rng)[:, 0]
        tokens[chosen] = model.words[drawn]
    return tokens


def _mirrored(values: Tensor, lengths: Tensor) -> Tensor:
    """(B, T, F) each sentence backwards within its own length, so that padding stays outside."""
    columns = torch.arange(values.shape[1])
    places = (lengths[:, None] - 1 - columns).clamp(min=0)
    return values.gather(1, places[..., None].expand_as(values))
