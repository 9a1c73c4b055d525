"""BLEU against training sentences, the paper's metric for real text (decision 0013)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from sda.reference.metric import ReferenceMetric
from sda.text.corpus import draw
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat, Sentences
from sda.text.vocabulary import Vocabulary


class Bleu(ReferenceMetric):
    """BLEU-`order` against references drawn once from the training sentences."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        train: Sentences,
        rng: torch.Generator,
        order: int = 3,
        references: int = 1000,
    ) -> None:
        if order < 1 or references < 1:
            raise ValueError(f"order and references must be positive, not {order}, {references}")
        self.name = f"bleu-{order}"
        self._vocabulary = vocabulary
        self._order = order
        drawn = vocabulary.words(draw(train, min(references, len(train)), rng))
        if vocabulary.unk is not None:
            # Each unknown word stands for another word, so writing one must match nothing.
            ids = np.where(drawn.ids == vocabulary.unk, len(vocabulary), drawn.ids)
            drawn = Flat(ids.astype(drawn.ids.dtype), drawn.starts)
        self._references = References(drawn, order)

    def __call__(self, sentences: Sentences) -> Tensor:
        scores = self._references.bleu(self._vocabulary.words(sentences))
        return torch.from_numpy(scores[:, self._order - 1].copy())
