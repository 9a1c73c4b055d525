"""What a grammar checker thinks: a metric that knows more than the training text teaches."""

from __future__ import annotations

import torch
from torch import Tensor

from sda.reference.metric import ReferenceMetric
from sda.text.detokenise import americanise, detokenise
from sda.text.harper import HarperChecker
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary


class Checked(ReferenceMetric):
    """1 / (1 + n) for an English sentence in which Harper finds n issues of grammar."""

    name = "checked"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._checker = HarperChecker()

    def __call__(self, sentences: Sentences) -> Tensor:
        texts = [americanise(detokenise(text)) for text in self._vocabulary.decode(sentences)]
        issues = [len(found) for found in self._checker.issues(texts)]
        return 1 / (1 + torch.tensor(issues, dtype=torch.float64))
