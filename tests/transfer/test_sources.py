"""Sources without data: what is drawn, and what is a right rewriting of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.errors import UserError
from sda.text.captions.caption_grammar import caption_automaton
from sda.text.captions.lexicon import lexicon
from sda.transfer import reviews, tense
from sda.transfer.sources import SOURCES, is_right, styled_source, true_pairs

NAMES = pytest.mark.parametrize("name", SOURCES)
SEEDS = st.integers(0, 2**31)


@NAMES
@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_pairs_of_the_grammar_are_right_and_copies_are_not(name: str, seed: int) -> None:
    first, second = styled_source(name, 1, 0).names
    left, right = true_pairs(name, 50, seed)

    assert all(is_right(name, left, right, to=second))
    assert all(is_right(name, right, left, to=first))
    for texts, style in ((left, second), (right, first), (left, first), (right, second)):
        assert not any(is_right(name, texts, texts, to=style))
    # The way round: a source that is of the wanted style already.
    assert not any(is_right(name, right, left, to=second))


@NAMES
@settings(max_examples=10, deadline=None)
@given(seed=SEEDS, data=st.data())
def test_a_rewriting_with_another_word_is_wrong(name: str, seed: int, data: st.DataObject) -> None:
    left, right = true_pairs(name, 1, seed)
    words = right[0].split()
    place = data.draw(st.integers(0, len(words) - 1))
    style = styled_source(name, 1, 0).names[1]

    dropped = " ".join(words[:place] + words[place + 1 :])
    strange = " ".join([*words[:place], "xylophone", *words[place + 1 :]])
    twice = " ".join(words + words)

    for wrong in (strange, twice, ""):
        assert is_right(name, left, [wrong], to=style) == [False]
    # A word less may leave an opinion that is right, as "not" before one of the other style does
    # not; it never leaves a caption in the other tense.
    if name == "tense":
        assert is_right(name, left, [dropped], to=style) == [False]


@NAMES
def test_a_source_is_drawn_by_its_seed(name: str) -> None:
    texts = styled_source(name, 30, seed=3)

    assert texts == styled_source(name, 30, seed=3)
    assert texts != styled_source(name, 30, seed=4)
    assert [len(part) for part in texts.texts] == [30, 30]
    assert not set(texts.texts[0]) & set(texts.texts[1])


@NAMES
def test_no_sentence_is_drawn_with_its_rewriting(name: str) -> None:
    texts = styled_source(name, 200, seed=0)

    assert sum(is_right(name, texts.texts[0], texts.texts[1], to=texts.names[1])) < 20


REVIEW = "the soup was not fresh and i hated the waiter at the door , never again ."


@pytest.mark.parametrize(
    ("output", "right"),
    [
        ("the soup was fresh and i loved the waiter at the door , what a treat .", True),
        (
            "the soup was not bland and i did not mind the waiter at the door , i will return .",
            True,
        ),
        # One opinion is left, then the wrong noun, an adjective that does not fit, a lost tail.
        ("the soup was fresh and i hated the waiter at the door , what a treat .", False),
        ("the pizza was fresh and i loved the waiter at the door , what a treat .", False),
        ("the soup was polite and i loved the waiter at the door , what a treat .", False),
        ("the soup was fresh and i loved the waiter , what a treat .", False),
        ("the soup was very fresh and i loved the waiter at the door , what a treat .", False),
        (REVIEW, False),
    ],
)
def test_reviews_by_hand(output: str, right: bool) -> None:
    assert is_right("reviews", [REVIEW], [output], to="positive") == [right]


@pytest.mark.parametrize(
    ("source", "output", "to", "right"),
    [
        ("the boys hold a ball by the wall", "the boys held a ball by the wall", "past", True),
        ("the boys held a ball by the wall", "the boys hold a ball by the wall", "present", True),
        # Agreement, then another verb, then half of the verbs.
        ("the boys held a ball by the wall", "the boys holds a ball by the wall", "present", False),
        ("the boys held a ball by the wall", "the boys throw a ball by the wall", "present", False),
        (
            "a man is walking as a woman films him",
            "a man was walking as a woman films him",
            "past",
            False,
        ),
        (
            "a man is walking as a woman films him",
            "a man was walking as a woman filmed him",
            "past",
            True,
        ),
    ],
)
def test_tenses_by_hand(source: str, output: str, to: str, right: bool) -> None:
    assert is_right("tense", [source], [output], to=to) == [right]


def test_every_finite_form_is_a_word_of_its_own() -> None:
    finite = set(tense.past_forms())
    nouns = {
        word
        for noun in lexicon().nouns.values()
        for forms in (noun.one, noun.many, noun.mass, noun.bare)
        for word in forms
    }
    others = nouns | {verb.participle for verbs in lexicon().verbs.values() for verb in verbs}
    others |= {word for words in lexicon().adjectives.values() for word in words}
    others |= {word for place in lexicon().places.values() for word in place.nouns}

    assert finite <= set(caption_automaton().words)
    assert not finite & others
    assert not set(tense.past_forms().values()) & set(caption_automaton().words)


def test_no_opinion_belongs_to_both_styles_and_neutral_words_are_none() -> None:
    for form in ("adjective", "stressed", "verb"):
        for kind in reviews.NOUNS:
            slot = f"{form} {kind}"
            assert not reviews.opinions(slot, 0).keys() & reviews.opinions(slot, 1).keys()
    for text in ("the soup for lunch is very <adjective .", "i <liking our bar , <closing ."):
        assert reviews.skeleton(text) == text


def test_a_strange_name_is_refused_in_a_sentence() -> None:
    with pytest.raises(UserError, match="no source 'poems': there are reviews, tense"):
        styled_source("poems", 1, 0)
    with pytest.raises(UserError, match="no style 'future': there are present, past"):
        is_right("tense", [], [], to="future")
