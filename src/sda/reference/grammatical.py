"""Whether the grammar of the embedded captions can write a sentence: a metric that knows more than
the training text teaches."""

from __future__ import annotations

import torch
from torch import Tensor

from sda.reference.metric import ReferenceMetric
from sda.text.captions.caption_grammar import CaptionGrammar, word_numbers
from sda.text.sentences import Flat, Sentences
from sda.text.vocabulary import Vocabulary, WordVocabulary


class Grammatical(ReferenceMetric):
    """1 for a caption of the grammar, 0 for any other sentence."""

    name = "grammatical"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._grammar = CaptionGrammar()
        if not isinstance(vocabulary, WordVocabulary) or vocabulary.has_unknown:
            raise ValueError("the grammar is that of the source `captions`, and of no other text")
        self._numbers = word_numbers(self._grammar, vocabulary)
        self._eos = vocabulary.eos

    def __call__(self, sentences: Sentences) -> Tensor:
        flat = sentences.flat(self._eos)
        known = self._grammar.is_grammatical(Flat(self._numbers[flat.ids], flat.starts))
        return torch.from_numpy(known).double()
