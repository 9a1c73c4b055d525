import json
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sda.errors import UserError
from sda.text.sentences import Flat, Sentences
from sda.text.subwords import SubwordVocabulary
from sda.text.tokens import TOKENIZERS, tokenizer
from sda.text.vocabulary import vocabulary_from_json

pytest.importorskip("tokenizers")

WHITESPACE = tokenizer("whitespace")
ENGLISH = [
    "the cat sat on the mat .",
    "the other cat sat on another mat .",
    "a dog was sitting near the cat .",
    "nothing is sitting there , other than the dog .",
] * 3
UNSEEN = {
    "latin": "Große Zölfe fuhren après-midi à Łódź, naïve façade.",
    "cyrillic": "Съешь же ещё этих мягких французских булок!",
    "chinese": "敏捷的棕色狐狸 跳过了懒狗。",
    "devanagari": "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा",
    "emoji": "👩‍👩‍👧 ok 🙂",
}


def learned(size: int = 300, name: str = "whitespace") -> SubwordVocabulary:
    return SubwordVocabulary.learned(ENGLISH, size, tokenizer(name))


SHARED = learned()


def test_ids_and_symbols() -> None:
    assert SHARED.eos == 0
    assert SHARED.unk is None
    assert len(SHARED) == 301


def test_common_words_are_one_piece_and_rare_ones_several() -> None:
    cat, unseen = SHARED.encode(["cat", "zebra"]).lengths.tolist()

    assert cat == 2  # the end symbol counts
    assert unseen > 3


def test_a_word_has_the_same_pieces_wherever_it_stands() -> None:
    first, second = SHARED.encode(["cat the", "the cat"]).tokens.tolist()

    assert first == [second[1], second[0], 0]


@pytest.mark.parametrize("text", UNSEEN.values(), ids=UNSEEN)
def test_text_never_seen_comes_back_in_every_script(text: str) -> None:
    encoded = SHARED.encode([text])

    assert SHARED.decode(encoded) == [text]
    assert int(encoded.tokens.max()) < len(SHARED)
    assert SHARED.words(encoded).ids.tolist() == SHARED.number_words(text.split())


# The reader refuses NUL, and halves of characters are no text at all.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.lists(TEXTS, max_size=4))
def test_decode_undoes_encode(texts: list[str]) -> None:
    spaced = [" ".join(text.split()) for text in texts]

    encoded = SHARED.encode(texts)

    assert SHARED.decode(encoded) == spaced
    assert (encoded.lengths >= 1).all()


@given(st.lists(st.lists(st.integers(1, 300), max_size=9), max_size=4))
def test_whatever_is_written_is_a_line_of_plain_text(rows: list[list[int]]) -> None:
    texts = SHARED.decode(Sentences.from_flat(Flat.from_lists(rows), SHARED.eos))

    assert len(texts) == len(rows)
    for text in texts:
        text.encode("utf-8")
        assert "\0" not in text
        assert text == " ".join(text.split())


def test_bytes_that_are_no_character_are_replaced() -> None:
    # The space, two bytes of the letter, the end: cut in the middle of the letter.
    whole = SHARED.encode(["é"])

    assert SHARED.decode(Sentences(whole.tokens, whole.lengths - 2)) == ["\ufffd"]


def test_equal_texts_have_equal_words_whatever_their_pieces() -> None:
    whole = SHARED.encode(["the cat"])
    # Every byte has a piece of its own, which is saved under a visible letter.
    ids = SHARED.to_json()["pieces"]["model"]["vocab"]
    apart = torch.tensor([[ids[letter] + 1 for letter in "the\u0120cat"]])
    other = Sentences(apart, torch.tensor([apart.shape[1]]))

    assert other.lengths.tolist() != whole.lengths.tolist()
    assert SHARED.decode(other) == SHARED.decode(whole) == ["the cat"]
    assert SHARED.words(other).ids.tolist() == SHARED.words(whole).ids.tolist()


