"""Mixup on word embeddings, which the paper tried beside EDA: an objective of Stage I."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from sda.errors import UserError
from sda.models.generator import Generator
from sda.text.sentences import Sentences


class Mixup:
    """Maximum likelihood of two sentences at once, whose word embeddings are mixed.

    Each sentence of a batch gets a partner from it by lot. All pairs of a batch are mixed in one
    proportion drawn from Beta(`alpha`, `alpha`), and the losses of both sentences in the same.

    The paper states no alpha. A small one leaves most batches nearly pure, and pure sentences are
    what the generator reads when it writes.
    """

    def __init__(self, rng: torch.Generator, alpha: float = 0.2) -> None:
        if not alpha > 0:
            raise ValueError(f"alpha must be above 0, not {alpha}")
        self._rng = rng
        self._alpha = alpha

    def __call__(self, generator: Generator, sentences: Sentences) -> Tensor:
        device = self._rng.device
        partners = torch.randperm(len(sentences), generator=self._rng, device=device)
        # torch draws from a beta distribution with its global generator only.
        seed = torch.randint(2**62, (), generator=self._rng, device=device).item()
        share = np.random.default_rng(int(seed)).beta(self._alpha, self._alpha)
        return mixed_nll(generator, sentences, partners.to(sentences.tokens.device), float(share))


def mixed_nll(generator: Generator, sentences: Sentences, partners: Tensor, share: float) -> Tensor:
    """`share` of each sentence's loss and the rest of its partner's, both read from the mixture.

    `partners` (B,) is a permutation of the rows. The mixture has `share` of a sentence's embeddings
    and the rest of its partner's. Past its end a sentence is read as end symbols.
    """
    end = 0 if generator.eos is None else generator.eos
    tokens = sentences.tokens.masked_fill(~sentences.mask, end)
    sentences = Sentences(tokens, sentences.lengths, sentences.context).trimmed()
    with _mixing(generator, partners, share):
        own = generator.loss(sentences)
    # Seen from the partners, the sentences are theirs, and make up the other share.
    with _mixing(generator, partners.argsort(), 1 - share):
        others = generator.loss(sentences[partners])
    return share * own + (1 - share) * others


@contextmanager
def _mixing(generator: Generator, partners: Tensor, share: float) -> Iterator[None]:
    """Inside, the embeddings of row i have a share of their own and the rest of its partner's."""
    embedding = getattr(generator, "embedding", None)
    if not isinstance(embedding, nn.Module):
        raise UserError(
            "setting 'objective.use': mixup needs a generator whose word embeddings are a module"
            f" named 'embedding', and {type(generator).__name__} has none"
        )

    def mix(_: nn.Module, __: object, embedded: Tensor) -> Tensor:
        return share * embedded + (1 - share) * embedded[partners]

    handle = embedding.register_forward_hook(mix)
    try:
        yield
    finally:
        handle.remove()
