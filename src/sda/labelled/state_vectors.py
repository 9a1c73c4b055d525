"""Texts as vectors by what a generator makes of their words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from sda.labelled.label_writer import UNKNOWN
from sda.runs.run import Run
from sda.text.context import Context
from sda.text.sentences import Flat, Sentences
from sda.text.vocabulary import WordVocabulary

AT_ONCE = 256  # sentences


class StateVectors:
    """Vectors of texts: the mean state of a generator that is told no label."""

    def __init__(self, run: Run) -> None:
        self._generator = run.generator("mle").eval()
        self._vocabulary, _ = run.folder.load_vocabulary()
        self._label = run.folder.load_labels().index(UNKNOWN)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, F)"""
        parts = range(0, len(texts), AT_ONCE)
        return np.concatenate([self._means(texts[first : first + AT_ONCE]) for first in parts])

    def _means(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = self._sentences(texts)
        found = found.about(Context(torch.full((len(found),), self._label))).trimmed()
        states = self._generator.word_states(found)
        counts = found.mask.sum(1)
        owners = torch.arange(len(found)).repeat_interleave(counts)
        sums = states.new_zeros(len(found), states.shape[1]).index_add_(0, owners, states)
        means: NDArray[np.float32] = (sums / counts[:, None]).float().numpy()
        return means

    def _sentences(self, texts: Sequence[str]) -> Sentences:
        """The beginnings of the texts, as far as the generator writes."""
        vocabulary, most = self._vocabulary, self._generator.max_length
        if isinstance(vocabulary, WordVocabulary):
            known = None if vocabulary.has_unknown else frozenset(vocabulary.known)
            cut = (vocabulary.tokenizer.split(text)[: most - 1] for text in texts)
            # A generator that knows no unknown word reads texts without such.
            ids = [
                vocabulary.encode_words([w for w in words if known is None or w in known])
                for words in cut
            ]
            return Sentences.from_flat(Flat.from_lists(ids), vocabulary.eos)
        found = vocabulary.encode(texts)
        return Sentences(found.tokens[:, :most], found.lengths.clamp(max=most))
