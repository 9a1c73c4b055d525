import json
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sda.errors import UserError
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import MARK, SPACE, TOKENIZERS, tokenizer
from sda.text.vocabulary import NumberVocabulary, Vocabulary, WordVocabulary, vocabulary_from_json

WHITESPACE = tokenizer("whitespace")
COUNTS = {"dog": 2, "a": 5, "cat": 2, "owl": 1}


def closed(vocabulary: Vocabulary, lists: list[list[int]]) -> Sentences:
    return Sentences.from_flat(Flat.from_lists(lists), vocabulary.eos)


def test_words_by_falling_count_then_by_alphabet() -> None:
    vocabulary = WordVocabulary.from_counts(COUNTS, 1, True, WHITESPACE)

    assert vocabulary.known == ("a", "cat", "dog", "owl")
    assert vocabulary.eos == 0
    assert vocabulary.unk is None
    assert len(vocabulary) == 5
    assert vocabulary.encode_words(["a", "cat", "dog", "owl"]) == [1, 2, 3, 4]


def test_rare_words_share_the_unknown_id() -> None:
    vocabulary = WordVocabulary.from_counts(COUNTS, 2, True, WHITESPACE)

    assert vocabulary.known == ("a", "cat", "dog")
    assert vocabulary.unk == 1
    assert len(vocabulary) == 5
    assert vocabulary.encode_words(["owl", "a", "emu"]) == [1, 2, 1]
    assert vocabulary.covers(["a", "dog"])
    assert not vocabulary.covers(["a", "owl"])
    assert vocabulary.decode(closed(vocabulary, [[2, 1]])) == ["a <unk>"]


def test_without_unknown_id_other_words_are_refused() -> None:
    vocabulary = WordVocabulary.from_counts(COUNTS, 2, False, WHITESPACE)

    assert vocabulary.unk is None
    assert vocabulary.covers(["a", "cat"])
    assert not vocabulary.covers(["a", "owl"])
    with pytest.raises(UserError, match="the word 'owl' is not in the vocabulary"):
        vocabulary.encode(["a cat", "a owl"])


def test_min_count_above_every_count() -> None:
    with pytest.raises(UserError, match="no word occurs min_count = 6 times"):
        WordVocabulary.from_counts(COUNTS, 6, True, WHITESPACE)


def test_words_spelled_like_the_specials_have_ids_of_their_own() -> None:
    counts = {"</s>": 3, "<unk>": 2, "a": 1}
    vocabulary = WordVocabulary.from_counts(counts, 1, True, WHITESPACE)

    ids = vocabulary.encode_words(["a", "</s>", "<unk>", "</s>"])

    assert ids == [3, 1, 2, 1]
    assert vocabulary.decode(closed(vocabulary, [ids])) == ["a </s> <unk> </s>"]


def test_a_frequent_word_spelled_unk_is_refused_where_rare_words_are_written_so() -> None:
    with pytest.raises(UserError, match="the text holds the word <unk>"):
        WordVocabulary.from_counts({"<unk>": 2, "a": 1}, 2, True, WHITESPACE)


def test_a_rare_word_spelled_unk_is_rare_like_any_other() -> None:
    vocabulary = WordVocabulary.from_counts({"<unk>": 1, "a": 2}, 2, True, WHITESPACE)

    assert vocabulary.encode_words(["<unk>", "a"]) == [1, 2]


def test_decode_leaves_out_end_and_padding() -> None:
    vocabulary = WordVocabulary(("a", "dog"), False, WHITESPACE)
    sentences = Sentences(
        torch.tensor([[1, 2, 0], [1, 0, 0], [0, 0, 0], [2, 2, 1]]), torch.tensor([3, 2, 1, 3])
    )

    assert vocabulary.decode(sentences) == ["a dog", "a", "", "dog dog a"]


def test_decode_joins_as_its_tokenizer_does() -> None:
    vocabulary = WordVocabulary(("Hi", f"{MARK}!"), False, tokenizer("words"))

    assert vocabulary.decode(closed(vocabulary, [[1, 2, 2]])) == ["Hi!!"]


