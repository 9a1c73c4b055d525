"""Words of rewriting: frequent ones have an id, and any other word has a slot of its sentence.

The first unknown word of a sentence is slot 1, the second slot 2, and so on. A model that copies a
slot copies the word that stands there, whatever it is, and whatever script it is written in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sda.errors import UserError
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import Tokenizer
from sda.text.vocabulary import WordVocabulary

SLOTS = 64
"""Also the most words of a sentence, so that no two words ever share a slot."""

# Of the private use area: a word of a text that looks like a slot has a slot itself.
_SIGN = "\ue000"
_SPELLINGS = tuple(f"{_SIGN}{number}" for number in range(1, SLOTS + 1))

Unknown = Sequence[Sequence[str]]
"""For each sentence, the words that its slots stand for."""


@dataclass(frozen=True)
class WordSlots:
    """Id 0 ends a sentence; then come words, frequent ones first, and last the slots."""

    vocabulary: WordVocabulary

    @staticmethod
    def of(texts: Iterable[str], min_count: int, tokenizer: Tokenizer) -> WordSlots:
        """The words that the texts have at least so often."""
        counts = Counter(word for text in texts for word in tokenizer.split(text))
        words = [word for word, count in counts.items() if count >= min_count]
        words = [word for word in words if not word.startswith(_SIGN)]
        if not words:
            raise UserError(f"no word occurs data.min_count = {min_count} times: lower it")
        words.sort(key=lambda word: (-counts[word], word))
        return WordSlots(WordVocabulary((*words, *_SPELLINGS), False, tokenizer))

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def eos(self) -> int:
        return self.vocabulary.eos

    @property
    def known(self) -> int:
        """How many ids are no slots: words, and the end symbol."""
        return len(self) - SLOTS

    def cut(self, text: str) -> list[str]:
        """The words of a text."""
        return self.vocabulary.tokenizer.split(text)

    def join(self, words: Sequence[str]) -> str:
        return self.vocabulary.tokenizer.join(words)

    def encode(self, texts: Sequence[str]) -> tuple[Sentences, Unknown]:
        """The texts, of at most `SLOTS` words each, as ids, and what their slots stand for."""
        numbered = [self._numbered(self.cut(text)) for text in texts]
        flat = Flat.from_lists([self.vocabulary.encode_words(words) for words, _ in numbered])
        return Sentences.from_flat(flat, self.eos), [found for _, found in numbered]

    def decode(self, sentences: Sentences, unknown: Unknown) -> list[str]:
        """The texts; a slot that stands for nothing is left out."""
        flat = sentences.flat(self.eos)
        ids, first = flat.ids.tolist(), self.known
        words = self.vocabulary.known
        return [
            self.join(
                [
                    words[number - 1] if number < first else found[number - first]
                    for number in ids[start:end]
                    if number - first < len(found)
                ]
            )
            for (start, end), found in zip(pairwise(flat.starts.tolist()), unknown, strict=True)
        ]

    def to_json(self) -> dict[str, Any]:
        return self.vocabulary.to_json()

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> WordSlots:
        found = WordVocabulary.from_json(data)
        if found.known[-SLOTS:] != _SPELLINGS:
            raise UserError("the vocabulary is damaged: no slots in it.")
        return WordSlots(found)

    def _numbered(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """The words with slots in place of unknown ones, and the words of the slots."""
        slots: dict[str, str] = {}
        found = []
        for word in words:
            if word.startswith(_SIGN) or not self.vocabulary.covers([word]):
                word = slots.setdefault(word, _SPELLINGS[min(len(slots), SLOTS - 1)])
            found.append(word)
        return found, list(slots)
