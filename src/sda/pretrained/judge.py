"""A discriminator that reads with the eyes of a pretrained model (decision 0221)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from sda.models.discriminator import Discriminator
from sda.models.initialise import normal_weights_
from sda.pretrained.frozen import FrozenEncoder, shared_encoder
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary


class PretrainedJudge(Discriminator):
    """A small network on vectors of texts, which a frozen model makes.

    Real sentences and written ones are decoded alike, so that it cannot learn the traces of a
    tokeniser. Vectors are scaled as those of the first sentences that it learns from.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        rng: torch.Generator,
        path: str,
        layer: int | None = None,
        hidden: int = 64,
        dropout: float = 0.3,
        init_std: float = 0.05,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        """`path` is the folder of a causal language model or of an encoder, and `layer` the one
        that is read of it."""
        super().__init__()
        if hidden < 1:
            raise ValueError(f"hidden must be 1 or more, not {hidden}")
        self._vocabulary = vocabulary
        self._path, self._layer, self._dtype = path, layer, dtype
        size = self.encoder.size
        self.network = nn.Sequential(
            nn.Linear(size, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, 1)
        )
        normal_weights_(self, init_std, rng)
        self.mean: Tensor
        self.deviation: Tensor
        self.is_scaled: Tensor
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("deviation", torch.ones(size))
        self.register_buffer("is_scaled", torch.zeros((), dtype=torch.bool))

    @property
    def encoder(self) -> FrozenEncoder:
        """What reads; it is no part of the model that learns, and in no state that is saved."""
        return shared_encoder(self._path, self._layer, self._dtype)

    def features(self, sentences: Sentences) -> Tensor:
        return (self._vectors(sentences) - self.mean) / self.deviation

    def real_logit(self, sentences: Sentences) -> Tensor:
        return self._logits(self.features(sentences))

    def expect(self, real: Sentences, fake: Sentences) -> None:
        """All of them are read at once, and the first that are expected give the scale."""
        vectors = torch.cat((self._vectors(real), self._vectors(fake)))
        if not bool(self.is_scaled):
            self._scale(vectors)

    def begin_fit(self, sentences: Sentences) -> Callable[[Tensor], Tensor]:
        self._scale(self._vectors(sentences))
        kept = self.features(sentences)
        return lambda rows: self._logits(kept[rows])

    def _scale(self, vectors: Tensor) -> None:
        self.mean.copy_(vectors.mean(0))
        self.deviation.copy_(vectors.std(0).clamp(min=1e-3))
        self.is_scaled.fill_(True)

    def _logits(self, features: Tensor) -> Tensor:
        logits: Tensor = self.network(features)
        return logits[:, 0]

    def _vectors(self, sentences: Sentences) -> Tensor:
        texts = self._vocabulary.decode(sentences)
        context = sentences.context
        if context is not None and context.source is not None:
            prompts = self._vocabulary.decode(context.source)
            texts = [f"{prompt} {text}" for prompt, text in zip(prompts, texts, strict=True)]
        return self.encoder.vectors(texts, self.device)