@given(st.lists(st.text(), max_size=5), st.sampled_from(sorted(TOKENIZERS)))
def test_decode_undoes_encode(texts: list[str], name: str) -> None:
    chosen = tokenizer(name)
    sentences = [chosen.split(text) for text in [*texts, "a"]]
    counts = Counter(word for words in sentences for word in words)
    vocabulary = WordVocabulary.from_counts(counts, 1, True, chosen)

    encoded = vocabulary.encode([*texts, "a"])

    words = vocabulary.words(encoded)
    assert all(0 < number < len(vocabulary) for number in words.ids.tolist())
    assert words.lengths.tolist() == list(map(len, sentences))
    assert vocabulary.decode(encoded) == [" ".join(text.split()) for text in [*texts, "a"]]


def test_words_are_the_ids_themselves() -> None:
    vocabulary = WordVocabulary(("a", "dog"), True, WHITESPACE)
    sentences = vocabulary.encode(["a dog", "", "emu a gnu"])

    assert vocabulary.in_words(sentences) is sentences
    words, flat = vocabulary.words(sentences), sentences.flat(vocabulary.eos)
    assert words.ids.tolist() == flat.ids.tolist() == [2, 3, 1, 2, 1]
    assert words.starts.tolist() == flat.starts.tolist()


# Every kind of seam: words, numbers, punctuation inside words, other punctuation, a spelled mark.
TRICKY = (
    *("a", "s", "3", "2.5", f"{MARK}cm", "don't", "<joiner>", f"{MARK}<joiner>"),
    *(mark.replace("_", MARK) for sign in "',-(" for mark in (sign, f"_{sign}", f"{sign}_")),
    *(f"{MARK}{sign}{MARK}" for sign in "',-("),
)
any_ids = st.lists(st.lists(st.integers(1, len(TRICKY)), max_size=6), max_size=5)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("_, a", ", a"),
        ("a (_", "a ("),
        ("a -_ s", "a -_ s"),
        ("a (_ _(_ a", "a ( _(_ a"),
        ("a _'_ s", "a's"),
        ("3 _,_ 3", "3,3"),
        ("a _cm", "acm"),
        ("2.5 _cm _,", "2.5 _cm _,"),
    ],
)
def test_words_are_those_that_the_text_is_cut_into(written: str, read: str) -> None:
    words = [word.replace("_", MARK) for word in written.split()]
    vocabulary = WordVocabulary(TRICKY, False, tokenizer("words"))
    sentences = closed(vocabulary, [vocabulary.encode_words(words), [1, 2]])

    found = vocabulary.words(sentences)

    expected = vocabulary.number_words([word.replace("_", MARK) for word in read.split()])
    assert found.ids.tolist() == [*expected, 1, 2]
    assert found.starts.tolist() == [0, len(expected), len(expected) + 2]
    padded = vocabulary.in_words(sentences)
    assert padded.flat(vocabulary.eos).ids.tolist() == found.ids.tolist()


CHARACTERS = ("今", "ก", "\u0e34", "a", SPACE, f"<{SPACE}>")


@given(
    st.lists(st.lists(st.integers(1, len(CHARACTERS)), max_size=6), max_size=5),
    st.sampled_from([CHARACTERS, tuple(word for word in CHARACTERS if word != SPACE)]),
)
def test_any_characters_have_the_words_of_their_text(
    ids: list[list[int]], known: tuple[str, ...]
) -> None:
    chosen = tokenizer("characters")
    vocabulary = WordVocabulary(known, False, chosen)
    sentences = closed(vocabulary, [[min(i, len(known)) for i in line] for line in ids])

    found = vocabulary.words(sentences)

    lists = [vocabulary.number_words(chosen.split(text)) for text in vocabulary.decode(sentences)]
    assert found.ids.tolist() == [number for line in lists for number in line]
    assert found.lengths.tolist() == [len(line) for line in lists]


@given(any_ids)
def test_any_ids_have_the_words_of_their_text(ids: list[list[int]]) -> None:
    chosen = tokenizer("words")
    vocabulary = WordVocabulary(TRICKY, False, chosen)
    sentences = closed(vocabulary, ids)

    found = vocabulary.words(sentences)

    lists = [vocabulary.number_words(chosen.split(text)) for text in vocabulary.decode(sentences)]
    expected = Flat.from_lists(lists)
    assert found.ids.tolist() == expected.ids.tolist()
    assert found.starts.tolist() == expected.starts.tolist()


