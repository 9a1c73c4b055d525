"""What all generators share whose next word is read off one hidden vector per position."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor, nn

from sda.devices import rows_at_once
from sda.models.branching import State
from sda.models.generator import Frame, Generator, choice_figures, without_dropout
from sda.models.softmax import linear_log_probs, linear_weighted_nll
from sda.text.context import Context, labels_of
from sda.text.sentences import Sentences


class OutputLayerGenerator(Generator):
    """Makes hidden states of words, and puts a softmax over the vocabulary on those.

    A subclass gives `start`, `advance`, `hidden_states` and the output layer. Scoring in one pass
    is written here, with the output layer at valid positions only.
    """

    bias: Tensor
    """(V,) what the output layer adds."""

    @abstractmethod
    def advance(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        """(B, H) what the output layer reads for the next word, and the state after reading tokens
        (B,)."""

    @abstractmethod
    def hidden_states(self, sentences: Sentences) -> Tensor:
        """(M, H) what the output layer reads, at the M positions that are not padding."""

    @property
    @abstractmethod
    def output_weight(self) -> Tensor:
        """(V, H) what the output layer multiplies with."""

    def logits(self, hidden: Tensor) -> Tensor:
        """(B, V) of the next word from hidden states (B, H)."""
        return torch.addmm(self.bias, hidden, self.output_weight.t())

    def step(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        hidden, state = self.advance(state, tokens)
        return self.logits(hidden), state

    def log_probs(self, sentences: Sentences) -> Tensor:
        sentences = sentences.trimmed()
        mask = sentences.mask
        values = linear_log_probs(
            self.hidden_states(sentences), self.output_weight, self.bias, sentences.tokens[mask]
        )
        return self.device_zeros(*mask.shape).masked_scatter(mask, values)

    @torch.no_grad()
    def word_states(self, sentences: Sentences) -> Tensor:
        """(M, F): see `chosen_states`."""
        sentences = sentences.trimmed()
        words = sentences.tokens[sentences.mask]
        with without_dropout(self):
            hidden = self.hidden_states(sentences)
        rows = rows_at_once(self.device, self.vocabulary_size)
        pairs = zip(hidden.split(rows), words.split(rows), strict=True)  # type: ignore[no-untyped-call]
        figures = [choice_figures(self.logits(some), chosen) for some, chosen in pairs]
        return self.chosen_states(hidden, words, torch.cat(figures))

    def chosen_states(self, hidden: Tensor, words: Tensor, figures: Tensor) -> Tensor:
        """(M, F) of words (M,) chosen by hidden states (M, H): the state, the vector of the word in
        the output layer, their products whose sum is the word's logit, and its figures."""
        vectors = self.output_weight[words]
        return torch.cat((hidden, vectors, hidden * vectors, figures), 1)

    def loss(self, sentences: Sentences, weights: Tensor | None = None) -> Tensor:
        sentences = sentences.trimmed()
        mask = sentences.mask
        hidden = self.hidden_states(sentences)
        per_token = (
            hidden.new_ones(len(hidden))
            if weights is None
            else weights[:, : mask.shape[1]][mask].to(hidden.dtype)
        )
        total = linear_weighted_nll(
            hidden, self.output_weight, self.bias, sentences.tokens[mask], per_token
        )
        return total / len(sentences)


class HiddenStateGenerator(OutputLayerGenerator):
    """Embeds words, and has an output layer of its own, or that of the embeddings."""

    labels: nn.Embedding | None
    """A vector of each label, where sentences have one."""

    def __init__(
        self,
        frame: Frame,
        embedding: int,
        hidden: int,
        tied: bool,
    ) -> None:
        super().__init__(frame)
        if min(embedding, hidden) < 1:
            raise ValueError(f"sizes must be 1 or more, not {embedding} and {hidden}")
        if tied and embedding != hidden:
            raise ValueError(
                f"tied embeddings need embedding = hidden, not {embedding} and {hidden}"
            )
        self.embedding = nn.Embedding(self.vocabulary_size + 1, embedding)
        self.bias = nn.Parameter(torch.zeros(self.vocabulary_size))
        self.output = None if tied else nn.Parameter(torch.zeros(self.vocabulary_size, hidden))

    @property
    def output_weight(self) -> Tensor:
        """(V, H); shared with the embeddings of the words, without the start symbol, when tied."""
        if self.output is not None:
            return self.output
        return self.embedding.weight[: self.vocabulary_size]

    def label_vectors(self, context: Context | None) -> tuple[Tensor, ...]:
        """(B, F) the vectors of the labels, alone in a tuple; nothing where there are no labels."""
        return () if self.labels is None else (self.labels(labels_of(context)),)
