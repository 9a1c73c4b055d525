"""EDA as a textbook would write it: lists of words, dictionaries, one sentence after the other."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

Words = list[str]
Table = Mapping[str, Sequence[str]]

OPERATIONS = ("replace", "insert", "swap", "delete")


def eda(
    words: Words,
    table: Table,
    rng: random.Random,
    alpha: float = 0.1,
    per_sentence: int = 4,
    operations: Sequence[str] = OPERATIONS,
) -> list[Words]:
    """`per_sentence` versions of the sentence; `table` has no stop words."""
    pack = list(operations) * (per_sentence // len(operations) + 1)
    rng.shuffle(pack)
    return [version(words, table, rng, alpha, operations, name) for name in pack[:per_sentence]]


def version(
    words: Words,
    table: Table,
    rng: random.Random,
    alpha: float,
    operations: Sequence[str],
    name: str,
) -> Words:
    """The sentence after the operation of that name, or the next one that changes it."""
    place = operations.index(name)
    for turn in (*operations[place:], *operations[:place]):
        for _ in range(100):
            new = apply(turn, words, table, rng, alpha)
            if new != words:
                return new
    return list(words)


def apply(name: str, words: Words, table: Table, rng: random.Random, alpha: float) -> Words:
    n = max(1, int(alpha * len(words)))
    if name == "replace":
        return replace(words, table, rng, n)
    if name == "insert":
        return insert(words, table, rng, n)
    if name == "swap":
        return swap(words, rng, n)
    return delete(words, rng, alpha)


def replace(words: Words, table: Table, rng: random.Random, n: int) -> Words:
    """n distinct words become any of their synonyms wherever they stand."""
    candidates = sorted({word for word in words if table.get(word)})
    rng.shuffle(candidates)
    becomes = {word: rng.choice(table[word]) for word in candidates[:n]}
    return [becomes.get(word, word) for word in words]


def insert(words: Words, table: Table, rng: random.Random, n: int) -> Words:
    """Any synonym of any word comes before any word, n times."""
    candidates = [word for word in words if table.get(word)]
    new = list(words)
    if candidates:
        for _ in range(n):
            synonym = rng.choice(table[rng.choice(candidates)])
            new.insert(rng.randrange(len(new)), synonym)
    return new


def swap(words: Words, rng: random.Random, n: int) -> Words:
    """Two places exchange their words, n times."""
    new = list(words)
    if len(new) > 1:
        for _ in range(n):
            one, other = rng.sample(range(len(new)), 2)
            new[one], new[other] = new[other], new[one]
    return new


def delete(words: Words, rng: random.Random, alpha: float) -> Words:
    """Every word falls with probability alpha; any one stays if all would fall."""
    if len(words) < 2:
        return list(words)
    kept = [word for word in words if rng.random() >= alpha]
    return kept or [rng.choice(words)]
