"""The paper's discriminators of style transfer: one for each style, real against rewritten."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from sda.models.cnn import CnnDiscriminator
from sda.models.discriminator import Discriminator
from sda.text.context import labels_of
from sda.text.sentences import Sentences

EMBEDDING = 48
WIDTHS = (1, 2, 3, 4)
MAPS = 32


class StyleDiscriminators(Discriminator):
    """Each sentence is judged by the discriminator of its label; none reads the source."""

    def __init__(self, vocabulary_size: int, styles: int, rng: torch.Generator) -> None:
        super().__init__()
        maps = [MAPS] * len(WIDTHS)
        self.each = nn.ModuleList(
            CnnDiscriminator(vocabulary_size, rng, EMBEDDING, WIDTHS, maps) for _ in range(styles)
        )

    def features(self, sentences: Sentences) -> Tensor:
        return self._judged(sentences, "features")

    def real_logit(self, sentences: Sentences) -> Tensor:
        return self._judged(sentences, "real_logit")

    def _judged(self, sentences: Sentences, what: str) -> Tensor:
        labels = labels_of(sentences.context)
        parts, places = [], []
        for number, model in enumerate(self.each):
            rows = (labels == number).nonzero()[:, 0]
            if len(rows):
                parts.append(getattr(model, what)(sentences[rows].about(None)))
                places.append(rows)
        if not parts:
            return torch.zeros(0)
        return torch.cat(parts)[torch.cat(places).argsort()]
