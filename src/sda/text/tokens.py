"""Sentences into words and back."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol

from sda.errors import UserError

MARK = "\uffed"
"""On the side of a token where no space separates it from its neighbour; a small square."""
INNER = frozenset("'\u2019.,")
"""Punctuation that does not split a word, or a number, when it stands inside."""

SPACE = "\u2581"
"""What the tokeniser `characters` writes for a space; a low block."""

# The second is for that character where it stands in the text itself.
_SPELLED = {" ": SPACE, SPACE: f"<{SPACE}>"}
_CHARACTERS = {spelling: character for character, spelling in _SPELLED.items()}

# A mark that stands in the text itself. No piece of text is ever spelled so: `<` would be apart.
_SPELLED_MARK = "<joiner>"

# Accents and vowel signs belong to their word, but `\w` leaves them out.
_ACCENTS = "".join(
    character
    for character in map(chr, range(0x300, 0x10000))
    if unicodedata.category(character) in ("Mn", "Mc")
)
_LETTERS = rf"[\w{_ACCENTS}]+"
_NUMBER = r"\d+(?:[.,]\d+)+"
_WORD = rf"{_LETTERS}(?:['\u2019]{_LETTERS})*"
# The group tells words from punctuation, which comes one character at a time.
_PIECES = re.compile(rf"({_NUMBER}|{_WORD})|\S")


class Tokenizer(Protocol):
    """Splits a text into words without white space, and joins words to a text."""

    @property
    def name(self) -> str: ...

    @property
    def is_exact(self) -> bool:
        """Whether `split` undoes `join` for words in any order; it does for those of a text."""

    def split(self, text: str) -> list[str]: ...

    def join(self, words: Sequence[str]) -> str: ...


class WhitespaceTokenizer:
    """Words are what white space separates."""

    name = "whitespace"
    is_exact = True

    def split(self, text: str) -> list[str]:
        return text.split()

    def join(self, words: Sequence[str]) -> str:
        return " ".join(words)


class WordTokenizer:
    """Words, numbers and punctuation apart, so that `join` restores the text.

    Where no space stood between two tokens, one of them carries a mark: the punctuation if there
    is any, so that words look the same wherever they stand. An apostrophe inside a word and a
    point or comma inside a number do not split. White space comes back as single spaces.
    """

    name = "words"
    is_exact = False

    def split(self, text: str) -> list[str]:
        words: list[str] = []
        for chunk in text.split():
            if chunk.isalnum():
                words.append(chunk)
            else:
                words.extend(_split_chunk(chunk))
        return words

    def join(self, words: Sequence[str]) -> str:
        """The text of any sequence of tokens; marks that face no neighbour vanish."""
        parts: list[str] = []
        is_glued = True
        for word in words:
            if not is_glued and not word.startswith(MARK):
                parts.append(" ")
            piece = word.strip(MARK)
            parts.append(MARK if piece == _SPELLED_MARK else piece)
            is_glued = word.endswith(MARK)
        return "".join(parts)


class CharacterTokenizer:
    """Every character is a word, for scripts that set no spaces between words.

    A space is one too, under a spelling of its own, so that `join` restores the text. White space
    comes back as single spaces, and none at either end.
    """

    name = "characters"
    is_exact = False

    def split(self, text: str) -> list[str]:
        return [_SPELLED.get(character, character) for character in " ".join(text.split())]

    def join(self, words: Sequence[str]) -> str:
        return " ".join("".join(_CHARACTERS.get(word, word) for word in words).split())


TOKENIZERS: dict[str, Tokenizer] = {
    known.name: known for known in (WhitespaceTokenizer(), WordTokenizer(), CharacterTokenizer())
}


def tokenizer(name: str) -> Tokenizer:
    """The tokeniser of that name."""
    if name not in TOKENIZERS:
        raise UserError(f"tokenizer must be one of {', '.join(TOKENIZERS)}, not {name!r}.")
    return TOKENIZERS[name]


def is_word(piece: str) -> bool:
    """Whether the tokeniser `words` takes this token without marks for a word or a number."""
    match = _PIECES.fullmatch(piece)
    return match is not None and match.lastindex is not None


def _split_chunk(chunk: str) -> list[str]:
    """The tokens of a text without white space, one mark at every seam between them."""
    matches = list(_PIECES.finditer(chunk))
    is_word = [match.lastindex is not None for match in matches]
    tokens = [_SPELLED_MARK if match[0] == MARK else match[0] for match in matches]
    for right in range(1, len(tokens)):
        if is_word[right] and not is_word[right - 1]:
            tokens[right - 1] += MARK
        else:
            tokens[right] = MARK + tokens[right]
    return tokens
