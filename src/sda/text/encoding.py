"""Lines of words into ids: which vocabulary they make, and which of them it can write.

A line is words joined by single spaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress

from sda.errors import UserError
from sda.text.preparation import Preparation
from sda.text.sentences import Flat, Sentences
from sda.text.subwords import SubwordVocabulary
from sda.text.tokens import Tokenizer, tokenizer
from sda.text.vocabulary import WordVocabulary


def make_vocabulary(
    lines: Sequence[str], preparation: Preparation
) -> tuple[list[bool], WordVocabulary | SubwordVocabulary]:
    """Which training lines stay, and the vocabulary that writes them."""
    if preparation.subwords is None:
        return _make_words(lines, preparation)
    return _make_subwords(lines, preparation, preparation.subwords)


def encode_lines(
    lines: Sequence[str], vocabulary: WordVocabulary | SubwordVocabulary, most: int
) -> tuple[list[bool], Sentences]:
    """Which of the lines can be written in `most` tokens, and those, closed by the end symbol."""
    if isinstance(vocabulary, SubwordVocabulary):
        sentences = vocabulary.encode(_texts(lines, vocabulary.tokenizer))
        fits = sentences.lengths <= most
        return fits.tolist(), sentences[fits.nonzero()[:, 0]].trimmed()
    words = [line.split() for line in lines]
    has_ids = [vocabulary.has_unknown or vocabulary.covers(line) for line in words]
    ids = [vocabulary.encode_words(line) for line in compress(words, has_ids)]
    return has_ids, Sentences.from_flat(Flat.from_lists(ids), vocabulary.eos)


def _make_words(
    lines: Sequence[str], preparation: Preparation
) -> tuple[list[bool], WordVocabulary]:
    """All lines and their words, or the lines without a rare word.

    Where sentences with a rare word are dropped, the words that only they held go with them;
    what is rare is judged once, by the counts before.
    """
    chosen = tokenizer(preparation.tokenizer)
    counts = _counted(lines)
    if preparation.rare == "unknown":
        vocabulary = WordVocabulary.from_counts(counts, preparation.min_count, True, chosen)
        return [True] * len(lines), vocabulary
    rare = {word for word, count in counts.items() if count < preparation.min_count}
    stays = [rare.isdisjoint(line.split(" ")) for line in lines]
    if not any(stays):
        raise UserError(
            f"all {len(lines):,} training sentences hold a word seen fewer than min_count ="
            f" {preparation.min_count} times: lower it, or set rare = 'unknown'."
        )
    kept = compress(lines, stays)
    return stays, WordVocabulary.from_counts(_counted(kept), 1, False, chosen)


def _make_subwords(
    lines: Sequence[str], preparation: Preparation, size: int
) -> tuple[list[bool], SubwordVocabulary]:
    """The lines of a sane length in subwords, and the subwords of all lines."""
    chosen = tokenizer(preparation.tokenizer)
    vocabulary = SubwordVocabulary.learned(_texts(lines, chosen), size, chosen)
    stays, _ = encode_lines(lines, vocabulary, preparation.most_tokens)
    if not any(stays):
        raise UserError(
            f"all {len(lines):,} training sentences have more than"
            f" {preparation.most_tokens - 1:,} subwords: raise max_length."
        )
    return stays, vocabulary


def _texts(lines: Iterable[str], chosen: Tokenizer) -> list[str]:
    return [chosen.join(line.split(" ")) for line in lines]


def _counted(lines: Iterable[str]) -> Counter[str]:
    return Counter(chain.from_iterable(map(str.split, lines)))
