"""Pieces of words as ids, so that a few thousand ids can write any word of any script."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sda.errors import UserError, brief
from sda.text.pieces import Pieces, PieceVocabulary, pieces_from_json, pieces_library, spaced
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import Tokenizer, tokenizer

FEWEST_SUBWORDS = 256
"""There is one for every byte, so that no text is without an encoding."""
MOST_SUBWORDS = 1_000_000
# A pair seen once would spend an id on a single word of the training text.
_SMALLEST_COUNT = 2


def check_number(subwords: int) -> None:
    """So many can be learned; other numbers raise a sentence."""
    if subwords < FEWEST_SUBWORDS:
        raise UserError(
            f"subwords must be {FEWEST_SUBWORDS} or more, one for each byte, not {brief(subwords)}."
        )
    if subwords > MOST_SUBWORDS:
        raise UserError(f"subwords must be {MOST_SUBWORDS:,} or fewer, not {brief(subwords)}.")


class SubwordVocabulary(PieceVocabulary):
    """Id 0 ends a sentence, the others are runs of bytes that are common in the training text."""

    first = 1

    def __init__(self, pieces: Pieces, tokenizer: Tokenizer) -> None:
        super().__init__(pieces, tokenizer, eos=0)
        self._size = 1 + pieces.get_vocab_size()

    @staticmethod
    def learned(texts: Iterable[str], size: int, tokenizer: Tokenizer) -> SubwordVocabulary:
        """The bytes and the `size` - 256 pieces that shorten the texts most (byte-level BPE).

        Fewer where the texts repeat fewer. The same texts give the same pieces.
        """
        check_number(size)
        library = pieces_library()
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
        pieces.train_from_iterator(map(spaced, texts), trainer)
        return SubwordVocabulary(pieces, tokenizer)

    def __len__(self) -> int:
        return self._size

    def encode(self, texts: Sequence[str]) -> Sentences:
        flat = self._ids([spaced(text) for text in texts])
        return Sentences.from_flat(Flat(flat.ids + self.first, flat.starts), self.eos)

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
                return SubwordVocabulary(pieces_from_json(pieces), tokenizer(name))
        raise UserError("the vocabulary is damaged: no subwords in it.")
