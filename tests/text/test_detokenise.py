"""Tokenised lines become ordinary sentences, and ordinary sentences stay what they are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.text.detokenise import AMERICAN, americanise, detokenise

WORDS = ("a", "i", "the", "man", "dogs", "Paris", "co-op", "5", "12", "600", "2016", "year", "old")
MARKS = (*".,;:!?'\"()[]-$%/", "...", "--", "``", "''", "n't", "'s", "'ll", "s", "t", "re", "&")
tokens = st.lists(st.sampled_from(WORDS + MARKS), max_size=12)


def letters(text: str) -> str:
    return re.sub(r"\W", "", text).lower()


@pytest.mark.parametrize(
    ("tokenised", "printed"),
    [
        (
            "a man is riding a bike , and he 's happy .",
            "A man is riding a bike, and he's happy.",
        ),
        ("", ""),
        ("   ", ""),
        ("a  motorcycle\t.", "A motorcycle."),
        ("a motorcycle", "A motorcycle."),
        ("what ?", "What?"),
        ("he left ...", "He left..."),
        ("he said `` yes ''", 'He said "yes".'),
        ('" yes . "', '"Yes."'),
        ("( a dog )", "(A dog)."),
        # Contractions in both ways of splitting.
        ("they do n't , ca n't and wo n't", "They don't, can't and won't."),
        ("it isn ' t , and that ' s it", "It isn't, and that's it."),
        ("i ' m sure they ' ll say we ' ve lost", "I'm sure they'll say we've lost."),
        ("i 'm gon na go , i wan na go , i 've got ta", "I'm gonna go, I wanna go, I've gotta."),
        ("the dog 's bowl and the dogs ' bowls", "The dog's bowl and the dogs' bowls."),
        # The pronoun, and what looks like it.
        ("so i did , and i. so did i", "So I did, and I. so did I."),
        ("some , i.e. two , said hi-i", "Some, i.e. two, said hi-i."),
        # Quotations, whole, cut off at either end, and more than one.
        ('" we won , " he said .', '"We won," he said.'),
        ('we won , " he said .', 'We won," he said.'),
        ('he said : " we won .', 'He said: "we won.'),
        ('" a , " he said . " b .', '"A," he said. "b.'),
        ("he said : ' it ' s late ' .", "He said: 'it's late'."),
        ("the players ' union and the owners ' club", "The players' union and the owners' club."),
        ('it was the " best " , he said', 'It was the "best", he said.'),
        # Numbers and signs.
        ("over 1 , 600 a day , of 12 , 000 , 000", "Over 1,600 a day, of 12,000,000."),
        ("in 2010 , 300 came", "In 2010, 300 came."),
        ("£ 12 , 000 or $ 3 . 5 at 5 : 30", "£12,000 or $3.5 at 5:30."),
        ("they won 22 - 6 , 1 / 2 of 13 %", "They won 22-6, 1/2 of 13%."),
        ("the U . S . at 5 p . m .", "The U.S. at 5 p.m."),
        # Hyphens where no dash can be meant, and no others.
        ("a 28 - year - old semi - final", "A 28-year-old semi-final."),
        ("a two - year - old in a 10 - mile run", "A two-year-old in a 10-mile run."),
        ("a long - term plan - but no more", "A long - term plan - but no more."),
        # Capitals of its own are kept.
        ("iPhone users", "iPhone users."),
        ("NASA said so", "NASA said so."),
        ("3 men", "3 men."),
    ],
)
def test_by_hand(tokenised: str, printed: str) -> None:
    assert detokenise(tokenised) == printed
    assert detokenise(printed) == printed


@given(tokens)
def test_what_is_printed_stays(words: list[str]) -> None:
    once = detokenise(" ".join(words))

    assert detokenise(once) == once


@given(tokens)
def test_no_letter_comes_or_goes(words: list[str]) -> None:
    text = " ".join(words)

    assert letters(detokenise(text)) == letters(text)


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    printed = detokenise(text)

    assert printed == " ".join(printed.split())
    assert bool(printed) == bool(text.split())


def test_the_seven_words_of_the_paper() -> None:
    text = "Per cent of organisations realise the behaviour of a programme metres off the centre"

    assert americanise(text) == (
        "Percent of organizations realize the behavior of a program meters off the center"
    )
    assert all(americanise(word) == word for word in AMERICAN.values())


@pytest.mark.parametrize("text", ["programmes", "epicentre", "paper cents", "colour", "PERCENT"])
def test_other_words_are_not_respelled(text: str) -> None:
    assert americanise(text) == text
