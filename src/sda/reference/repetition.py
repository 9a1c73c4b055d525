"""A bonus for sentences that do not repeat themselves, the paper's repetition control."""

from __future__ import annotations

import torch
from torch import Tensor

from sda.reference.metric import ReferenceMetric
from sda.text.ngrams import number_ngrams
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary


class Repetition(ReferenceMetric):
    """1 / o^2, where o is how often the sentence has its commonest 3-gram (decision 0019).

    Without a repeat the bonus is 1, with one 0.25. A sentence of fewer than three words has o = 1.
    """

    name = "repetition"

    def __init__(self, vocabulary: Vocabulary, n: int = 3) -> None:
        self._vocabulary = vocabulary
        self._n = n

    def __call__(self, sentences: Sentences) -> Tensor:
        flat = self._vocabulary.words(sentences)
        numbers = torch.from_numpy(number_ngrams(flat, self._n)[1][-1].astype("int64"))
        owners = torch.arange(len(flat)).repeat_interleave(torch.from_numpy(flat.lengths))
        real = numbers >= 0
        pairs = torch.stack((owners[real], numbers[real]))
        distinct, counts = torch.unique(pairs, dim=1, return_counts=True)
        most = torch.ones(len(flat), dtype=torch.int64)
        most = most.scatter_reduce(0, distinct[0], counts, "amax")
        return most.double().pow(-2)
