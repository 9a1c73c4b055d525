"""A sentence as one vector, and sentences of any style made of it again.

What rivals share that take style and content apart (Shen et al., 2017; Hu et al., 2017; Yang et
al., 2018): a recurrent encoder, a recurrent decoder that is told the style, and `soft` sentences,
whose words are mixtures, so that gradients find their way through them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer
from sda.text.vocabulary import WordVocabulary
from sda.transfer.styled import StyledTexts


@dataclass(frozen=True)
class AutoencoderSettings:
    """Sizes and durations that suit one CPU; the papers' models are several times as large."""

    words: int = 3000
    embedding: int = 96
    hidden: int = 192
    content: int = 128
    sentences: int = 20_000
    """The most sentences of each style that are learned from."""
    batch: int = 64
    rate: float = 3e-3
    first_epochs: int = 3
    """Passes over the sentences by reconstruction alone."""
    epochs: int = 1
    """Passes with all parts of the loss."""


SMALL = AutoencoderSettings()
Done = Callable[[str], None]
"""Is called after each pass over the sentences, with what it was for."""


def frequent_words(texts: StyledTexts, most: int) -> WordVocabulary:
    """So many words that are frequent in the texts; all others are one unknown word."""
    counts = Counter(chain.from_iterable(map(str.split, chain.from_iterable(texts.texts))))
    words = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    return WordVocabulary(tuple(words), True, tokenizer("whitespace"))


class Soft(NamedTuple):
    """Sentences whose words are mixtures."""

    probs: Tensor
    """(B, T, V) the share of each word."""
    hidden: Tensor
    """(B, T, H) the decoder's states before the words."""
    alive: Tensor
    """(B, T) how likely the sentence has not ended before the word."""


class Autoencoder(nn.Module):
    """Encoder and decoder over ids 0 to `size - 1`, the first of which ends a sentence."""

    def __init__(self, size: int, styles: int, settings: AutoencoderSettings = SMALL) -> None:
        super().__init__()
        self.start = size
        self.embedding = nn.Embedding(size + 1, settings.embedding)
        half = settings.hidden // 2
        self.encoder = nn.GRU(settings.embedding, half, batch_first=True, bidirectional=True)
        self.mean = nn.Linear(4 * half, settings.content)
        self.spread = nn.Linear(4 * half, settings.content)
        self.style = nn.Embedding(styles, settings.embedding)
        self.begin = nn.Linear(settings.content, settings.hidden)
        # The manner is told at every word, and the content with it: a vector that is read once is
        # forgotten by the end of the sentence.
        told = 2 * settings.embedding + settings.content
        self.decoder = nn.GRU(told, settings.hidden, batch_first=True)
        self.output = nn.Linear(settings.hidden, size)

    def encode(self, sentences: Sentences) -> tuple[Tensor, Tensor]:
        """Mean and logarithm of the variance (B, content), of what a sentence says.

        No sentence may be empty; the end symbol is enough.
        """
        width, words = sentences.tokens.shape[1], self.embedding(sentences.tokens)
        packed = pack_padded_sequence(words, sentences.lengths, True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.encoder(packed)[0], True, total_length=width)
        return self._content(states, sentences.mask.float())

    def read(self, soft: Soft) -> tuple[Tensor, Tensor]:
        """The same of soft sentences."""
        words = soft.probs @ self.embedding.weight[: self.start]
        states, _ = self.encoder(words * soft.alive[:, :, None])
        return self._content(states, soft.alive)

    def _content(self, states: Tensor, alive: Tensor) -> tuple[Tensor, Tensor]:
        """From states (B, T, H) of words, as far as those are there (B, T).

        States of all words are read, not the last one alone: a short way from each word to the
        content learns far sooner.
        """
        kept = states * alive[:, :, None]
        seen = torch.cat(
            (kept.sum(1) / alive.sum(1, keepdim=True), (kept + alive[:, :, None] - 1).amax(1)), 1
        )
        return self.mean(seen), self.spread(seen)

    def teach(self, given: Tensor, content: Tensor, manner: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, T, V) of each next word after the words before it, and the states there.

        `given` (B, T) are the words of sentences, of which the last is not read; `manner` (B, E)
        is how to say the content, such as the `style`.
        """
        first = torch.full_like(given[:, :1], self.start)
        before = torch.cat((first, given[:, :-1]), 1)
        told = self._told(self.embedding(before), content, manner)
        states, _ = self.decoder(told, torch.tanh(self.begin(content))[None])
        return self.output(states), states

    def soften(self, content: Tensor, manner: Tensor, steps: int, temperature: float) -> Soft:
        """Sentences in that manner (B, E), in so many words, each fed the mixture before it."""
        state = torch.tanh(self.begin(content))[None]
        word = self.embedding.weight[self.start].expand(len(content), -1)
        left = torch.ones(len(content))
        probs, hidden, alive = [], [], []
        for _ in range(steps):
            found, state = self.decoder(self._told(word[:, None], content, manner), state)
            mixture = (self.output(found[:, 0]) / temperature).softmax(1)
            probs.append(mixture)
            hidden.append(found[:, 0])
            alive.append(left)
            left = left * (1 - mixture[:, 0])
            word = mixture @ self.embedding.weight[: self.start]
        return Soft(torch.stack(probs, 1), torch.stack(hidden, 1), torch.stack(alive, 1))

    @torch.no_grad()
    def write(self, content: Tensor, manner: Tensor, steps: int, never: int) -> Sentences:
        """The likeliest word after word, at most so many; the word `never` is not written."""
        state = torch.tanh(self.begin(content))[None]
        tokens = torch.full((len(content),), self.start)
        found = []
        for _ in range(steps):
            told = self._told(self.embedding(tokens)[:, None], content, manner)
            states, state = self.decoder(told, state)
            logits = self.output(states[:, 0])
            logits[:, never] = -torch.inf
            tokens = logits.argmax(1)
            found.append(tokens)
        written = torch.stack(found, 1)
        ended = (written == 0).int()
        lengths = torch.where(ended.any(1), ended.argmax(1) + 1, steps)
        return Sentences(written, lengths).cut(lengths)

    def _told(self, words: Tensor, content: Tensor, manner: Tensor) -> Tensor:
        """(B, T, told) words (B, T, E) with manner and content beside them."""
        steady = torch.cat((manner, content), 1)[:, None]
        return torch.cat((words, steady.expand(-1, words.shape[1], -1)), 2)
