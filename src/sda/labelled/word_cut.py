"""How the words of texts are told apart, by a look at the texts."""

from __future__ import annotations

from collections.abc import Sequence

from sda.text.tokens import MARK, tokenizer

LOOKED_AT = 1000  # texts
MOST_JOINED = 0.02
"""Share of the words that may have punctuation joined to them where words are said to stand apart
already: some abbreviations always have."""

# Scripts that set no spaces between words: Thai to Khmer, kana, Han.
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF))
_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x20000, 0x323AF))


def fitting_tokenizer(texts: Sequence[str]) -> str:
    """`characters` for scripts without spaces, `whitespace` for words that stand apart already,
    else `words`."""
    some = texts[:: max(1, len(texts) // LOOKED_AT)]
    letters = [character for text in some for character in text if character.isalpha()]
    if 2 * sum(map(_is_unspaced, letters)) > len(letters):
        return "characters"
    split = tokenizer("words").split
    words = [word for text in some for word in split(text)]
    joined = sum(MARK in word for word in words)
    return "words" if joined > MOST_JOINED * len(words) else "whitespace"


def _is_unspaced(character: str) -> bool:
    number = ord(character)
    return any(first <= number <= last for first, last in (*_UNSPACED, *_HAN))