@pytest.mark.parametrize("name", TOKENIZERS)
def test_words_are_those_of_the_tokenizer(name: str) -> None:
    vocabulary = learned(name=name)
    texts = ["the cat, sat.", "", "the cat sat"]
    split = tokenizer(name).split

    words = vocabulary.words(vocabulary.encode(texts))

    assert words.lengths.tolist() == [len(split(text)) for text in texts]
    assert words.ids.tolist() == vocabulary.number_words([w for text in texts for w in split(text)])


def test_numbers_of_words_stay_as_they_are() -> None:
    vocabulary = learned()

    assert vocabulary.number_words(["emu", "cat", "emu"]) == [1, 2, 1]
    assert vocabulary.words(vocabulary.encode(["a cat", "emu"])).ids.tolist() == [3, 2, 1]
    padded = vocabulary.in_words(vocabulary.encode(["a cat", "emu"]))
    assert padded.tokens.tolist() == [[3, 2, 0], [1, 0, 0]]
    assert padded.lengths.tolist() == [3, 2]


def test_every_word_without_white_space_can_be_written() -> None:
    assert SHARED.covers(["zebra", "猫"])
    assert not SHARED.covers(["zebra", "two words"])
    assert not SHARED.covers([""])


def test_json_there_and_back_without_learning_again(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = json.dumps(SHARED.to_json())
    monkeypatch.setattr(SubwordVocabulary, "learned", None)

    loaded = vocabulary_from_json(json.loads(saved))

    assert loaded.to_json() == SHARED.to_json()
    assert len(loaded) == len(SHARED)
    texts = list(UNSEEN.values())
    assert torch.equal(loaded.encode(texts).tokens, SHARED.encode(texts).tokens)


def test_the_same_texts_give_the_same_pieces() -> None:
    assert learned().to_json() == SHARED.to_json()
    assert learned(301).to_json() != SHARED.to_json()


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "subwords"},
        {"kind": "subwords", "tokenizer": "whitespace", "pieces": []},
        {"kind": "subwords", "tokenizer": "whitespace", "pieces": {}},
        {"kind": "subwords", "tokenizer": "whitespace", "pieces": {"model": {"type": "BPE"}}},
    ],
)
def test_damaged_json_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(UserError, match="the vocabulary is damaged"):
        vocabulary_from_json(data)


def test_fewer_pieces_than_bytes_are_refused() -> None:
    with pytest.raises(UserError, match="subwords must be 256 or more, one for each byte, not 255"):
        learned(255)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(UserError, match=r"pip install 'sda-text\[subwords\]'"):
        learned()
    with pytest.raises(UserError, match=r"pip install 'sda-text\[subwords\]'"):
        vocabulary_from_json(SHARED.to_json())


def test_a_piece_is_not_cut_where_characters_are_words() -> None:
    vocabulary = learned(name="characters")
    text = "the zebra sat"
    sentences = vocabulary.encode([text])

    for most in range(1, 9):
        (found,) = vocabulary.decode(vocabulary.cut(sentences, most))
        assert text.startswith(found) and len(found) <= most


@pytest.mark.parametrize("name", ["whitespace", "words"])
def test_sentences_are_cut_after_whole_words(name: str) -> None:
    vocabulary = learned(name=name)
    texts = ["the zebra sat, didn't it?", "सताने वाले 👩 狐狸", "cat", ""]
    sentences = vocabulary.encode(texts)
    chosen = tokenizer(name)

    assert vocabulary.tokens_in(3) is None
    for most in range(1, 9):
        found = vocabulary.decode(vocabulary.cut(sentences, most))
        assert found == [chosen.join(chosen.split(text)[:most]) for text in texts]


def test_what_is_short_enough_keeps_its_end() -> None:
    sentences = SHARED.encode(["the cat", "the cat sat"])

    kept = SHARED.cut(sentences, 2)

    assert kept.lengths.tolist() == [3, 2]
    assert kept.tokens[0].tolist() == sentences.tokens[0].tolist()
    assert kept.tokens[1, 2:].tolist() == [0, 0]
