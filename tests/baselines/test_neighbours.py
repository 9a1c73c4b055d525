"""Words that keep the same company are neighbours."""

import numpy as np
import pytest
import torch
from fakes import seeded

from baselines.words import lists
from sda.baselines.neighbours import Neighbours, find_neighbours, has_meaning, word_vectors
from sda.text.corpus import Corpus
from sda.text.sentences import Flat


def two_kinds(n: int = 400) -> Flat:
    """Words 0-2 stand between 6 and 7, words 3-5 between 8 and 9; word 10 comes once."""
    rng = np.random.default_rng(0)
    sentences = [[6, int(a), 7] for a in rng.integers(0, 3, n)]
    sentences += [[8, int(b), 9] for b in rng.integers(3, 6, n)]
    return Flat.from_lists([*sentences, [6, 10, 7]])


def test_neighbours_keep_the_same_company() -> None:
    is_word = np.arange(11) < 6
    choices = find_neighbours(two_kinds(), is_word, seed=0, neighbours=2, size=8)

    rows = lists(Flat(choices.words, choices.starts))
    assert [sorted(row) for row in rows[:6]] == [[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]]
    assert rows[6:] == [[]] * 5


def test_rare_words_neither_have_neighbours_nor_are_any() -> None:
    choices = find_neighbours(two_kinds(), np.ones(11, np.bool_), seed=0, neighbours=50)

    rows = lists(Flat(choices.words, choices.starts))
    assert rows[10] == []
    assert all(sorted([word, *row]) == list(range(10)) for word, row in enumerate(rows[:10]))


def test_vectors_span_the_pointwise_mutual_information() -> None:
    flat = Flat.from_lists([[0, 1], [0, 1], [2, 3]])
    vectors = word_vectors(flat, 4, 4, seed=0)

    # 6 ordered pairs; (0, 1) has 2 of them, its words 2 each: log(2 * 6 / (2 * 2)) = log 3.
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = np.log(3)
    expected[2, 3] = expected[3, 2] = np.log(6)
    # With roots of absolute values the products give the absolute value of the matrix.
    absolute = np.diag(expected.sum(0))
    np.testing.assert_allclose((vectors @ vectors.T).numpy(), absolute, atol=1e-9)


def test_the_same_seed_gives_the_same_neighbours() -> None:
    one, other = (find_neighbours(two_kinds(), np.ones(11, np.bool_), seed=3) for _ in range(2))
    assert np.array_equal(one.words, other.words)


def test_too_few_words_have_no_neighbours() -> None:
    choices = find_neighbours(Flat.from_lists([[0, 1]] * 9), np.array([True, False]), seed=0)
    assert lists(Flat(choices.words, choices.starts)) == [[], []]


def test_words_with_a_meaning() -> None:
    assert has_meaning(("dog", "The", ".", "it's", "red")).tolist() == [True, *[False] * 3, True]


@pytest.mark.parametrize("settings", [{"neighbours": 0}, {"size": 0}])
def test_bad_settings(settings: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be 1 or more"):
        find_neighbours(two_kinds(), np.ones(11, np.bool_), seed=0, **settings)


def test_a_corpus_gets_versions_of_its_training_sentences(corpus: Corpus) -> None:
    state = torch.get_rng_state()
    larger = Neighbours(corpus.vocabulary, seeded(1), per_sentence=2)(corpus)

    assert len(larger) == 3 * len(corpus)
    assert torch.equal(larger.train.lengths[10:], corpus.train.lengths.repeat_interleave(2))
    old = corpus.vocabulary.decode(corpus.train)
    new = corpus.vocabulary.decode(larger.train)[10:]
    # cat and dog, sat and ran are common in the ten sentences; big and here are not.
    assert all(text != old[number // 2] for number, text in enumerate(new))
    assert torch.equal(torch.get_rng_state(), state)
