"""Words with ids, words with slots, and words of a style."""

import torch
from fakes import sentences_of
from hypothesis import given
from hypothesis import strategies as st

from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer
from sda.transfer.style_words import StyleWords
from sda.transfer.word_slots import SLOTS, WordSlots

TEXTS = ["a b c", "a b", "a \ue0001"]
SLOTTED = WordSlots.of(TEXTS, 2, tokenizer("whitespace"))


def test_frequent_words_come_first_and_slots_last() -> None:
    assert SLOTTED.known == 3
    assert len(SLOTTED) == 3 + SLOTS
    assert SLOTTED.vocabulary.known[:2] == ("a", "b")


def test_unknown_words_have_slots_in_order() -> None:
    found, unknown = SLOTTED.encode(["x a y x", ""])

    assert found.tokens.tolist() == [[3, 1, 4, 3, 0], [0] * 5]
    assert unknown == [["x", "y"], []]


@given(st.lists(st.lists(st.text("ab\ue0001xyz中", min_size=1), max_size=SLOTS), max_size=4))
def test_a_text_comes_back_whatever_its_words_are(words: list[list[str]]) -> None:
    texts = [" ".join(found) for found in words]
    found, unknown = SLOTTED.encode(texts)

    assert SLOTTED.decode(found, unknown) == texts


def test_a_slot_that_stands_for_nothing_is_left_out() -> None:
    assert SLOTTED.decode(sentences_of([1, 3, 4, 2, 0]), [["x"]]) == ["a x b"]


def test_slots_survive_json() -> None:
    assert WordSlots.from_json(SLOTTED.to_json()) == SLOTTED


# Ids: 1 the, 2 soup, 3 good, 4 bad, 5 not.
BAD = sentences_of(*[[1, 2, 4, 0]] * 80, *[[1, 2, 5, 3, 0]] * 40)
GOOD = sentences_of(*[[1, 2, 3, 0]] * 80, *[[1, 2, 5, 4, 0]] * 40)


def words() -> StyleWords:
    return StyleWords.of([BAD, GOOD], ids=8, known=6)


def test_a_word_is_of_the_style_that_has_it_more_often() -> None:
    odds = words().words

    # Both styles have as many words: bad 80 + 1 times against 40 + 1.
    assert torch.allclose(odds[0, 4], torch.tensor(81 / 41).log())
    assert torch.allclose(odds[0], -odds[1])
    assert odds[:, [0, 1, 2, 5, 6, 7]].abs().max() < 1e-6


def test_two_words_say_what_neither_says_alone() -> None:
    found = words().odds(sentences_of([1, 2, 5, 3, 0], [1, 2, 4, 0]))

    # "not good" is bad: it has 40 + 5 against 0 + 5 of as many pairs.
    assert torch.allclose(found[0, 0, 2:4], torch.tensor(9.0).log())
    # "soup bad" is not counted, since "bad" says it already.
    assert float(found[0, 1, 1]) < 0.1


def test_what_is_of_any_other_style() -> None:
    three = StyleWords.of(
        [sentences_of([1, 0]), sentences_of([2, 0]), sentences_of([3, 0])], ids=5, known=4
    )
    found = three.of_others(sentences_of([1, 2, 3, 0]), torch.tensor([2]))

    assert (found[0] > 0.5).tolist() == [True, True, False, False]


def test_style_words_survive_saving() -> None:
    before = words()
    after = StyleWords.from_tensors(before.tensors())
    sentences = Sentences.join([BAD, GOOD])

    assert torch.equal(before.odds(sentences), after.odds(sentences))
