import pytest
from fakes import sentences_of

from sda.reference.rare_words import RareWords
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import NumberVocabulary, WordVocabulary

# Word 1 occurs twice, 2 four times, 3 five times, 4 once, 5 never.
TRAIN = sentences_of([1, 2, 3], [1, 2, 3, 4], [2, 3, 3], [2, 3])
NUMBERS = NumberVocabulary(6)


@pytest.mark.parametrize(
    ("words", "bonus"),
    [
        ([1], 1 / 4),
        ([2], 1 / 16),
        ([3], 0),  # five is not below the threshold
        ([4], 1),
        ([5], 0),  # never seen is not rare
        ([1, 2], 1 / 4 + 1 / 16),
        ([1, 1, 1], 1 / 4),  # stuttering earns nothing
        ([1, 3, 1, 2, 1], 1 / 4 + 1 / 16),
    ],
)
def test_each_rare_word_counts_once(words: list[int], bonus: float) -> None:
    metric = RareWords(NUMBERS, TRAIN, threshold=5, bonus_cap=1)

    assert metric(sentences_of(words)).item() == pytest.approx(bonus)


def test_one_word_earns_at_most_the_cap() -> None:
    metric = RareWords(NUMBERS, TRAIN, threshold=5, bonus_cap=0.1)

    assert metric(sentences_of([4], [1, 4], [2])).tolist() == pytest.approx([0.1, 0.2, 1 / 16])


def test_end_symbol_and_unknown_word_are_never_rare() -> None:
    vocabulary = WordVocabulary(("a", "b"), has_unknown=True, tokenizer=WhitespaceTokenizer())
    train = sentences_of([2, 1, 0], [3, 2, 0])
    metric = RareWords(vocabulary, train, bonus_cap=1)

    assert metric(sentences_of([1, 0], [3, 0])).tolist() == [0, 1]


def test_the_threshold_scales_with_the_training_set() -> None:
    # Of four sentences, words that come once or twice are rare.
    metric = RareWords(NUMBERS, TRAIN, bonus_cap=1)

    assert metric(sentences_of([1], [2], [3], [4])).tolist() == [1 / 4, 0, 0, 1]
