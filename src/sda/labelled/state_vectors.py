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
MOST_KEPT = 50_000  # vectors


class StateVectors:
    """Vectors of texts: the mean state of a generator that is told no label.

    What was asked once is kept: several classifiers ask about the same texts.
    """

    def __init__(self, run: Run) -> None:
        self._generator = run.generator("mle").eval()
        vocabulary, _ = run.folder.load_vocabulary()
        assert isinstance(vocabulary, WordVocabulary)
        self._vocabulary = vocabulary
        self._words = frozenset(vocabulary.known)
        self._label = run.folder.load_labels().index(UNKNOWN)
        self._kept: dict[str, NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, F)"""
        new = list(dict.fromkeys(text for text in texts if text not in self._kept))
        if len(self._kept) + len(new) > MOST_KEPT:
            self._kept.clear()
            new = list(dict.fromkeys(texts))
        for first in range(0, len(new), AT_ONCE):
            some = new[first : first + AT_ONCE]
            self._kept.update(zip(some, self._means(some), strict=True))
        return np.stack([self._kept[text] for text in texts])

    def _means(self, texts: Sequence[str]) -> NDArray[np.float32]:
        ids = Flat.from_lists(list(map(self._ids, texts)))
        found = Sentences.from_flat(ids, self._vocabulary.eos)
        found = found.about(Context(torch.full((len(found),), self._label))).trimmed()
        states = self._generator.word_states(found)
        counts = found.mask.sum(1)
        owners = torch.arange(len(found)).repeat_interleave(counts)
        sums = states.new_zeros(len(found), states.shape[1]).index_add_(0, owners, states)
        means: NDArray[np.float32] = (sums / counts[:, None]).float().numpy()
        return means

    def _ids(self, text: str) -> list[int]:
        """The beginning of the text; where the generator knows no unknown word, without such."""
        words = self._vocabulary.tokenizer.split(text)[: self._generator.max_length - 1]
        if self._vocabulary.unk is None:
            words = [word for word in words if word in self._words]
        return self._vocabulary.encode_words(words)