@given(st.lists(st.text(alphabet="ab3.,'-( "), max_size=5), st.integers(1, 3))
def test_words_of_a_text_that_was_encoded_are_its_ids(texts: list[str], min_count: int) -> None:
    chosen = tokenizer("words")
    counts = Counter(word for text in [*texts, "a a a"] for word in chosen.split(text))
    vocabulary = WordVocabulary.from_counts(counts, min_count, True, chosen)
    sentences = vocabulary.encode(texts)

    words, flat = vocabulary.words(sentences), sentences.flat(vocabulary.eos)

    assert words.ids.tolist() == flat.ids.tolist()
    assert words.starts.tolist() == flat.starts.tolist()


def test_no_word_that_is_read_has_the_number_after_the_last_id() -> None:
    # Metrics write it for an unknown word, which nothing may match.
    vocabulary = WordVocabulary(("a", f"{MARK}s"), True, tokenizer("words"))
    (number,) = vocabulary.words(closed(vocabulary, [[2, 3]])).ids.tolist()

    assert number == vocabulary.number_words(["as"])[0] > len(vocabulary)
    assert vocabulary.words(closed(vocabulary, [[1, 3]])).ids.tolist() == [1, 3]


def test_words_without_an_id_have_numbers_that_no_sentence_has() -> None:
    vocabulary = WordVocabulary(("a", "dog"), True, WHITESPACE)

    assert vocabulary.number_words(["emu", "a", "gnu", "emu", "dog"]) == [4, 2, 5, 4, 3]
    assert vocabulary.number_words(["gnu", "yak"]) == [5, 6]
    assert len(vocabulary) == 4
    assert vocabulary.encode_words(["emu", "a"]) == [1, 2]


def test_numbers_are_their_own_words() -> None:
    vocabulary = NumberVocabulary(5000)

    assert vocabulary.eos is None
    assert vocabulary.unk is None
    assert len(vocabulary) == 5000
    assert vocabulary.number_words(["17", "4033", "0"]) == [17, 4033, 0]
    assert vocabulary.words(vocabulary.encode(["17 0"])).ids.tolist() == [17, 0]
    assert vocabulary.covers(["4999"]) and not vocabulary.covers(["5000"])
    assert vocabulary.decode(closed(vocabulary, [[17, 4033, 0], [0, 0, 0]])) == [
        "17 4033 0",
        "0 0 0",
    ]


@pytest.mark.parametrize("word", ["5", "-1", "01", "a"])
def test_numbers_outside_are_refused(word: str) -> None:
    with pytest.raises(UserError, match=f"'{word}' is not a number from 0 to 4"):
        NumberVocabulary(5).encode([word])


EXAMPLES = (
    WordVocabulary(("a", "</s>", "zölf"), False, WHITESPACE),
    WordVocabulary(("a", f"{MARK}."), True, tokenizer("words")),
    NumberVocabulary(7),
)


@pytest.mark.parametrize("vocabulary", EXAMPLES)
def test_a_token_is_a_word_where_sentences_are_cut(
    vocabulary: WordVocabulary | NumberVocabulary,
) -> None:
    sentences = Sentences.from_flat(Flat.from_lists([[1, 2, 1], [2]]))

    assert vocabulary.tokens_in(2) == 2
    assert vocabulary.cut(sentences, 2).tokens.tolist() == [[1, 2, 0], [2, 0, 0]]
    assert vocabulary.cut(sentences, 2).lengths.tolist() == [2, 1]


@pytest.mark.parametrize("vocabulary", EXAMPLES)
def test_json_there_and_back(vocabulary: WordVocabulary | NumberVocabulary) -> None:
    assert vocabulary_from_json(json.loads(json.dumps(vocabulary.to_json()))) == vocabulary


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "letters"},
        {"kind": "numbers", "size": 0},
        {"kind": "numbers"},
        {"kind": "words", "tokenizer": "words", "has_unknown": True},
        {"kind": "words", "tokenizer": "words", "has_unknown": True, "words": ["a", 3]},
        {"kind": "words", "tokenizer": "words", "has_unknown": True, "words": ["a", "a"]},
    ],
)
def test_damaged_json_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(UserError, match="the vocabulary is damaged"):
        vocabulary_from_json(data)
