"""What vocabularies share whose ids are pieces of words.

The only file that imports `tokenizers`, an extra.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import torch
from torch import Tensor

from sda.errors import UserError
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import Tokenizer
from sda.text.word_numbers import WordNumbers

if TYPE_CHECKING:
    import tokenizers

Pieces: TypeAlias = "tokenizers.Tokenizer"
"""A table of pieces, and how texts are cut into them."""


class PieceVocabulary(ABC):
    """Ids are pieces of words, whose text `tokenizer` cuts into words.

    One text can be written by several rows of ids, so whoever compares sentences compares their
    words.
    """

    first: ClassVar[int] = 0
    """How far ids are above the numbers of pieces in the table."""

    def __init__(self, pieces: Pieces, tokenizer: Tokenizer, eos: int) -> None:
        self._pieces = pieces
        self.tokenizer = tokenizer
        self._eos = eos
        # No word has the number of the end symbol, which closes sentences in words too.
        self._numbers = WordNumbers(first=eos + 1)

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Sentences:
        """The texts as ids, white space as single spaces."""

    def decode(self, sentences: Sentences) -> list[str]:
        """The texts; bytes that are no character come as U+FFFD, white space as single spaces.

        A model may write any bytes. What it wrote is one line of plain text all the same.
        """
        flat = sentences.flat(self.eos)
        lists = np.split(flat.ids - self.first, flat.starts[1:-1]) if len(flat) else []
        texts = self._pieces.decode_batch([ids.tolist() for ids in lists])
        return [spaced(text.replace("\0", "\ufffd")) for text in texts]

    @property
    def eos(self) -> int:
        return self._eos

    @property
    def unk(self) -> None:
        return None

    def words(self, sentences: Sentences) -> Flat:
        return self._numbers.flat([self.tokenizer.split(text) for text in self.decode(sentences)])

    def in_words(self, sentences: Sentences) -> Sentences:
        return Sentences.from_flat(self.words(sentences), self.eos).about(sentences.context)

    def number_words(self, words: Sequence[str]) -> list[int]:
        """Numbers above that of the end symbol, in the order in which words are first met."""
        return self._numbers.number(words)

    def covers(self, words: Sequence[str]) -> bool:
        return all(word.split() == [word] for word in words)

    def tokens_in(self, words: int) -> int | None:
        """No number: a word has as many pieces as it has bytes, if it is rare enough."""
        return None

    def cut(self, sentences: Sentences, words: int) -> Sentences:
        """The sentences up to so many words each, all of them whole; the others as they are."""
        counts = self._word_counts(sentences)
        lengths = sentences.lengths.clone()
        for row in (counts > words).nonzero()[:, 0].tolist():
            length = int(lengths[row])
            begun = sentences.tokens[row, :length].expand(length, -1)
            beginnings = Sentences(begun, torch.arange(1, length + 1, device=begun.device))
            fits = (self._word_counts(beginnings) <= words).nonzero()[:, 0]
            # The last that fits: a shorter one may end within the last word.
            lengths[row] = int(fits[-1]) + 1 if len(fits) else 0
        return sentences.cut(lengths)

    def _word_counts(self, sentences: Sentences) -> Tensor:
        """(B,) the words of each."""
        split = self.tokenizer.split
        return torch.tensor([len(split(text)) for text in self.decode(sentences)])

    def _ids(self, texts: Sequence[str]) -> Flat:
        """The pieces of each text by the numbers that they have in the table of pieces."""
        found = self._pieces.encode_batch_fast(list(texts), add_special_tokens=False)
        return Flat.from_lists([piece.ids for piece in found])


def spaced(text: str) -> str:
    """The text with single spaces for white space, and none at either end."""
    return " ".join(text.split())


def pieces_from_json(pieces: Mapping[str, Any]) -> Pieces:
    """The table of pieces that its own JSON describes."""
    library = pieces_library()
    try:
        made: Pieces = library.Tokenizer.from_str(json.dumps(pieces))
        return made
    # The library raises nothing more special.
    except Exception as error:
        raise UserError(f"the vocabulary is damaged: {error}.") from error


def pieces_library() -> Any:
    """The package that cuts words into pieces."""
    try:
        import tokenizers
    except ImportError as error:
        raise UserError(
            "Subwords need the package tokenizers: pip install 'sda-text[subwords]'."
        ) from error
    return tokenizers
