"""The compiled operations of EDA do what the textbook's do, as often."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import textbook_eda as textbook
from baselines.words import lists
from sda.baselines.edits import OPERATIONS, Amount, count_changed, edit
from sda.text.sentences import Flat
from sda.text.synonyms import WordChoices

# Words 0 to 2 have synonyms, 3 to 5 none; 6 to 9 are written only.
CHOICES = WordChoices.from_lists([[6, 7], [8], [9, 0, 1], [], [], []])
TABLE = {
    "0": ["6", "7"],
    "1": ["8"],
    "2": ["9", "0", "1"],
}
texts = st.lists(st.lists(st.integers(0, 5), max_size=30), max_size=6)
shares = st.floats(0.01, 1.0)


def pairs(
    sentences: list[list[int]], seed: int, alpha: float = 0.1, **options: Any
) -> list[tuple[list[int], list[int]]]:
    """Every new sentence, behind its source."""
    new = lists(edit(Flat.from_lists(sentences), CHOICES, seed, Amount(alpha), **options))
    each = len(new) // max(1, len(sentences))
    return [(sentences[number // each], words) for number, words in enumerate(new)]


def changes(alpha: float, words: list[int]) -> int:
    return max(1, int(alpha * len(words)))


def has_choice(words: list[int]) -> bool:
    return any(word < 3 for word in words)


@given(texts, shares, st.integers(0, 2**62))
def test_replacement_changes_n_distinct_words_wherever_they_stand(
    sentences: list[list[int]], alpha: float, seed: int
) -> None:
    for old, words in pairs(sentences, seed, alpha=alpha, operations=["replace"]):
        assert len(words) == len(old)
        becomes: dict[int, set[int]] = {}
        for before, after in zip(old, words, strict=True):
            becomes.setdefault(before, set()).add(after)
        assert all(len(after) == 1 for after in becomes.values())
        changed = {before: after.pop() for before, after in becomes.items() if {before} != after}
        for before, after in changed.items():
            assert after in CHOICES.words[CHOICES.starts[before] : CHOICES.starts[before + 1]]
        assert len(changed) == min(changes(alpha, old), len({w for w in old if w < 3}))


@given(texts, shares, st.integers(0, 2**62), st.integers(5, 40))
def test_insertion_adds_n_synonyms_and_keeps_the_order(
    sentences: list[list[int]], alpha: float, seed: int, longest: int
) -> None:
    for old, words in pairs(sentences, seed, alpha=alpha, operations=["insert"], longest=longest):
        room = max(0, longest - len(old))
        added = min(changes(alpha, old), room) if has_choice(old) else 0
        assert len(words) == len(old) + added
        assert len(words) <= max(longest, len(old))
        left = iter(words)
        assert all(word in left for word in old)
        more = Counter(words) - Counter(old)
        allowed = {int(o) for w in old if str(w) in TABLE for o in TABLE[str(w)]}
        assert set(more) <= allowed
        if added:
            assert words[-1] == old[-1]  # a full stop stays at the end


@given(texts, shares, st.integers(0, 2**62))
def test_swaps_keep_the_words(sentences: list[list[int]], alpha: float, seed: int) -> None:
    for old, words in pairs(sentences, seed, alpha=alpha, operations=["swap"]):
        assert sorted(words) == sorted(old)
        differing = sum(a != b for a, b in zip(old, words, strict=True))
        assert differing <= 2 * changes(alpha, old)


@given(texts, shares, st.integers(0, 2**62))
def test_deletion_keeps_some_words_in_order(
    sentences: list[list[int]], alpha: float, seed: int
) -> None:
    for old, words in pairs(sentences, seed, alpha=alpha, operations=["delete"]):
        left = iter(old)
        assert all(word in left for word in words)
        assert min(1, len(old)) <= len(words)
        assert len(words) < len(old) or len(old) < 2


@given(texts, shares, st.integers(0, 2**62), st.integers(1, 9))
def test_portions_give_what_the_whole_gives(
    sentences: list[list[int]], alpha: float, seed: int, per_sentence: int
) -> None:
    def new(some: list[list[int]], first: int) -> list[list[int]]:
        flat = Flat.from_lists(some)
        return lists(edit(flat, CHOICES, seed, Amount(alpha, per_sentence), first=first))

    whole = new(sentences, 0)
    assert len(whole) == per_sentence * len(sentences)
    assert new(sentences[:2], 0) + new(sentences[2:], 2) == whole
    assert new(sentences, 0) == whole


@given(texts, st.integers(0, 2**62))
def test_a_sentence_stays_only_if_nothing_can_change_it(
    sentences: list[list[int]], seed: int
) -> None:
    flat = Flat.from_lists(sentences)
    new = edit(flat, CHOICES, seed)
    changed = 0
    for old, words in pairs(sentences, seed):
        assert (old == words) == (len(old) < 2 and not has_choice(old))
        changed += old != words
    assert count_changed(*flat, *new) == changed


@pytest.mark.parametrize("operations", [[name] for name in OPERATIONS] + [list(OPERATIONS)])
@pytest.mark.parametrize("words", [[0, 3, 2, 4, 0, 5, 1, 3, 3, 4], [1, 3, 3], [2, 0]])
def test_results_are_as_frequent_as_the_textbook_makes_them(
    operations: list[str], words: list[int]
) -> None:
    times, alpha = 4000, 0.2
    flat = Flat.from_lists([words] * times)
    ours = Counter(map(tuple, lists(edit(flat, CHOICES, 5, Amount(alpha, 2), operations))))
    rng = random.Random(0)
    spelled = [str(word) for word in words]
    theirs = Counter(
        tuple(map(int, new))
        for _ in range(times)
        for new in textbook.eda(spelled, TABLE, rng, alpha, 2, operations)
    )

    a, b = (np.array([found[key] for key in ours | theirs]) for found in (ours, theirs))
    # Of two equally frequent results the squared difference is their sum, on average.
    scores = (a - b) ** 2 / (a + b)
    assert scores.max() < 25
    assert scores.mean() < 1 + 5 * np.sqrt(2 / len(scores))


def test_four_versions_take_at_most_two_turns_each() -> None:
    words = [0, 3, 4, 5, 3, 5]
    new = lists(edit(Flat.from_lists([words] * 200), CHOICES, 1))
    for number in range(200):
        lengths = [len(version) for version in new[4 * number : 4 * number + 4]]
        assert lengths.count(7) <= 2  # insertion
        assert sum(length < 6 for length in lengths) <= 2  # deletion


def test_the_order_of_operations_does_not_matter() -> None:
    flat = Flat.from_lists([[0, 1, 2, 3, 4]] * 50)
    one = edit(flat, CHOICES, 3, operations=["swap", "delete"])
    other = edit(flat, CHOICES, 3, operations=["delete", "swap", "swap"])
    assert lists(one) == lists(other)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"amount": Amount(alpha=0.0)}, "alpha must be above 0"),
        ({"amount": Amount(alpha=1.5)}, "alpha must be above 0"),
        ({"amount": Amount(alpha=float("nan"))}, "alpha must be above 0"),
        ({"amount": Amount(per_sentence=0)}, "per_sentence must be 1 or more"),
        ({"operations": []}, "operations must be some of replace, insert, swap, delete, not none"),
        ({"operations": ["swop"]}, "not swop"),
    ],
)
def test_bad_settings(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        edit(Flat.from_lists([[0]]), CHOICES, 0, **settings)


@pytest.mark.parametrize("word", [6, -1])
def test_ids_without_a_row_are_refused(word: int) -> None:
    with pytest.raises(ValueError, match="without a row"):
        edit(Flat.from_lists([[0, word]]), CHOICES, 0)
