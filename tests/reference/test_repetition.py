import pytest
from fakes import sentences_of

from sda.reference.repetition import Repetition
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import NumberVocabulary, WordVocabulary

NUMBERS = NumberVocabulary(9)


@pytest.mark.parametrize(
    ("words", "bonus"),
    [
        ([1, 2, 3, 4, 5], 1),
        ([1, 2], 1),
        ([1, 1], 1),
        ([1, 2, 3, 1, 2, 3], 1 / 4),
        ([1, 1, 1, 1], 1 / 4),
        ([1, 1, 1, 1, 1], 1 / 9),
        ([1, 2, 3, 1, 2, 3, 4, 4, 4, 4, 4, 4], 1 / 16),  # the commonest decides
    ],
)
def test_bonus_falls_with_the_commonest_trigram(words: list[int], bonus: float) -> None:
    assert Repetition(NUMBERS)(sentences_of(words)).item() == pytest.approx(bonus)


def test_trigrams_of_different_sentences_do_not_meet() -> None:
    metric = Repetition(NUMBERS)

    assert metric(sentences_of([1, 2, 3], [1, 2, 3], [4, 1, 2, 3])).tolist() == [1, 1, 1]


def test_the_end_symbol_makes_no_trigram() -> None:
    vocabulary = WordVocabulary(("a", "b"), has_unknown=False, tokenizer=WhitespaceTokenizer())

    # With the end symbol as a word, 0 would follow 1 1 twice.
    assert Repetition(vocabulary)(sentences_of([1, 1, 0])).item() == 1
    assert Repetition(vocabulary, n=1)(sentences_of([1, 2, 0])).item() == 1


def test_n_can_be_chosen() -> None:
    assert Repetition(NUMBERS, n=2)(sentences_of([1, 2, 1, 2])).item() == pytest.approx(1 / 4)
