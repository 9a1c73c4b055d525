import pytest
from fakes import sentences_of

from sda.errors import UserError
from sda.reference.filters import Contains, Length, NotCopy
from sda.text.corpus import Corpus
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary

PASS, FAIL = 0.0, float("-inf")


def test_contains_wants_all_of_one_list_and_none_of_the_other(vocabulary: WordVocabulary) -> None:
    the, a, cat, dog = vocabulary.number_words(["the", "a", "cat", "dog"])
    metric = Contains(vocabulary, must=["the", "cat"], must_not=["dog"])
    sentences = sentences_of([the, cat, 0], [cat, a, the, 0], [the, 0], [the, cat, dog, 0], [0])

    assert metric(sentences).tolist() == [PASS, PASS, FAIL, FAIL, FAIL]


def test_contains_nothing_passes_all(vocabulary: WordVocabulary) -> None:
    assert Contains(vocabulary)(sentences_of([1, 0], [0])).tolist() == [PASS, PASS]


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("key", ["must", "must_not"])
def test_a_word_outside_the_vocabulary_is_named(unknown: bool, key: str) -> None:
    vocabulary = WordVocabulary(("a",), has_unknown=unknown, tokenizer=WhitespaceTokenizer())
    with pytest.raises(UserError, match=r"'zebra'.*not in the vocabulary"):
        Contains(vocabulary, **{key: ["zebra"]})


def test_length_counts_words_without_the_end_symbol(vocabulary: WordVocabulary) -> None:
    sentences = sentences_of([0], [1, 0], [1, 2, 0], [1, 2, 3, 0], [1, 2, 3])

    limited = Length(vocabulary, least=1, most=2)
    assert limited(sentences).tolist() == [FAIL, PASS, PASS, FAIL, FAIL]
    open_ended = Length(vocabulary, least=3)
    assert open_ended(sentences).tolist() == [FAIL, FAIL, FAIL, PASS, PASS]


def test_a_copy_is_one_word_for_word(vocabulary: WordVocabulary, corpus: Corpus) -> None:
    the, cat, sat = vocabulary.number_words(["the", "cat", "sat"])
    sentences = sentences_of(
        [the, cat, sat, 0], [the, cat, 0], [the, cat, sat, sat, 0], [sat, cat, the, 0]
    )

    metric = NotCopy(vocabulary, corpus.train)
    assert metric(sentences).tolist() == [FAIL, PASS, PASS, PASS]
    assert metric(corpus.train).tolist() == [FAIL] * len(corpus.train)
    # A sentence that was cut before its end symbol is a copy all the same.
    assert metric(sentences_of([the, cat, sat])).tolist() == [FAIL]
