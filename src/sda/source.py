"""Where a run's sentences come from: a file, the caption grammar, or the oracle LSTM."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import torch

from sda.errors import UserError
from sda.evaluation.truth import CaptionTruth, LstmTruth, Truth
from sda.models.oracle import load_oracle, random_oracle
from sda.sampling import sample
from sda.settings.layers import source_kind
from sda.settings.schema import Settings
from sda.text.captions.caption_grammar import CaptionGrammar, CaptionOracle
from sda.text.corpus import Corpus
from sda.text.prepare import prepare
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import tokenizer
from sda.text.vocabulary import NumberVocabulary, Vocabulary, WordVocabulary


@dataclass(frozen=True)
class HeldOut:
    """What only the end of a run may see: the test data, and the truth where it is known.

    `test` are the test sentences that have a likelihood. `references`, `real` and `train` are all
    sentences of the test, validation and training splits in the numbers that the vocabulary gives
    to words; a word that no sample can hold has one that no sample can match.
    """

    test: Sentences
    references: Flat
    real: Flat
    train: Flat
    truth: Truth | None


@dataclass(frozen=True)
class Loaded:
    """A source that was read: what training may see, what it may not, and what was dropped."""

    corpus: Corpus
    held_out: HeldOut
    vocabulary: Vocabulary
    summary: list[tuple[str, str]]
    advice: tuple[str, ...] = ()
    """What to do about a text that would not be learned well as it is, a sentence each."""

    def fingerprints(self) -> list[str]:
        """What tells the text of each split from any other."""
        splits = (self.corpus.train, self.corpus.valid, self.held_out.test)
        contexts = [part.context for part in splits if part.context is not None]
        labels = [context.labels for context in contexts if context.labels is not None]
        prompts = [context.source for context in contexts if context.source is not None]
        return [
            *(part.fingerprint() for part in splits),
            *(hashlib.sha256(part.numpy().tobytes()).hexdigest() for part in labels),
            *(part.fingerprint() for part in prompts),
        ]


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

    def numbered(lines: list[str]) -> Flat:
        return Flat.from_lists([vocabulary.number_words(line.split(" ")) for line in lines])

    held_out = HeldOut(
        test=prepared.test,
        references=numbered(prepared.test_lines),
        real=numbered(prepared.valid_lines),
        train=numbered(prepared.train_lines),
        truth=None,
    )
    summary = prepared.summary
    return Loaded(prepared.corpus, held_out, vocabulary, summary.as_rows(), summary.advice)


def _captions(settings: Settings) -> Loaded:
    grammar = CaptionGrammar()
    sizes = settings.embedded
    rng = torch.Generator().manual_seed(settings.seed)
    # Every word of the grammar is known, seen or not: the truth is a distribution over them all.
    words = tokenizer("whitespace")
    vocabulary = WordVocabulary(grammar.words, has_unknown=False, tokenizer=words)
    first = len(vocabulary) - len(vocabulary.known)

    def write(n: int) -> Sentences:
        flat = grammar.sample(n, rng)
        return Sentences.from_flat(Flat(flat.ids + first, flat.starts), vocabulary.eos)

    train, valid, test = write(sizes.train), write(sizes.valid), write(sizes.test)
    corpus = Corpus(vocabulary, train, valid, grammar.max_length + 1)
    truth = CaptionTruth(CaptionOracle(grammar), vocabulary)
    held_out = _held_out(corpus, test, truth)
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
    held_out = _held_out(corpus, test, LstmTruth(oracle))
    return Loaded(corpus, held_out, vocabulary, _rows("oracle LSTM", corpus, test))


def _held_out(corpus: Corpus, test: Sentences, truth: Truth) -> HeldOut:
    words = corpus.vocabulary.words
    return HeldOut(test, words(test), words(corpus.valid), words(corpus.train), truth)


def _rows(name: str, corpus: Corpus, test: Sentences) -> list[tuple[str, str]]:
    return [
        ("source", name),
        ("training sentences", f"{len(corpus.train):,}"),
        ("validation sentences", f"{len(corpus.valid):,}"),
        ("test sentences", f"{len(test):,}"),
        ("vocabulary", f"{len(corpus.vocabulary):,}"),
        ("longest sentence, end counted", f"{corpus.max_length:,}"),
    ]
