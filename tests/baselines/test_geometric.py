"""Few words change, and mostly to their first synonym, in geometric proportions."""

from collections import Counter

import numpy as np
import pytest
import torch

from baselines.words import lists
from sda.baselines.geometric import SynonymGeometric, replace_geometric
from sda.text.corpus import Corpus
from sda.text.sentences import Flat
from sda.text.synonyms import WordChoices

CHOICES = WordChoices.from_lists([[4, 5, 6], [7], [8], []])


def test_numbers_and_ranks_are_geometric() -> None:
    old = [0, 3, 1, 2]
    times = 14_000
    new = lists(replace_geometric(Flat.from_lists([old] * times), CHOICES, 1, per_sentence=1))

    changed = Counter(sum(a != b for a, b in zip(old, words, strict=True)) for words in new)
    assert set(changed) == {1, 2, 3}
    expected = np.array([4, 2, 1]) * times / 7
    found = np.array([changed[r] for r in (1, 2, 3)])
    assert (np.abs(found - expected) < 5 * np.sqrt(expected)).all()

    ranks = Counter(words[0] for words in new if words[0] != 0)
    total = ranks.total()
    assert set(ranks) == {4, 5, 6}
    expected = np.array([4, 2, 1]) * total / 7
    assert (
        np.abs(np.array([ranks[w] for w in (4, 5, 6)]) - expected) < 5 * np.sqrt(expected)
    ).all()
    assert all(words[1] == 3 for words in new)


def test_sentences_without_synonyms_stay() -> None:
    new = replace_geometric(Flat.from_lists([[3, 3], [], [1]]), CHOICES, 0, per_sentence=2)
    assert lists(new) == [[3, 3], [3, 3], [], [], [7], [7]]


def test_portions_give_what_the_whole_gives() -> None:
    whole = [[0, 1], [2, 0, 0], [1, 2]]
    new = lists(replace_geometric(Flat.from_lists(whole), CHOICES, 9))
    assert lists(replace_geometric(Flat.from_lists(whole[1:]), CHOICES, 9, first=1)) == new[4:]


@pytest.mark.parametrize("name", ["word_ratio", "choice_ratio"])
@pytest.mark.parametrize("ratio", [-0.1, 1.0, float("nan")])
def test_bad_ratios(name: str, ratio: float) -> None:
    with pytest.raises(ValueError, match=name):
        replace_geometric(Flat.from_lists([[0]]), CHOICES, 0, **{name: ratio})


def test_a_corpus_gets_versions_of_its_training_sentences(
    corpus: Corpus, rng: torch.Generator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = tmp_path_factory.mktemp("table") / "synonyms.txt"
    table.write_text("cat\tdog lion\nsat\tran\n", encoding="utf-8")
    augment = SynonymGeometric(corpus.vocabulary, rng, per_sentence=2, synonyms=str(table))
    larger = augment(corpus)

    assert len(larger) == 3 * len(corpus)
    texts = corpus.vocabulary.decode(larger.train)
    assert texts[:10] == corpus.vocabulary.decode(corpus.train)
    assert set(texts[10:12]) <= {"the dog sat", "the cat ran", "the dog ran"}
