"""Sentences written anew by small edits of their words, on ids and compiled.

There are `per_sentence` new sentences for each one, in order: those of sentence i are number
i * per_sentence and on. Each has random numbers of its own, named by the seed and by the
sentence's number counted from `first`, so portions of a text give what the whole would.

The four operations of EDA (Wei and Zou 2019) follow decision 0028.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from sda.text.compiled import Ids, Numbers, compiled
from sda.text.sentences import Flat
from sda.text.streams import Stream, below, geometric, start_stream, uniform
from sda.text.synonyms import WordChoices

Operation = Literal["replace", "insert", "swap", "delete"]
OPERATIONS: tuple[Operation, ...] = ("replace", "insert", "swap", "delete")

_REPLACE, _INSERT, _SWAP, _DELETE = range(len(OPERATIONS))
_TRIES = 10  # swaps that may exchange equal words before another operation takes their turn


class Amount(NamedTuple):
    """How much is written: `per_sentence` new sentences for each, with n = max(1, floor(`alpha` *
    length)) words changed."""

    alpha: float = 0.1
    per_sentence: int = 4

    def check(self) -> None:
        """Refuses what is no share, or no number of sentences."""
        if not 0.0 < self.alpha <= 1.0:
            raise ValueError(f"alpha must be above 0 and at most 1, not {self.alpha}")
        if self.per_sentence < 1:
            raise ValueError(f"per_sentence must be 1 or more, not {self.per_sentence}")


USUAL = Amount()


def edit(
    sentences: Flat,
    choices: WordChoices,
    seed: int,
    amount: Amount = USUAL,
    operations: Sequence[str] = OPERATIONS,
    longest: int | None = None,
    first: int = 0,
) -> Flat:
    """New sentences, each by one operation that changes so many words.

    Operations are dealt to the new sentences of one source as from a shuffled pack that holds each
    equally often. One that can change nothing leaves its turn to the next; a new sentence equals
    its source only if none of them can change it. Insertion makes no sentence longer than
    `longest` words.
    """
    amount.check()
    unknown = [name for name in operations if name not in OPERATIONS]
    if unknown or not operations:
        known = ", ".join(OPERATIONS)
        raise ValueError(f"operations must be some of {known}, not {', '.join(unknown) or 'none'}")
    check_choices(sentences, choices)
    alpha, per_sentence = amount
    lengths = sentences.lengths
    room = lengths + np.maximum(1, (alpha * lengths).astype(np.int64))
    ids = np.empty(per_sentence * int(room.sum()), np.int32)
    starts = np.zeros(per_sentence * len(sentences) + 1, np.int64)
    # In the fixed order, so that the order in which they are named changes nothing.
    numbers = np.array([n for n, name in enumerate(OPERATIONS) if name in operations], np.int64)
    most = np.iinfo(np.int64).max if longest is None else longest
    _edit_all(*sentences, *choices, numbers, alpha, per_sentence, most, seed, first, ids, starts)
    return Flat(ids[: starts[-1]].copy(), starts)


@compiled
def count_changed(source: Ids, starts: Numbers, written: Ids, written_starts: Numbers) -> int:
    """How many of the written sentences differ from their source; both are the parts of a `Flat`.

    Every source has equally many.
    """
    changed = 0
    if len(starts) < 2:
        return changed
    per_sentence = (len(written_starts) - 1) // (len(starts) - 1)
    for new in range(len(written_starts) - 1):
        old = new // per_sentence
        line = written[written_starts[new] : written_starts[new + 1]]
        if _differs(line, len(line), source[starts[old] : starts[old + 1]]):
            changed += 1
    return changed


def check_choices(sentences: Flat, choices: WordChoices) -> None:
    """Refuses what would make compiled code read beyond its arrays."""
    if len(sentences.ids) and not 0 <= sentences.ids.min() <= sentences.ids.max() < len(choices):
        raise ValueError(f"a word without a row among the {len(choices)} rows of choices")


@compiled
def _edit_all(
    ids: Ids,
    starts: Numbers,
    words: Ids,
    rows: Numbers,
    operations: Numbers,
    alpha: float,
    per_sentence: int,
    most: int,
    seed: int,
    first: int,
    written: Ids,
    written_starts: Numbers,
) -> None:
    """Fill `written` and `written_starts`."""
    stream = np.zeros(1, np.uint64)
    longest = np.int64(0)
    for sentence in range(len(starts) - 1):
        longest = max(longest, starts[sentence + 1] - starts[sentence])
    spots = np.empty(longest, np.int64)
    firsts = np.empty(longest, np.int64)
    last_seen = np.full(len(rows) - 1, -1, np.int64)
    becomes = np.full(len(rows) - 1, -1, np.int32)
    left = np.empty(len(operations), np.int64)
    for sentence in range(len(starts) - 1):
        source = ids[starts[sentence] : starts[sentence + 1]]
        start_stream(stream, seed, first + sentence)
        n = max(1, int(alpha * len(source)))
        spot_count, first_count = 0, 0
        for place in range(len(source)):
            word = source[place]
            if rows[word] < rows[word + 1]:
                spots[spot_count] = place
                spot_count += 1
                if last_seen[word] != sentence:
                    last_seen[word] = sentence
                    firsts[first_count] = place
                    first_count += 1
        left[:] = per_sentence // len(operations) + 1
        for copy in range(per_sentence):
            number = sentence * per_sentence + copy
            line = written[written_starts[number] :]
            dealt = _deal(left, stream)
            length = len(source)
            line[:length] = source
            for turn in range(len(operations)):
                operation = operations[(dealt + turn) % len(operations)]
                if operation == _REPLACE and first_count > 0:
                    _replace(line, source, words, rows, firsts[:first_count], n, becomes, stream)
                elif operation == _INSERT and spot_count > 0:
                    n_inserted = min(n, most - length)
                    length = _insert(
                        line, source, words, rows, spots[:spot_count], n_inserted, stream
                    )
                elif operation == _SWAP and length > 1:
                    _swap(line, source, n, stream)
                elif operation == _DELETE and length > 1:
                    length = _delete(line, source, alpha, stream)
                if _differs(line, length, source):
                    break
            written_starts[number + 1] = written_starts[number] + length


@compiled
def _deal(left: Numbers, stream: Stream) -> int:
    """The place of the next card of a shuffled pack that has `left[k]` cards of kind k."""
    card = below(stream, left.sum())
    kind = 0
    while card >= left[kind]:
        card -= left[kind]
        kind += 1
    left[kind] -= 1
    return kind


@compiled
def _choice(word: int, words: Ids, rows: Numbers, stream: Stream) -> int:
    """Any of the word's choices."""
    return int(words[rows[word] + below(stream, rows[word + 1] - rows[word])])


