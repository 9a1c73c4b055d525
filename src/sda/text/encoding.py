"""Lines of words into ids: which vocabulary they make, and which of them it can write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, compress
from pathlib import Path

from sda.errors import UserError
from sda.text.context import Context
from sda.text.lines import Line, context_of, words_of
from sda.text.model_tokens import ModelVocabulary
from sda.text.pieces import PieceVocabulary
from sda.text.preparation import Preparation
from sda.text.sentences import Flat, Sentences
from sda.text.subwords import SubwordVocabulary
from sda.text.tokens import Tokenizer, tokenizer
from sda.text.vocabulary import WordVocabulary


def make_vocabulary(
    lines: Sequence[Line], preparation: Preparation
) -> tuple[list[Line], WordVocabulary | SubwordVocabulary | ModelVocabulary]:
    """The training lines that stay, and the vocabulary that writes them."""
    if preparation.model is not None:
        chosen = tokenizer(preparation.tokenizer)
        # The name of a label is read before a sentence as prompts are.
        follows = preparation.has_prompts or preparation.label is not None
        read = ModelVocabulary.read(Path(preparation.model), chosen, follows)
        return _kept(lines, read, preparation), read
    if preparation.subwords is not None:
        return _make_subwords(lines, preparation, preparation.subwords)
    return _make_words(lines, preparation)


def encode_lines(
    lines: Sequence[Line],
    vocabulary: WordVocabulary | SubwordVocabulary | ModelVocabulary,
    most: int,
    labels: Sequence[str] = (),
) -> Sentences:
    """The lines that can be written in `most` tokens, closed by the end symbol.

    Where there are labels, each is about its own, and where there are prompts each follows on its
    own.
    """
    if isinstance(vocabulary, PieceVocabulary):
        sentences = vocabulary.encode(_texts(lines, vocabulary.tokenizer))
        context = context_of(lines, labels)
        if isinstance(vocabulary, ModelVocabulary):
            context = _with_prompts(lines, vocabulary, context)
        sentences = sentences.about(context)
        return sentences[(sentences.lengths <= most).nonzero()[:, 0]].trimmed()
    written, ids = [], []
    for line in lines:
        words = line.words.split()
        if vocabulary.has_unknown or vocabulary.covers(words):
            written.append(line)
            ids.append(vocabulary.encode_words(words))
    sentences = Sentences.from_flat(Flat.from_lists(ids), vocabulary.eos)
    return sentences.about(context_of(written, labels))


def _make_words(
    lines: Sequence[Line], preparation: Preparation
) -> tuple[list[Line], WordVocabulary]:
    """All lines and their words, or the lines without a rare word.

    Where sentences with a rare word are dropped, the words that only they held go with them;
    what is rare is judged once, by the counts before.
    """
    chosen = tokenizer(preparation.tokenizer)
    counts = _counted(lines)
    if preparation.rare == "unknown":
        vocabulary = WordVocabulary.from_counts(counts, preparation.min_count, True, chosen)
        return list(lines), vocabulary
    rare = {word for word, count in counts.items() if count < preparation.min_count}
    kept = [line for line in lines if rare.isdisjoint(line.words.split(" "))]
    if not kept:
        raise UserError(
            f"all {len(lines):,} training sentences hold a word seen fewer than min_count ="
            f" {preparation.min_count} times: lower it, or set rare = 'unknown'."
        )
    return kept, WordVocabulary.from_counts(_counted(kept), 1, False, chosen)


def _make_subwords(
    lines: Sequence[Line], preparation: Preparation, size: int
) -> tuple[list[Line], SubwordVocabulary]:
    """The lines of a sane length in subwords, and the subwords of all lines."""
    chosen = tokenizer(preparation.tokenizer)
    vocabulary = SubwordVocabulary.learned(_texts(lines, chosen), size, chosen)
    return _kept(lines, vocabulary, preparation), vocabulary


def _kept(
    lines: Sequence[Line],
    vocabulary: SubwordVocabulary | ModelVocabulary,
    preparation: Preparation,
) -> list[Line]:
    """The lines of a sane length in subwords."""
    texts = _texts(lines, vocabulary.tokenizer)
    fits = vocabulary.encode(texts).lengths <= preparation.most_tokens
    kept = list(compress(lines, fits.tolist()))
    if not kept:
        raise UserError(
            f"all {len(lines):,} training sentences have more than"
            f" {preparation.most_tokens - 1:,} subwords: raise max_length."
        )
    return kept


def _with_prompts(
    lines: Sequence[Line], vocabulary: ModelVocabulary, context: Context | None
) -> Context | None:
    """The context with the prompts of the lines, where they have some."""
    prompts = [line.prompt for line in lines if line.prompt is not None]
    if not prompts:
        return context
    labels = None if context is None else context.labels
    return Context(labels, vocabulary.encode_prompts(prompts))


def _texts(lines: Sequence[Line], chosen: Tokenizer) -> list[str]:
    return [chosen.join(line.words.split(" ")) for line in lines]


def _counted(lines: Sequence[Line]) -> Counter[str]:
    return Counter(chain.from_iterable(map(str.split, words_of(lines))))
