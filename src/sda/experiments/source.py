"""Where a run's sentences come from: a file, the caption grammar, or the oracle LSTM."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from sda.errors import UserError
from sda.evaluation.truth import CaptionTruth, LstmTruth, Truth
from sda.experiments.config import Settings
from sda.experiments.layers import source_kind
from sda.models.oracle import load_oracle, random_oracle
from sda.sampling import sample
from sda.text.captions import CaptionGrammar, CaptionOracle
from sda.text.corpus import Corpus
from sda.text.prepare import prepare
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import tokenizer
from sda.text.vocabulary import NumberVocabulary, WordVocabulary


@dataclass(frozen=True)
class HeldOut:
    """What only the end of a run may see: the test data, and the truth where it is known.

    `test` are the sentences that have a likelihood, `references` all of them as ids; words outside
    the vocabulary have ids above it there, which no sample can match.
    """

    test: Sentences
    references: Flat
    truth: Truth | None


@dataclass(frozen=True)
class Loaded:
    """A source that was read: what training may see, what it may not, and what was dropped."""

    corpus: Corpus
    held_out: HeldOut
    vocabulary: WordVocabulary | NumberVocabulary
    summary: list[tuple[str, str]]


def load_source(settings: Settings) -> Loaded:
    """Read or write the sentences of a run; the same settings give the same sentences."""
    kind = source_kind(settings.source)
    if kind == "captions":
        return _captions(settings)
    if kind == "oracle":
        return _oracle(settings)
    return _file(settings)


def _file(settings: Settings) -> Loaded:
    prepared = prepare(Path(settings.source), settings.data, settings.seed)
    vocabulary = prepared.corpus.vocabulary
    assert isinstance(vocabulary, WordVocabulary)
    references = _open_ids(vocabulary, prepared.test_lines)
    held_out = HeldOut(prepared.test, references, None)
    return Loaded(prepared.corpus, held_out, vocabulary, prepared.summary.as_rows())


def _open_ids(vocabulary: WordVocabulary, lines: list[str]) -> Flat:
    """Ids of tokenised lines, with further ids for words that the vocabulary lacks."""
    first = len(vocabulary) - len(vocabulary.words)
    ids = {word: number for number, word in enumerate(vocabulary.words, first)}
    lists = []
    for line in lines:
        lists.append([ids.setdefault(word, len(ids) + first) for word in line.split(" ")])
    return Flat.from_lists(lists)


def _captions(settings: Settings) -> Loaded:
    grammar = CaptionGrammar()
    sizes = settings.embedded
    rng = torch.Generator().manual_seed(settings.seed)
    # Every word of the grammar is known, seen or not: the truth is a distribution over them all.
    words = tokenizer("whitespace")
    vocabulary = WordVocabulary(grammar.words, has_unknown=False, tokenizer=words)
    first = len(vocabulary) - len(vocabulary.words)

    def write(n: int) -> Sentences:
        flat = grammar.sample(n, rng)
        return Sentences.from_flat(Flat(flat.ids + first, flat.starts), vocabulary.eos)

    train, valid, test = write(sizes.train), write(sizes.valid), write(sizes.test)
    corpus = Corpus(vocabulary, train, valid, grammar.max_length + 1)
    truth = CaptionTruth(CaptionOracle(grammar), vocabulary)
    held_out = HeldOut(test, test.flat(vocabulary.eos), truth)
    return Loaded(corpus, held_out, vocabulary, _rows("caption grammar", corpus, test))


def _oracle(settings: Settings) -> Loaded:
    sizes = settings.embedded
    _, colon, file = settings.source.partition(":")
    if colon and not file:
        raise UserError(f"source {settings.source!r}: write it as oracle:FILE.npz")
    if file:
        oracle = load_oracle(Path(file), sizes.length)
    else:
        seeded = torch.Generator().manual_seed(sizes.oracle_seed)
        oracle = random_oracle(sizes.vocabulary, sizes.length, sizes.oracle_size, seeded)
    vocabulary = NumberVocabulary(oracle.vocabulary_size)
    rng = torch.Generator().manual_seed(settings.seed)
    train, valid, test = (sample(oracle, n, rng) for n in (sizes.train, sizes.valid, sizes.test))
    corpus = Corpus(vocabulary, train, valid, sizes.length)
    held_out = HeldOut(test, test.flat(None), LstmTruth(oracle))
    return Loaded(corpus, held_out, vocabulary, _rows("oracle LSTM", corpus, test))


def _rows(name: str, corpus: Corpus, test: Sentences) -> list[tuple[str, str]]:
    return [
        ("source", name),
        ("training sentences", f"{len(corpus.train):,}"),
        ("validation sentences", f"{len(corpus.valid):,}"),
        ("test sentences", f"{len(test):,}"),
        ("vocabulary", f"{len(corpus.vocabulary):,}"),
        ("longest sentence, end counted", f"{corpus.max_length:,}"),
    ]
