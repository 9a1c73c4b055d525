"""From a text file to a corpus: which sentences stay, which split they fall into, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
import torch

from sda.errors import UserError
from sda.text.corpus import Corpus
from sda.text.counts import FileCounts, Summary
from sda.text.reading import check_kinds, read_lines
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import tokenizer
from sda.text.vocabulary import WordVocabulary

FEWEST_SENTENCES = 10
"""Distinct sentences that the text must have once it is cut."""
LARGEST_DRAWN_SPLIT = 5_000
"""Distinct sentences in a validation or test split that was drawn."""

Rare = Literal["unknown", "drop"]
TooLong = Literal["drop", "cut"]


@dataclass(frozen=True)
class Preparation:
    """How a text is cut and split."""

    lowercase: bool = False
    """Turn all letters into small ones."""
    tokenizer: Literal["whitespace", "words"] = "whitespace"
    """Split at white space, or also put punctuation apart so that joining restores the text."""
    min_count: int = 1
    """A word seen less often in the training sentences is rare."""
    rare: Rare = "unknown"
    """Write a rare word as unknown, or drop the sentences that hold one."""
    max_length: int = 50
    """The most words of a sentence."""
    too_long: TooLong = "drop"
    """Drop a sentence with more words, or cut it there."""
    min_length: int = 1
    """The fewest words of a sentence; one with fewer is dropped."""
    deduplicate: bool = False
    """Keep one of each among the identical sentences of a file."""
    valid: str | None = None
    """The file with the validation sentences; drawn from the text if none is named."""
    test: str | None = None
    """The file with the test sentences; drawn from the text if none is named."""
    valid_share: float = 0.1
    """The share of the distinct sentences drawn for validation, at most 5,000 of them."""
    test_share: float = 0.1
    """The share of the distinct sentences drawn for the test, at most 5,000 of them."""
    column: str | None = None
    """The column of `.csv` and `.tsv` files that holds the sentence."""
    field: str | None = None
    """The field of `.jsonl` files that holds the sentence."""
    limit: int | None = None
    """Train on only this many sentences, drawn by the seed; all of them if none is named."""
    share: float = 1.0
    """Train on this share of what is left then; the words are still those of all of it."""

    def __post_init__(self) -> None:
        for key, value in (
            ("min_count", self.min_count),
            ("min_length", self.min_length),
            ("max_length", self.max_length),
            ("limit", self.limit),
        ):
            if value is not None and value < 1:
                raise UserError(f"{key} must be 1 or more, not {value}.")
        if self.max_length < self.min_length:
            raise UserError(
                f"max_length = {self.max_length} is below min_length = {self.min_length}."
            )
        for key, choice, choices in (
            ("rare", self.rare, get_args(Rare)),
            ("too_long", self.too_long, get_args(TooLong)),
        ):
            if choice not in choices:
                raise UserError(f"{key} must be one of {', '.join(choices)}, not {choice!r}.")
        tokenizer(self.tokenizer)
        if not 0 < self.share <= 1:
            raise UserError(f"share must be above 0 and at most 1, not {self.share}.")
        shares = (self.valid_share, self.test_share)
        # 0.9 leaves a training sentence even where ten sentences are split.
        if not (min(shares) > 0 and sum(shares) <= 0.9):
            raise UserError(
                f"valid_share = {shares[0]} and test_share = {shares[1]} must be above 0 and"
                " together at most 0.9."
            )


@dataclass(frozen=True)
class Prepared:
    """A corpus for training and, apart from it, what only an evaluation may see.

    Lines are words joined by single spaces. `train_lines` are the sentences of `corpus.train` in
    order. `valid_lines` and `test_lines` are all sentences of their splits; `corpus.valid` and
    `test` only those that a model can write.
    """

    corpus: Corpus
    test: Sentences
    test_lines: list[str]
    valid_lines: list[str]
    train_lines: list[str]
    summary: Summary


def prepare(path: Path, preparation: Preparation, seed: int) -> Prepared:
    """The text cut, split and encoded, with counts of everything that was dropped.

    Splits that no file gives are drawn by the seed before words are counted. Identical sentences
    fall into the same drawn split. Of a test file every sentence stays in `test_lines`.
    """
    rng = torch.Generator().manual_seed(seed)
    files = [path, *(Path(file) for file in (preparation.valid, preparation.test) if file)]
    check_kinds(files, preparation.column, preparation.field)
    text = _load(path, preparation)
    if len(set(text.kept)) < FEWEST_SENTENCES:
        raise UserError(
            f"{path}: {len(set(text.kept))} distinct sentences are left where {FEWEST_SENTENCES}"
            f" are needed ({text.counts.explained()})."
        )
    named = {
        name: _load(Path(file), preparation)
        for name, file in (("valid", preparation.valid), ("test", preparation.test))
        if file is not None
    }
    shares = {"valid": preparation.valid_share, "test": preparation.test_share}
    drawn = [name for name in shares if name not in named]
    lines, *parts = _divide(text.kept, [shares[name] for name in drawn], rng)
    splits = {name: file.kept for name, file in named.items()}
    splits.update(zip(drawn, parts, strict=True))
    test_lines = named["test"].every if "test" in named else splits["test"]

    limited = _limited(lines, preparation.limit, rng)
    known_lines, vocabulary = _with_vocabulary(limited, preparation)
    # One permutation whatever the share, so smaller shares lie within larger ones.
    train_lines = _limited(known_lines, max(1, round(preparation.share * len(known_lines))), rng)
    train = _encoded(train_lines, vocabulary)
    valid = _encoded(splits["valid"], vocabulary)
    if not len(valid):
        raise UserError(
            f"all {len(splits['valid']):,} validation sentences hold a word that the training"
            " sentences lack: raise min_count with rare = 'unknown', or give more text."
        )
    max_length = int(torch.cat((train.lengths, valid.lengths)).max())
    test = _encoded(splits["test"], vocabulary)
    test = test[test.lengths <= max_length].trimmed()

    known = set(train_lines)
    words = int(train.lengths.sum()) - len(train)
    summary = Summary(
        files=(text.counts, *(file.counts for file in named.values())),
        train=len(train),
        valid=len(valid),
        test=len(test_lines),
        train_rare=len(limited) - len(known_lines),
        train_over_limit=len(lines) - len(limited),
        train_outside_share=len(known_lines) - len(train),
        valid_not_scored=len(splits["valid"]) - len(valid),
        test_not_scored=len(test_lines) - len(test),
        valid_in_train=sum(line in known for line in splits["valid"]),
        test_in_train=sum(line in known for line in test_lines),
        vocabulary=len(vocabulary),
        words=words,
        unknown_words=0 if vocabulary.unk is None else int((train.tokens == vocabulary.unk).sum()),
        max_length=max_length,
    )
    corpus = Corpus(vocabulary, train, valid, max_length)
    return Prepared(corpus, test, test_lines, splits["valid"], train_lines, summary)


class _File(NamedTuple):
    """Lines of words joined by single spaces: `every` one that is not blank, and those `kept`."""

    every: list[str]
    kept: list[str]
    counts: FileCounts


def _load(path: Path, preparation: Preparation) -> _File:
    """A file tokenised and cut; refused if nothing is left."""
    split = tokenizer(preparation.tokenizer).split
    records = read_lines(path, column=preparation.column, field=preparation.field)
    if preparation.lowercase:
        records = [record.lower() for record in records]
    every = [" ".join(words) for words in map(split, records) if words]

    lengths = np.fromiter((line.count(" ") + 1 for line in every), np.int64, len(every))
    too_short = lengths < preparation.min_length
    too_long = lengths > preparation.max_length
    if preparation.too_long == "cut":
        most, shortened, dropped_long = preparation.max_length, int(too_long.sum()), 0
        stays = ~too_short
        cut = [
            " ".join(line.split(" ", most)[:most]) if is_long else line
            for line, is_long in zip(every, too_long.tolist(), strict=True)
        ]
    else:
        shortened, dropped_long = 0, int(too_long.sum())
        stays = ~(too_short | too_long)
        cut = every
    sentences = list(compress(cut, stays.tolist()))
    kept = list(dict.fromkeys(sentences)) if preparation.deduplicate else sentences
    counts = FileCounts(
        file=path.name,
        read=len(records),
        blank=len(records) - len(every),
        too_short=int(too_short.sum()),
        too_long=dropped_long,
        duplicate=len(sentences) - len(kept),
        shortened=shortened,
    )
    if not kept:
        raise UserError(f"{path}: no sentence is left ({counts.explained()}).")
    return _File(every, kept, counts)


def _divide(lines: list[str], shares: Sequence[float], rng: torch.Generator) -> list[list[str]]:
    """The lines that are left for training, then those drawn for each share, all in order.

    Distinct lines are drawn, so that identical ones stay together.
    """
    numbers = {line: number for number, line in enumerate(dict.fromkeys(lines))}
    order = torch.randperm(len(numbers), generator=rng).numpy()
    part_of = np.zeros(len(numbers), np.int64)
    start = 0
    for part, share in enumerate(shares, start=1):
        size = min(LARGEST_DRAWN_SPLIT, max(1, int(share * len(numbers))))
        part_of[order[start : start + size]] = part
        start += size
    parts = part_of[[numbers[line] for line in lines]]
    return [list(compress(lines, (parts == part).tolist())) for part in range(len(shares) + 1)]


def _limited(lines: list[str], limit: int | None, rng: torch.Generator) -> list[str]:
    if limit is None or limit >= len(lines):
        return lines
    places = torch.randperm(len(lines), generator=rng)[:limit].sort().values
    return [lines[place] for place in places.tolist()]


def _with_vocabulary(
    lines: list[str], preparation: Preparation
) -> tuple[list[str], WordVocabulary]:
    """The training lines that stay, and the vocabulary of their words.

    Where sentences with a rare word are dropped, the words that only they held go with them;
    what is rare is judged once, by the counts before.
    """
    chosen = tokenizer(preparation.tokenizer)
    counts = _counted(lines)
    if preparation.rare == "unknown":
        return lines, WordVocabulary.from_counts(counts, preparation.min_count, True, chosen)
    rare = {word for word, count in counts.items() if count < preparation.min_count}
    kept = [line for line in lines if rare.isdisjoint(line.split(" "))]
    if not kept:
        raise UserError(
            f"all {len(lines):,} training sentences hold a word seen fewer than min_count ="
            f" {preparation.min_count} times: lower it, or set rare = 'unknown'."
        )
    return kept, WordVocabulary.from_counts(_counted(kept), 1, False, chosen)


def _counted(lines: Iterable[str]) -> Counter[str]:
    return Counter(chain.from_iterable(map(str.split, lines)))


def _encoded(lines: Iterable[str], vocabulary: WordVocabulary) -> Sentences:
    """The lines whose words all have an id, each closed by the end symbol."""
    ids = [vocabulary.encode(words) for words in map(str.split, lines) if vocabulary.covers(words)]
    return Sentences.from_flat(Flat.from_lists(ids), vocabulary.eos)
