"""Between texts and a grammar that is an automaton."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from sda.text.captions.automaton import Automaton
from sda.text.sentences import Flat


def joined(words: NDArray[np.object_], sentences: Flat) -> list[str]:
    """The texts of sentences whose words, all of them in a row, are these."""
    found = words.tolist()
    return [" ".join(found[start:end]) for start, end in pairwise(sentences.starts.tolist())]


def spelled(automaton: Automaton, sentences: Flat) -> list[str]:
    """The texts of sentences in the automaton's ids."""
    return joined(np.array(automaton.words, object)[sentences.ids], sentences)


def are_sentences(automaton: Automaton, texts: Sequence[str]) -> NDArray[np.bool_]:
    """(N,) whether each text belongs to the language; one with a strange word does not."""
    ids = {word: number for number, word in enumerate(automaton.words)}
    words = [text.split() for text in texts]
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    numbers = (ids.get(word, -1) for word in chain.from_iterable(words))
    flat = Flat(np.fromiter(numbers, np.int32, int(starts[-1])), starts)
    return np.isfinite(automaton.log_prob(flat))
