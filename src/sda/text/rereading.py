"""Tokens that were written, as they are read again from the text that they made.

A model may write tokens that no text is cut into: a mark that faces nobody, a comma that sticks to
the word behind it, two words without a space. Their text is cut into other tokens, and these are
what everybody else sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sda.text.sentences import Flat
from sda.text.tokens import INNER, MARK, SPACE, CharacterTokenizer, Tokenizer, is_word
from sda.text.word_numbers import WordNumbers


class Rereader:
    """Sentences of ids that `spellings` says how to write, into the numbers of the words read.

    The unknown word can stand for any text, so what touches it is taken as it was written.
    """

    def __init__(
        self, spellings: Sequence[str], unk: int | None, tokenizer: Tokenizer, numbers: WordNumbers
    ) -> None:
        self._spellings = spellings
        self._unk = unk
        self._tokenizer = tokenizer
        self._numbers = numbers
        self._glued_before = _flags([word.startswith(MARK) for word in spellings])
        self._glued_after = _flags([word.endswith(MARK) for word in spellings])
        self._is_word = _flags([is_word(word.strip(MARK)) for word in spellings])
        self._is_inner = _flags([word.strip(MARK) in INNER for word in spellings])
        if unk is not None:
            self._is_word[unk] = True

    def __call__(self, flat: Flat) -> Flat:
        """The words of every sentence; those that are sure to be read as written are not read."""
        doubtful = self._doubtful(flat)
        if not len(doubtful):
            return flat
        part = flat.take(doubtful)
        lists = np.split(part.ids, part.starts[1:-1])
        read = Flat.from_lists([self._read(ids.tolist()) for ids in lists])
        order = np.arange(len(flat))
        order[doubtful] = len(flat) + np.arange(len(doubtful))
        return Flat.join(flat, read).take(order)

    def _doubtful(self, flat: Flat) -> NDArray[np.int64]:
        """The numbers of all sentences that may be read otherwise, and of a few that are not."""
        ids, lengths = flat.ids, flat.lengths
        left, right = ids[:-1], ids[1:]
        marks_left, marks_right = self._glued_after[left], self._glued_before[right]
        words_left, words_right = self._is_word[left], self._is_word[right]
        # The tokenizer sets one mark at a seam: on the left only between punctuation and a word.
        is_left = ~words_left & words_right
        is_usual = (marks_left == is_left) & (marks_right != is_left)
        may_merge = words_right & (words_left | (self._is_inner[left] & self._glued_before[left]))
        doubts = np.zeros(len(ids), bool)
        doubts[1:] = (marks_left | marks_right) & (~is_usual | may_merge)
        some = lengths > 0
        first, last = flat.starts[:-1][some], flat.starts[1:][some] - 1
        doubts[first] = self._glued_before[ids[first]]
        doubts[last] |= self._glued_after[ids[last]]
        return np.unique(np.repeat(np.arange(len(flat)), lengths)[doubts])

    def _read(self, ids: Sequence[int]) -> list[int]:
        found: list[int] = []
        for chunk in self._chunks(ids):
            if self._unk in chunk:
                found += chunk
            else:
                text = self._tokenizer.join([self._spellings[number] for number in chunk])
                found += self._numbers.number(self._tokenizer.split(text))
        return found

    def _chunks(self, ids: Sequence[int]) -> Iterator[list[int]]:
        """Runs of ids with no space between them."""
        chunk: list[int] = []
        for number in ids:
            if chunk and not (self._glued_after[chunk[-1]] or self._glued_before[number]):
                yield chunk
                chunk = []
            chunk.append(number)
        if chunk:
            yield chunk


class CharacterRereader:
    """Sentences of characters without the spaces that no text has: at an end, or after another.

    `space` is the id of a space, None where none can be written.
    """

    def __init__(self, space: int | None) -> None:
        self._space = space

    def __call__(self, flat: Flat) -> Flat:
        if self._space is None or not len(flat.ids):
            return flat
        is_space = flat.ids == self._space
        # A space is read if a character of its sentence stands right before it, and one behind it.
        after = np.zeros(len(flat.ids), bool)
        after[1:] = ~is_space[:-1]
        some = flat.lengths > 0
        after[flat.starts[:-1][some]] = False
        owners = np.repeat(np.arange(len(flat)), flat.lengths)
        last = np.full(len(flat), -1, np.int64)
        np.maximum.at(last, owners[~is_space], np.flatnonzero(~is_space))
        is_read = ~is_space | (after & (np.arange(len(flat.ids)) < last[owners]))
        counts = np.bincount(owners[is_read], minlength=len(flat))
        return Flat(flat.ids[is_read], np.concatenate(([0], np.cumsum(counts))))


def make_rereader(
    spellings: Sequence[str], unk: int | None, tokenizer: Tokenizer, numbers: WordNumbers
) -> Callable[[Flat], Flat]:
    """What reads sentences of these ids again from their text, where the tokeniser is not exact."""
    if isinstance(tokenizer, CharacterTokenizer):
        return CharacterRereader(spellings.index(SPACE) if SPACE in spellings else None)
    return Rereader(spellings, unk, tokenizer, numbers)


def _flags(values: list[bool]) -> NDArray[np.bool_]:
    return np.array(values, bool)
