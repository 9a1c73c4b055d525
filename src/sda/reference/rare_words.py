"""A bonus for rare words, the paper's vocabulary control (decision 0018)."""

from __future__ import annotations

import torch
from torch import Tensor

from sda.reference.metric import ReferenceMetric
from sda.text.rarity import rare_threshold
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary


class RareWords(ReferenceMetric):
    """1 / o^2 for each distinct word that training has o times, where 0 < o < `threshold`.

    By default the threshold is the paper's 50 scaled to the size of the training set.
    A word seen once would outweigh any BLEU, so one word gives `bonus_cap` at most; the paper has
    no such limit (`bonus_cap` = 1 is the same as none).
    """

    name = "rare-words"

    def __init__(
        self,
        vocabulary: Vocabulary,
        train: Sentences,
        threshold: int | None = None,
        bonus_cap: float = 0.1,
    ) -> None:
        threshold = rare_threshold(len(train)) if threshold is None else threshold
        self._vocabulary = vocabulary
        train = vocabulary.in_words(train)
        counts = torch.bincount(train.tokens[train.mask], minlength=len(vocabulary)).double()
        for special in (vocabulary.eos, vocabulary.unk):
            if special is not None:
                counts[special] = 0
        rare = (counts > 0) & (counts < threshold)
        bonus = torch.where(rare, counts.clamp(min=1).pow(-2).clamp(max=bonus_cap), 0.0)
        self._bonus = torch.nn.functional.pad(
            bonus, (0, 1)
        )  # for padding, and for words that training lacks

    def __call__(self, sentences: Sentences) -> Tensor:
        sentences = self._vocabulary.in_words(sentences)
        # Sorted, equal words are neighbours: each counts once, and stuttering earns nothing.
        none = len(self._bonus) - 1
        ids = sentences.tokens.masked_fill(~sentences.mask, none).clamp(max=none).sort(1).values
        first = torch.ones_like(ids, dtype=torch.bool)
        first[:, 1:] = ids[:, 1:] != ids[:, :-1]
        return (self._bonus[ids] * first).sum(1)
