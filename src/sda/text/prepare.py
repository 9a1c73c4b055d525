"""From a text file to a corpus: which sentences stay, which split they fall into, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from sda.errors import UserError
from sda.text.advice import LOOKED_AT, advise, advise_on_script
from sda.text.corpus import Corpus
from sda.text.counts import FileCounts, Summary
from sda.text.encoding import encode_lines, make_vocabulary
from sda.text.lines import Line, Remainder, check_labels, label_counts, lengths_of, words_of
from sda.text.preparation import Preparation
from sda.text.reading import check_kinds, each_record
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer

FEWEST_SENTENCES = 10
"""Distinct sentences that the text must have once it is cut."""
LARGEST_DRAWN_SPLIT = 5_000
"""Distinct sentences in a validation or test split that was drawn."""


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
    distinct = len({line.words for line in text.kept})
    if distinct < FEWEST_SENTENCES:
        raise UserError(
            f"{path}: {distinct} distinct sentences are left where {FEWEST_SENTENCES}"
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
    every_test = named["test"].every if "test" in named else splits["test"]

    limited = _limited(lines, preparation.limit, rng)
    try:
        known_lines, vocabulary = make_vocabulary(limited, preparation)
    except UserError as error:
        raise _explained(error, path, text.texts, preparation) from None
    # One permutation whatever the share, so smaller shares lie within larger ones.
    shared = _limited(known_lines, max(1, round(preparation.share * len(known_lines))), rng)
    counts = label_counts(shared)
    labels, most = tuple(counts), preparation.most_tokens
    steps = (text.kept, lines, limited, known_lines, shared)
    if preparation.label is not None:
        taken = list(map(Remainder, steps, _advice(path, drawn, preparation)))
        check_labels(splits["valid"], "validation", taken)
        check_labels(every_test, "test", taken)
    train = encode_lines(shared, vocabulary, most, labels)
    valid = encode_lines(splits["valid"], vocabulary, most, labels)
    if not len(valid):
        wrong = _without_validation(len(splits["valid"]), preparation)
        raise _explained(wrong, path, text.texts, preparation)
    max_length = int(torch.cat((train.lengths, valid.lengths)).max())
    test = encode_lines(splits["test"], vocabulary, most, labels)
    test = test[(test.lengths <= max_length).nonzero()[:, 0]].trimmed()

    train_lines, valid_lines, test_lines = map(words_of, (shared, splits["valid"], every_test))
    known = set(train_lines)
    dropped = len(limited) - len(known_lines)
    has_subwords = preparation.has_pieces
    summary = Summary(
        files=(text.counts, *(file.counts for file in named.values())),
        train=len(train),
        valid=len(valid),
        test=len(test_lines),
        train_rare=0 if has_subwords else dropped,
        train_many_subwords=dropped if has_subwords else 0,
        train_over_limit=len(lines) - len(limited),
        train_outside_share=len(known_lines) - len(train),
        valid_not_scored=len(valid_lines) - len(valid),
        test_not_scored=len(test_lines) - len(test),
        valid_in_train=sum(line in known for line in valid_lines),
        test_in_train=sum(line in known for line in test_lines),
        vocabulary=len(vocabulary),
        words=int(lengths_of(shared).sum()),
        subwords=int(train.lengths.sum()) - len(train) if has_subwords else 0,
        unknown_words=0 if vocabulary.unk is None else int((train.tokens == vocabulary.unk).sum()),
        max_length=max_length,
        labels=counts,
    )
    advice = advise(summary, text.texts, words_of(text.every), preparation)
    summary = replace(summary, advice=advice)
    corpus = Corpus(vocabulary, train, valid, max_length, labels=labels)
    return Prepared(corpus, test, test_lines, valid_lines, train_lines, summary)


def _advice(path: Path, drawn: Sequence[str], preparation: Preparation) -> tuple[str, ...]:
    """What to do where training lacks a label because it was not in the text, drawn for a split,
    over the limit, dropped with its sentence, or outside the share."""
    shares = " and ".join(f"{name}_share" for name in drawn)
    files = " and ".join(drawn)
    return (
        f"add sentences with it to {path}",
        f"{path} has it only in sentences that were drawn for held-out splits, so add sentences"
        f" with it, lower {shares}, name files with {files}, or take another seed",
        f"limit = {preparation.limit} left it out, so raise limit or take another seed",
        f"rare = {preparation.rare!r} dropped it, so lower min_count or set rare = 'unknown'"
        if not preparation.has_pieces
        else "its training sentences have too many subwords, so raise max_length",
        f"share = {preparation.share} left it out, so raise share or take another seed",
    )


def _explained(
    error: UserError, path: Path, texts: Sequence[str], preparation: Preparation
) -> UserError:
    """The error itself, or what is behind it where every line is a word of its own."""
    script = advise_on_script(texts, preparation)
    return error if script is None else UserError(f"{path}: {script}")


def _without_validation(count: int, preparation: Preparation) -> UserError:
    if not preparation.has_pieces:
        return UserError(
            f"all {count:,} validation sentences hold a word that the training sentences lack:"
            " raise min_count with rare = 'unknown', or give more text."
        )
    return UserError(
        f"all {count:,} validation sentences have more than {preparation.most_tokens - 1:,}"
        " subwords: raise max_length."
    )


class _File(NamedTuple):
    """`every` line that is not blank, those `kept`, and some `texts` as they stand in the file."""

    every: list[Line]
    kept: list[Line]
    counts: FileCounts
    texts: list[str]


def _load(path: Path, preparation: Preparation) -> _File:
    """A file tokenised and cut; refused if nothing is left."""
    chosen = tokenizer(preparation.tokenizer)
    split = chosen.split
    overlong: set[int] = set()
    records = list(
        each_record(
            path,
            preparation.column,
            preparation.field,
            preparation.label,
            overlong,
            preparation.prompt_column,
        )
    )
    texts = [record.text for record in records[:LOOKED_AT]]
    if preparation.lowercase:
        records = [record._replace(text=record.text.lower()) for record in records]
    every = [
        Line(
            " ".join(words),
            record.label,
            preparation.prompt if record.prompt is None else record.prompt,
        )
        for record in records
        if (words := split(record.text))
    ]

    lengths = lengths_of(every)
    too_short = lengths < preparation.min_length
    too_long = lengths > preparation.max_length
    if preparation.too_long == "cut":
        most, shortened, dropped_long = preparation.max_length, int(too_long.sum()), 0
        stays = ~too_short
        # Split again, because what was cut off may have been what the last word stuck to.
        cut = [
            line._replace(words=" ".join(split(chosen.join(line.words.split(" ", most)[:most]))))
            if is_long
            else line
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
        read=len(records) + len(overlong),
        blank=len(records) - len(every),
        too_short=int(too_short.sum()),
        too_long=dropped_long,
        duplicate=len(sentences) - len(kept),
        shortened=shortened,
        overlong=len(overlong),
    )
    if not kept:
        raise UserError(f"{path}: no sentence is left ({counts.explained()}).")
    return _File(every, kept, counts, texts)


def _divide(lines: list[Line], shares: Sequence[float], rng: torch.Generator) -> list[list[Line]]:
    """The lines that are left for training, then those drawn for each share, all in order.

    Distinct sentences are drawn, so that identical ones stay together, whatever their labels: a
    model that learned the one would know the other.
    """
    numbers = {words: number for number, words in enumerate(dict.fromkeys(words_of(lines)))}
    order = torch.randperm(len(numbers), generator=rng).numpy()
    part_of = np.zeros(len(numbers), np.int64)
    start = 0
    for part, share in enumerate(shares, start=1):
        size = min(LARGEST_DRAWN_SPLIT, max(1, int(share * len(numbers))))
        part_of[order[start : start + size]] = part
        start += size
    parts = part_of[[numbers[line.words] for line in lines]]
    return [list(compress(lines, (parts == part).tolist())) for part in range(len(shares) + 1)]


def _limited(lines: list[Line], limit: int | None, rng: torch.Generator) -> list[Line]:
    if limit is None or limit >= len(lines):
        return lines
    places = torch.randperm(len(lines), generator=rng)[:limit].sort().values
    return [lines[place] for place in places.tolist()]
