"""Tokenised text into ordinary text, as a grammar checker expects it.

Two ways of splitting are undone: that of the Penn Treebank ("do n't", "he 's", "`` yes ''") and the
one that sets all punctuation apart ("don ' t", "he ' s", "1 , 600"). Only marks that stand between
spaces are joined, so ordinary text comes back as it was. A mark that can be read in two ways, as
the hyphen of "long - term" and the dash of "it - but", is left alone.
"""

from __future__ import annotations

import re

# British words that the paper respells before its grammar check; its "pre cent" is taken for
# "per cent".
AMERICAN = {
    "per cent": "percent",
    "organisations": "organizations",
    "centre": "center",
    "realise": "realize",
    "programme": "program",
    "metres": "meters",
    "behaviour": "behavior",
}
_BRITISH = re.compile(rf"\b(?:{'|'.join(AMERICAN)})\b", re.IGNORECASE)

_SUFFIXES = "s|m|d|re|ve|ll"
_UNITS = "year|month|week|day|hour|minute|mile|point|man|foot|inch"
_PREFIXES = "anti|co|ex|mid|multi|non|post|pre|pro|re|self|semi"

_CONTRACTIONS = (
    (rf"(?<=\w) (?=(?:n't|'(?:{_SUFFIXES}))(?!\S))", ""),
    (rf"(?<=\w) ' (?=(?:{_SUFFIXES})(?!\S))", "'"),
    (r"(?<=n) ' (?=t(?!\S))", "'"),
    (r"(?<!\S)(gon|wan) (?=na(?!\S))", r"\1"),
    (r"(?<!\S)(got) (?=ta(?!\S))", r"\1"),
)
# Marks that open a quotation stick to what follows, marks that close one to what stands before.
# A lone apostrophe after an s is that of a genitive: the players ' union.
_QUOTES = (
    (r"(?<!\S)(?:``|'')(?!\S)", '"'),
    (r'(?<!\S)" ([^"]*) "(?!\S)', r'"\1"'),
    (r'(?<=\w) "(?=$| [.,;:!?])', '"'),
    (r'^([^"]*[.,!?]) "(?!\S)', r'\1"'),
    (r'(?<!\S)" (?=\S)', '"'),
    (r"(?<!\S)(?<!s )' ((?:[^']|(?<=\w)'(?=\w))*) '(?!\S)", r"'\1'"),
    (r"(?<=s) '(?!\S)", "'"),
    (r"(?<=\w) '(?=$| [.,;:!?])", "'"),
    (r"(?<!\S)' (?=\S)", "'"),
)
_NUMBERS = (
    (r"(?<!\S)(\d{1,3}) , (?=\d{3}(?!\S))", r"\1,"),
    (r"(?<=\d) ([./-]) (?=\d)", r"\1"),
    (r"(?<=\d) : (?=\d\d(?!\S))", ":"),
    (r"(?<!\S)([$£€#]) (?=\d)", r"\1"),
    (r"(?<=\d) (?=%(?!\S))", ""),
)
_COMPOUNDS = (
    (rf"(?<=\w) - ({_UNITS}) - (?=olds?(?!\S))", r"-\1-"),
    (rf"(?<=\d) - (?=(?:{_UNITS})(?!\S))", "-"),
    (rf"(?<!\S)({_PREFIXES}) - (?=\w)", r"\1-"),
    (r"(?<!\S)([a-z]) \. ([a-z]) \.(?!\S)", r"\1.\2."),
)
_PUNCTUATION = (
    (r"(?<!\S)([(\[{]) (?=\S)", r"\1"),
    (r" (?=(?:[.,;:!?…]|[)\]}])[^\w\s]*(?!\S))", ""),
)
_JOINS = tuple(
    (re.compile(pattern, re.IGNORECASE), joined)
    for rules in (_CONTRACTIONS, _QUOTES, _NUMBERS, _COMPOUNDS, _PUNCTUATION)
    for pattern, joined in rules
)

_FIRST_WORD = re.compile(r"^[\W_]*([^\W\d_][\w'\u2019]*)")
_PRONOUN = re.compile(r"(?<![\w.'\u2019-])i(?=['\u2019](?:m|d|s|ve|ll)\b|[\s,;:!?)\"]|\.(?!\w)|$)")
_FINISHED = re.compile(r"[.!?…][\"'\u2019\u201d)\]}]*$")


def detokenise(text: str) -> str:
    """The sentence as it would be printed, with a capital and a full stop; empty if `text` is.

    Words keep their letters. Capitals are given to the first word, if it is in lower case, and to
    the pronoun I.

    >>> detokenise("a man is riding a bike , and he 's happy")
    "A man is riding a bike, and he's happy."
    """
    text = " ".join(text.split())
    for pattern, joined in _JOINS:
        text = pattern.sub(joined, text)
    text = _PRONOUN.sub("I", text)
    first = _FIRST_WORD.match(text)
    if first and first[1].islower():
        start = first.start(1)
        text = text[:start] + text[start].upper() + text[start + 1 :]
    return text if not text or _FINISHED.search(text) else text + "."


def americanise(text: str) -> str:
    """The text with the seven words of `AMERICAN` respelled, a capital first letter kept.

    >>> americanise("Programme of the centre")
    'Program of the center'
    """
    return _BRITISH.sub(_respell, text)


def _respell(match: re.Match[str]) -> str:
    word = AMERICAN[match[0].lower()]
    return word.capitalize() if match[0][0].isupper() else word
