"""The seam behind which every generator stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from sda.models.branching import State, vectors
from sda.text.context import Context
from sda.text.sentences import Sentences

CHUNK = 1024  # sentences scored at a time where nothing is learned
DROPS = "drops_while_training"
"""The name of what is true of a layer of another package that has dropout within it."""
UNLIKELY = -100.0  # the log-probability that one of minus infinity counts as among features


class Frame(NamedTuple):
    """What the text asks of a generator, whatever its kind.

    Ids 0..`vocabulary_size`-1 can be written. `eos` closes a sentence; None means that every
    sentence has `max_length` words. `bos` is what is read before the first word; None means an id
    that no word has, `vocabulary_size`.
    """

    vocabulary_size: int
    eos: int | None
    max_length: int
    bos: int | None = None


class Generator(nn.Module, ABC):
    """A model that writes sentences word by word.

    A subclass gives `start` and `step`. Sampling, rollouts and likelihood are written once above
    them and never ask which generator they have. Overriding `log_probs` and `loss` is for speed.

    What a frame holds are its attributes: `vocabulary_size`, `eos`, `max_length` and `bos`.
    """

    reads_source: ClassVar[bool] = False
    """Whether it makes something of the source sentences of a context."""

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self.vocabulary_size, self.eos, self.max_length, bos = frame
        self.bos = self.vocabulary_size if bos is None else bos

    @abstractmethod
    def start(self, n: int, context: Context | None = None) -> State:
        """The state of n sentences before their first word.

        `context` has n rows that say what the sentences are about. A generator that does not care
        leaves it aside; one that does keeps what it needs of it in the state.
        """

    @abstractmethod
    def step(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        """Logits (B, V) of the next word and the state after reading tokens (B,).

        The given state is left as it was, so that it can be branched.
        """

    def passing(self, state: State, tokens: Tensor) -> Tensor | None:
        """(B,) the log-probability that the tokens (B,), drawn to come next, are let pass; what is
        not is drawn again. None lets all pass."""
        return None

    def log_probs(self, sentences: Sentences) -> Tensor:
        """(B, T) log-probability of each token given those before it; zero on padding."""
        sentences = sentences.trimmed()
        inputs = self.inputs(sentences)
        state = self.start(len(sentences), sentences.context)
        columns = []
        for t in range(inputs.shape[1]):
            logits, state = self.step(state, inputs[:, t])
            columns.append(
                -torch.nn.functional.cross_entropy(logits, sentences.tokens[:, t], reduction="none")
            )
        if not columns:
            return self.device_zeros(len(sentences), 0)
        # Filled, not multiplied: a word that cannot be written may stand in the padding.
        return torch.stack(columns, 1).masked_fill(~sentences.mask, 0.0)

    def loss(self, sentences: Sentences, weights: Tensor | None = None) -> Tensor:
        """Mean over sentences of the weighted sum over time of minus log-probabilities.

        Weights of one give maximum likelihood (Eq. 5), rewards (B, T) the policy gradient (Eq. 7).
        """
        log_probs = self.log_probs(sentences)
        if weights is not None:
            log_probs = log_probs * weights[:, : log_probs.shape[1]]
        return -log_probs.sum() / len(sentences)

    @torch.no_grad()
    def word_states(self, sentences: Sentences) -> Tensor:
        """(M, F) what the generator makes of each word, at the M positions that are not padding.

        Its state when the word was to be written and when it was read (zero for the last one, which
        nothing reads), the word's log-probability, and how open the choice was (entropy). A judge
        reads it, without dropout and without gradient.
        """
        sentences = sentences.trimmed()
        inputs, mask = self.inputs(sentences), sentences.mask
        states, figures = [], []
        with without_dropout(self):
            state = self.start(len(sentences), sentences.context)
            for t in range(inputs.shape[1]):
                logits, state = self.step(state, inputs[:, t])
                states.append(vectors(state).to(logits))
                figures.append(choice_figures(logits, sentences.tokens[:, t]))
        if not states:
            return self.device_zeros(0, 0)
        before = torch.stack(states, 1)
        is_read = torch.arange(mask.shape[1], device=mask.device) + 1 < sentences.lengths[:, None]
        after = before.roll(-1, 1) * is_read[:, :, None]
        return torch.cat((before, after, torch.stack(figures, 1)), 2)[mask]

    def expect(self, sentences: Sentences | None) -> None:
        """Maximum likelihood will walk these sentences again and again; with None, no longer.

        Nothing changes but the time that it takes: a model may keep what it computes of them.
        """

    def inputs(self, sentences: Sentences) -> Tensor:
        """(B, T) what is read before each token: the start symbol, then the tokens but the last."""
        first = torch.full_like(sentences.lengths[:, None], self.bos)
        return torch.cat((first, sentences.tokens[:, :-1]), 1)[:, : sentences.tokens.shape[1]]

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def device_zeros(self, *shape: int) -> Tensor:
        return torch.zeros(*shape, device=self.device)


def choice_figures(logits: Tensor, chosen: Tensor) -> Tensor:
    """(M, 2) the log-probability of each chosen word, and the entropy of what it was chosen from.

    A word that could not be written counts as a very unlikely one.
    """
    log_probs = logits.log_softmax(1)
    own = log_probs.gather(1, chosen[:, None]).clamp(min=UNLIKELY)
    # A word without probability adds nothing to the entropy, and 0 times infinity is no number.
    entropy = -(log_probs.exp() * log_probs.clamp(min=UNLIKELY)).sum(1, keepdim=True)
    return torch.cat((own, entropy), 1)


@contextmanager
def without_dropout(model: nn.Module) -> Iterator[None]:
    """Dropout is off inside, and as it was outside.

    Samples are written without dropout, so the policy gradient must be taken without it too, or it
    belongs to another policy. Only dropout layers change mode: recurrent layers on a GPU can only
    be differentiated in training mode. Layers that drop by themselves say so (`DROPS`).
    """
    layers = [m for m in model.modules() if isinstance(m, nn.Dropout) or getattr(m, DROPS, False)]
    were = [layer.training for layer in layers]
    for layer in layers:
        layer.training = False
    try:
        yield
    finally:
        for layer, was in zip(layers, were, strict=True):
            layer.training = was


@torch.no_grad()
def generator_log_prob(generator: Generator, sentences: Sentences) -> Tensor:
    """(B,) float64 log-probabilities of whole sentences, without dropout, on the CPU."""
    parts = [torch.zeros(0, dtype=torch.float64)]
    with without_dropout(generator):
        for start in range(0, len(sentences), CHUNK):
            log_probs = generator.log_probs(sentences[start : start + CHUNK].to(generator.device))
            parts.append(log_probs.cpu().double().sum(1))
    return torch.cat(parts)
