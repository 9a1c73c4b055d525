"""Between texts and ids: what a model writes, and which words that is.

The end symbol and the unknown word are ids, not spellings: a word of the text that happens to be
written `</s>` or `<unk>` gets an id of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

from sda.errors import UserError
from sda.text.model_tokens import ModelVocabulary
from sda.text.rereading import make_rereader
from sda.text.sentences import Flat, Sentences
from sda.text.subwords import SubwordVocabulary
from sda.text.tokens import Tokenizer, tokenizer
from sda.text.word_numbers import WordNumbers

EOS = "</s>"
UNK = "<unk>"


class Vocabulary(Protocol):
    """The ids 0 to `len - 1` that can be written.

    What a generator reads before the first word is none of them (`sda.models.generator.Frame`).
    An id need not be a word: what counts words, as every metric and every score does, asks for
    `words` or `in_words`.
    """

    @property
    def eos(self) -> int | None:
        """The id that ends a sentence; None where all sentences have one length."""

    @property
    def unk(self) -> int | None:
        """The id of every word that has none of its own; None where there is no such id."""

    def __len__(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Sentences:
        """The texts as ids, each closed by the end symbol where there is one."""

    def decode(self, sentences: Sentences) -> list[str]:
        """The texts, without end symbol and padding."""

    def words(self, sentences: Sentences) -> Flat:
        """The words of the decoded sentences by number, the same one for equal words only.

        The unknown word has the number `unk`, whatever word it stands for.
        """

    def in_words(self, sentences: Sentences) -> Sentences:
        """The same numbers as a batch, with an id that is no word wherever a sentence ends.

        Where every id is a word, these are the sentences themselves.
        """

    def number_words(self, words: Sequence[str]) -> list[int]:
        """What `words` calls these words; one that no sentence can hold gets a number too."""

    def covers(self, words: Sequence[str]) -> bool:
        """Whether a sentence can hold each of these words as it is."""

    def tokens_in(self, words: int) -> int | None:
        """The most tokens that so many words can need; None where there is no such number."""

    def cut(self, sentences: Sentences, words: int) -> Sentences:
        """The sentences up to so many words each; those that go on after it have no end."""

    def to_json(self) -> dict[str, Any]:
        """All that `vocabulary_from_json` needs to make the same vocabulary."""


class _WholeWords:
    """What vocabularies share whose ids are words."""

    def tokens_in(self, words: int) -> int:
        return words

    def cut(self, sentences: Sentences, words: int) -> Sentences:
        return sentences.cut(sentences.lengths.clamp(max=words))


@dataclass(frozen=True)
class WordVocabulary(_WholeWords):
    """Id 0 ends a sentence, id 1 is the unknown word where there is one, then those `known`.

    An id is a word, and so are all that a text is encoded to. Where `tokenizer` is not exact, a
    model can write ids whose text is cut into other words; `words` are those of the text.
    """

    known: tuple[str, ...]
    has_unknown: bool
    tokenizer: Tokenizer

    @staticmethod
    def from_counts(
        counts: Mapping[str, int], min_count: int, unknown: bool, tokenizer: Tokenizer
    ) -> WordVocabulary:
        """The words seen `min_count` times or more, frequent ones first, then by alphabet.

        There is an unknown word if `unknown` allows it and some word was seen less often. Then a
        frequent word spelled `<unk>` is refused: decoded texts could not tell the two apart.
        """
        words = [word for word, count in counts.items() if count >= min_count]
        if not words:
            raise UserError(f"no word occurs min_count = {min_count} times.")
        has_unknown = unknown and len(words) < len(counts)
        if has_unknown and counts.get(UNK, 0) >= min_count:
            raise UserError(
                f"the text holds the word {UNK}, which is how words seen fewer than min_count ="
                f" {min_count} times are written: set min_count = 1 or rare = 'drop', or spell"
                " it otherwise."
            )
        words.sort(key=lambda word: (-counts[word], word))
        return WordVocabulary(tuple(words), has_unknown, tokenizer)

    @property
    def eos(self) -> int:
        return 0

    @property
    def unk(self) -> int | None:
        return 1 if self.has_unknown else None

    def __len__(self) -> int:
        return len(self._spellings)

    def encode(self, texts: Sequence[str]) -> Sentences:
        split = self.tokenizer.split
        ids = [self.encode_words(split(text)) for text in texts]
        return Sentences.from_flat(Flat.from_lists(ids), self.eos)

    def encode_words(self, words: Sequence[str]) -> list[int]:
        """The ids of words that are cut already, without an end symbol."""
        if self.has_unknown:
            return [self._ids.get(word, 1) for word in words]
        try:
            return [self._ids[word] for word in words]
        except KeyError as error:
            raise UserError(f"the word {error.args[0]!r} is not in the vocabulary.") from error

    def decode(self, sentences: Sentences) -> list[str]:
        join = self.tokenizer.join
        return [join(words) for words in _spelled(sentences, self.eos, self._spellings)]

    def words(self, sentences: Sentences) -> Flat:
        flat = sentences.flat(self.eos)
        return flat if self.tokenizer.is_exact else self._reread(flat)

    def in_words(self, sentences: Sentences) -> Sentences:
        if self.tokenizer.is_exact:
            return sentences
        return Sentences.from_flat(self.words(sentences), self.eos).about(sentences.context)

    def number_words(self, words: Sequence[str]) -> list[int]:
        """The ids of known words; the others get numbers above these as they come."""
        return self._numbers.number(words)

    def covers(self, words: Sequence[str]) -> bool:
        return all(word in self._ids for word in words)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "words",
            "tokenizer": self.tokenizer.name,
            "has_unknown": self.has_unknown,
            "words": list(self.known),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> WordVocabulary:
        match data:
            case {
                "kind": "words",
                "tokenizer": str(name),
                "has_unknown": bool(has_unknown),
                "words": [*words],
            } if all(isinstance(word, str) for word in words) and len(set(words)) == len(words):
                return WordVocabulary(tuple(words), has_unknown, tokenizer(name))
        raise UserError("the vocabulary is damaged: no list of distinct words in it.")

    @cached_property
    def _spellings(self) -> tuple[str, ...]:
        return (EOS, UNK, *self.known) if self.has_unknown else (EOS, *self.known)

    @cached_property
    def _ids(self) -> dict[str, int]:
        first = len(self._spellings) - len(self.known)
        return {word: number for number, word in enumerate(self.known, first)}

    @cached_property
    def _numbers(self) -> WordNumbers:
        # `len(self)` stands for a word that no sentence can hold, which metrics put in the place
        # of unknown words. It is a number of the table only where sentences hold no such numbers.
        return WordNumbers(len(self) + (0 if self.tokenizer.is_exact else 1), self._ids)

    @cached_property
    def _reread(self) -> Callable[[Flat], Flat]:
        return make_rereader(self._spellings, self.unk, self.tokenizer, self._numbers)


@dataclass(frozen=True)
class NumberVocabulary(_WholeWords):
    """`size` ids that are their own words, for a source whose sentences all have one length."""

    size: int

    @property
    def eos(self) -> None:
        return None

    @property
    def unk(self) -> None:
        return None

    def __len__(self) -> int:
        return self.size

    def encode(self, texts: Sequence[str]) -> Sentences:
        ids = [self.number_words(text.split()) for text in texts]
        return Sentences.from_flat(Flat.from_lists(ids))

    def decode(self, sentences: Sentences) -> list[str]:
        return [" ".join(words) for words in _spelled(sentences, None, tuple(self._ids))]

    def words(self, sentences: Sentences) -> Flat:
        return sentences.flat(None)

    def in_words(self, sentences: Sentences) -> Sentences:
        return sentences

    def number_words(self, words: Sequence[str]) -> list[int]:
        try:
            return [self._ids[word] for word in words]
        except KeyError as error:
            raise UserError(
                f"{error.args[0]!r} is not a number from 0 to {self.size - 1}."
            ) from error

    def covers(self, words: Sequence[str]) -> bool:
        return all(word in self._ids for word in words)

    def to_json(self) -> dict[str, Any]:
        return {"kind": "numbers", "size": self.size}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NumberVocabulary:
        match data:
            case {"kind": "numbers", "size": int(size)} if size > 0:
                return NumberVocabulary(size)
        raise UserError("the vocabulary is damaged: no size in it.")

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {str(number): number for number in range(self.size)}


def vocabulary_from_json(data: Mapping[str, Any]) -> Vocabulary:
    """The vocabulary that `to_json` described."""
    match data.get("kind"):
        case "numbers":
            return NumberVocabulary.from_json(data)
        case "subwords":
            return SubwordVocabulary.from_json(data)
        case "model":
            return ModelVocabulary.from_json(data)
    return WordVocabulary.from_json(data)


def _spelled(sentences: Sentences, eos: int | None, spellings: Sequence[str]) -> list[list[str]]:
    """The words of every sentence, without end symbol and padding."""
    flat = sentences.flat(eos)
    words = [spellings[number] for number in flat.ids.tolist()]
    starts = flat.starts.tolist()
    return [words[start:end] for start, end in pairwise(starts)]
