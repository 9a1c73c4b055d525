"""Writing with words of one's own and words of a source: what all rewriting generators share.

The next word comes from a softmax over the `writable` first ids, or from a place of the source:

    p(w) = rest * softmax(w) + copy * (what is looked at among the places that hold w)

A rare word needs no row in the softmax then: it can be copied, which is all that rewriting asks of
it. A place that holds the mask cannot be copied; what would go there goes to the softmax.
"""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor, nn

from sda.models.branching import State
from sda.models.generator import Frame, Generator
from sda.models.softmax import linear_log_probs
from sda.text.sentences import Sentences

FLOOR = 1e-6
"""The share of the probability that all ids have alike, so that no sentence is impossible."""


class CopyingGenerator(Generator):
    """Ids below `writable` can be written anywhere, the others only where the source has them.

    `mask` is an id that a source may hold and that is never written. A subclass gives `start`,
    `look` and `look_at_all`; the state's last part are the ids (B, S) of the source.
    """

    def __init__(self, frame: Frame, embedding: int, writable: int | None) -> None:
        super().__init__(frame)
        self.writable = self.vocabulary_size if writable is None else writable
        if not 1 <= self.writable <= self.vocabulary_size:
            raise ValueError(
                f"writable must be from 1 to {self.vocabulary_size}, not {self.writable}"
            )
        self.mask = self.vocabulary_size + 1
        self.embedding = nn.Embedding(self.vocabulary_size + 2, embedding)
        self.bias = nn.Parameter(torch.zeros(self.writable))
        self.gate = nn.Linear(embedding, 1)

    @abstractmethod
    def look(self, state: State, tokens: Tensor) -> tuple[Tensor, Tensor, State]:
        """After reading tokens (B,): a vector (B, E) of the next word, the share (B, S) that each
        place of the source has of what is looked at, and the state."""

    @abstractmethod
    def look_at_all(self, sentences: Sentences) -> tuple[Tensor, Tensor, Tensor]:
        """The same at every token of sentences: vectors (B, T, E), shares (B, T, S), and the ids
        (B, S) of the source."""

    def step(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        vector, shares, after = self.look(state, tokens)
        source = after[-1]
        assert isinstance(source, Tensor)
        copied, rest = self._divided(vector, shares, source)
        logits = torch.addmm(self.bias, vector, self.embedding.weight[: self.writable].t())
        probs = torch.zeros(len(tokens), self.vocabulary_size, device=logits.device)
        probs[:, : self.writable] = logits.softmax(1) * rest
        # What cannot be copied has no share, so that it may be added anywhere.
        probs = probs.scatter_add(1, source.clamp(max=self.vocabulary_size - 1), copied)
        return (probs * (1 - FLOOR) + FLOOR / self.vocabulary_size).log(), after

    def log_probs(self, sentences: Sentences) -> Tensor:
        sentences = sentences.trimmed()
        mask = sentences.mask
        vectors, shares, source = self.look_at_all(sentences)
        copied, rest = self._divided(vectors, shares, source[:, None])
        targets = sentences.tokens
        found = (copied * (source[:, None] == targets[:, :, None])).sum(2)[mask]
        words = targets[mask]
        is_writable = words < self.writable
        own = linear_log_probs(
            vectors[mask],
            self.embedding.weight[: self.writable],
            self.bias,
            words.clamp(max=self.writable - 1),
        )
        written = own.exp() * rest[:, :, 0][mask] * is_writable
        values = ((written + found) * (1 - FLOOR) + FLOOR / self.vocabulary_size).log()
        return self.device_zeros(*mask.shape).masked_scatter(mask, values)

    def _divided(self, vectors: Tensor, shares: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
        """The probability (..., S) of copying each place, and what is left (..., 1) for words."""
        can_be_copied = source < self.vocabulary_size
        copied = torch.sigmoid(self.gate(vectors)) * shares * can_be_copied
        return copied, 1 - copied.sum(-1, keepdim=True)
