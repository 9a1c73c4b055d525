"""Pieces of words as ids, so that a model of a few thousand ids can write any word of any script.

The only file that imports `tokenizers`, an extra.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from sda.errors import UserError
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import Tokenizer, tokenizer
from sda.text.word_numbers import WordNumbers

if TYPE_CHECKING:
    import tokenizers

FEWEST_SUBWORDS = 256
"""There is one for every byte, so that no text is without an encoding."""
# A pair seen once would spend an id on a single word of the training text.
_SMALLEST_COUNT = 2


class SubwordVocabulary:
    """Id 0 ends a sentence, the others are runs of bytes that are common in the training text.

    A word is what `tokenizer` cuts from the decoded text. One text can be written by several rows
    of ids, so whoever compares sentences compares their words.
    """

    def __init__(self, pieces: tokenizers.Tokenizer, tokenizer: Tokenizer) -> None:
        self._pieces = pieces
        self._size = 1 + pieces.get_vocab_size()
        self.tokenizer = tokenizer
        self._numbers = WordNumbers(first=1)

    @staticmethod
    def learned(texts: Iterable[str], size: int, tokenizer: Tokenizer) -> SubwordVocabulary:
        """The bytes and the `size` - 256 pieces that shorten the texts most (byte-level BPE).

        Fewer where the texts repeat fewer. The same texts give the same pieces.
        """
        if size < FEWEST_SUBWORDS:
            raise UserError(f"subwords must be {FEWEST_SUBWORDS} or more, not {size}.")
        library = _library()
        pieces = library.Tokenizer(library.models.BPE())
        # A space before the first word too, or a word would have other pieces there.
        pieces.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=True)
        pieces.decoder = library.decoders.ByteLevel()
        trainer = library.trainers.BpeTrainer(
            vocab_size=size,
            min_frequency=_SMALLEST_COUNT,
            initial_alphabet=sorted(library.pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        pieces.train_from_iterator(map(_spaced, texts), trainer)
        return SubwordVocabulary(pieces, tokenizer)

    @property
    def eos(self) -> int:
        return 0

    @property
    def unk(self) -> None:
        return None

    def __len__(self) -> int:
        return self._size

    def encode(self, texts: Sequence[str]) -> Sentences:
        """The texts as ids, white space as single spaces."""
        found = self._pieces.encode_batch_fast([_spaced(text) for text in texts])
        flat = Flat.from_lists([piece.ids for piece in found])
        return Sentences.from_flat(Flat(flat.ids + 1, flat.starts), self.eos)

    def decode(self, sentences: Sentences) -> list[str]:
        """The texts; bytes that are no character come as U+FFFD, white space as single spaces.

        A model may write any bytes. What it wrote is one line of plain text all the same.
        """
        flat = sentences.flat(self.eos)
        lists = np.split(flat.ids - 1, flat.starts[1:-1]) if len(flat) else []
        texts = self._pieces.decode_batch([ids.tolist() for ids in lists])
        return [_spaced(text.replace("\0", "\ufffd")) for text in texts]

    def words(self, sentences: Sentences) -> Flat:
        return self._numbers.flat([self.tokenizer.split(text) for text in self.decode(sentences)])

    def in_words(self, sentences: Sentences) -> Sentences:
        return Sentences.from_flat(self.words(sentences), self.eos).about(sentences.context)

    def number_words(self, words: Sequence[str]) -> list[int]:
        """Numbers from 1 on in the order in which words are first met."""
        return self._numbers.number(words)

    def covers(self, words: Sequence[str]) -> bool:
        return all(word.split() == [word] for word in words)

    def tokens_in(self, words: int) -> None:
        """No number: a word has as many pieces as it has bytes, if it is rare enough."""

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

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "subwords",
            "tokenizer": self.tokenizer.name,
            "pieces": json.loads(self._pieces.to_str()),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> SubwordVocabulary:
        match data:
            case {"kind": "subwords", "tokenizer": str(name), "pieces": dict(pieces)}:
                library = _library()
                try:
                    made = library.Tokenizer.from_str(json.dumps(pieces))
                # The library raises nothing more special.
                except Exception as error:
                    raise UserError(f"the vocabulary is damaged: {error}.") from error
                return SubwordVocabulary(made, tokenizer(name))
        raise UserError("the vocabulary is damaged: no subwords in it.")


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _library() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise UserError(
            "Subwords need the package tokenizers: pip install 'sda-text[subwords]'."
        ) from error
    return tokenizers
