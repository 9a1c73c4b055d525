import pytest
import torch
from fakes import seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st

from sda.reference.chance import Chance
from sda.text.sentences import Sentences
from sda.text.vocabulary import NumberVocabulary

VOCABULARY = NumberVocabulary(50)


def test_scores_are_spread_evenly() -> None:
    words = torch.randint(50, (20_000, 6), generator=seeded(1))
    scores = Chance(VOCABULARY, seeded(0))(Sentences(words, torch.full((20_000,), 6)))

    assert scores.min() >= 0 and scores.max() < 1
    shares = torch.histc(scores, bins=10, min=0, max=1) / 20_000
    assert shares.tolist() == pytest.approx([0.1] * 10, abs=0.015)


def test_the_order_of_words_matters_and_the_seed_does() -> None:
    sentences = sentences_of([1, 2, 3], [3, 2, 1], [1, 2], [2], [1])
    first, second = (Chance(VOCABULARY, seeded(seed))(sentences) for seed in (0, 1))

    assert len(set(first.tolist())) == 5
    assert not set(first.tolist()) & set(second.tolist())


@given(st.lists(st.lists(st.integers(0, 49), max_size=6), min_size=1, max_size=8))
def test_a_sentence_has_one_score_whatever_stands_beside_it(lists: list[list[int]]) -> None:
    metric = Chance(VOCABULARY, seeded(0))
    together = metric(sentences_of(*lists)).tolist()

    assert together == [metric(sentences_of(words)).item() for words in lists]