@compiled
def _replace(
    line: Ids,
    source: Ids,
    words: Ids,
    rows: Numbers,
    firsts: Numbers,
    n: int,
    becomes: Ids,
    stream: Stream,
) -> None:
    """Replace n distinct words, everywhere they stand; `firsts` is shuffled on the way."""
    replaced = min(n, len(firsts))
    choose(firsts, replaced, stream)
    for place in firsts[:replaced]:
        becomes[source[place]] = _choice(source[place], words, rows, stream)
    for place in range(len(source)):
        line[place] = source[place] if becomes[source[place]] < 0 else becomes[source[place]]
    for place in firsts[:replaced]:
        becomes[source[place]] = -1


@compiled
def _insert(
    line: Ids, source: Ids, words: Ids, rows: Numbers, spots: Numbers, n: int, stream: Stream
) -> int:
    """Put n synonyms of any words before any words; returns the new length."""
    length = len(source)
    for _ in range(n):
        word = _choice(source[spots[below(stream, len(spots))]], words, rows, stream)
        target = below(stream, length)
        for place in range(length, target, -1):
            line[place] = line[place - 1]
        line[target] = word
        length += 1
    return length


@compiled
def _swap(line: Ids, source: Ids, n: int, stream: Stream) -> None:
    """Exchange two words, n times; again from the source if that changed nothing."""
    for _ in range(_TRIES):
        line[: len(source)] = source
        for _ in range(n):
            one = below(stream, len(source))
            other = below(stream, len(source) - 1)
            other += other >= one
            line[one], line[other] = line[other], line[one]
        if _differs(line, len(source), source):
            return


@compiled
def _delete(line: Ids, source: Ids, alpha: float, stream: Stream) -> int:
    """Drop each word with probability alpha, given that one falls; returns the new length.

    If all fall, any one of them stays.
    """
    length = geometric(stream, 1.0 - alpha, len(source))
    for place in range(length + 1, len(source)):
        if uniform(stream) >= alpha:
            line[length] = source[place]
            length += 1
    if length == 0:
        line[0] = source[below(stream, len(source))]
        length = 1
    return length


@compiled
def choose(places: Numbers, n: int, stream: Stream) -> None:
    """The first n are drawn from all of them without replacement, in random order."""
    for place in range(n):
        other = place + below(stream, len(places) - place)
        places[place], places[other] = places[other], places[place]


@compiled
def _differs(line: Ids, length: int, source: Ids) -> bool:
    same, place = length == len(source), 0
    while same and place < length:
        same = line[place] == source[place]
        place += 1
    return not same
