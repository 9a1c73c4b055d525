"""The phrases of the caption grammar: nouns with their determiners and adjectives, and places.

`size` is the largest number of words that a phrase may have. `number` is one, many or mass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from sda.text.captions.expressions import (
    Choice,
    Expression,
    Sequence,
    Words,
    choice,
    sequence,
    words,
)
from sda.text.captions.lexicon import lexicon

POSSESSIVE = {"he": "his", "she": "her", "it": "its", "they": "their"}
# The plural of persons joins nouns that differ in gender with nouns that have none.
PERSONS = ((0.5, "people"), (0.25, "man"), (0.25, "woman"))


def zipf(rank: int) -> float:
    """The weight of the word of this rank, from 0: Zipf's law without its steepest step."""
    return 1 / (rank + 2)


def ranked(items: Iterable[str]) -> Words:
    """One of the words, the earlier the likelier."""
    return words({item: zipf(rank) for rank, item in enumerate(items)})


def spread(items: Iterable[Expression]) -> Choice:
    """One of the expressions, the earlier the likelier."""
    return choice(*((zipf(rank), item) for rank, item in enumerate(items)))


def starting(expression: Expression, keep: Callable[[str], bool]) -> tuple[float, Expression]:
    """The probability that the first word is one to keep, and the expression given that it is."""
    if isinstance(expression, Words):
        kept = {word: p for word, p in expression.probs.items() if keep(word)}
        return sum(kept.values()), words(kept) if kept else expression
    if isinstance(expression, Sequence):
        share, head = starting(expression.parts[0], keep)
        return share, sequence(head, *expression.parts[1:])
    parts = [(weight, *starting(option, keep)) for weight, option in expression.options]
    share = sum(weight * inner for weight, inner, _ in parts)
    restricted = [(weight * inner, option) for weight, inner, option in parts]
    return share, choice(*restricted) if share else expression


def takes_an(word: str) -> bool:
    return word[0] in "aeiou" and not word.startswith("uni")


def with_article(expression: Expression) -> Choice:
    """The expression after "a" or "an", as its first word asks."""
    share, after_an = starting(expression, takes_an)
    _, after_a = starting(expression, lambda word: not takes_an(word))
    return choice((1 - share, sequence("a", after_a)), (share, sequence("an", after_an)))


@cache
def nominal(kind: str, number: str, size: int) -> Choice:
    """A noun of the class with the adjectives that fit before it, at most two."""
    if kind == "person":
        return choice(*((weight, nominal(part, number, size)) for weight, part in PERSONS))
    noun = lexicon().nouns[kind]
    head = ranked(noun.forms(number))
    slots = [
        spread(ranked(lexicon().adjectives[group]) for group in slot.split())
        for slot in noun.adjectives
    ]
    options = [(0.55, sequence(head))]
    if size > 1:
        options += [(0.35 / len(slots), sequence(slot, head)) for slot in slots]
    if size > 2 and len(slots) == 2:
        options.append((0.2, sequence(*slots, head)))
    return choice(*options)


@cache
def phrase(kind: str, number: str, size: int, owner: str = "", definite: bool = True) -> Choice:
    """A noun with its determiner; given an owner, a pronoun, this may be the owner's possessive."""
    noun = nominal(kind, number, size - 1)
    options: list[tuple[float, Expression]] = []
    if number == "one":
        options += [(0.5, with_article(noun)), (0.06, sequence("another", noun))]
    elif number == "mass":
        options.append((0.5, sequence("some", noun)))
    else:
        counts = {"two": 0.4, "some": 0.2, "three": 0.15, "several": 0.15, "many": 0.1}
        options.append((0.6, sequence(words(counts), noun)))
    if definite:
        options.append((0.3, sequence("the", noun)))
    if owner:
        options.append((0.25, sequence(POSSESSIVE[owner], noun)))
    return choice(*options)


@cache
def either_number(kind: str, size: int) -> Choice:
    """A count noun with its determiner, in the singular or in the plural."""
    return choice((0.6, phrase(kind, "one", size)), (0.4, phrase(kind, "many", size)))


@cache
def measured(kind: str, number: str, size: int, definite: bool = True) -> Sequence:
    """Plates of pasta: the number is that of the plates, which the verb agrees with."""
    noun = lexicon().nouns[kind]
    contents = choice(*((1.0, ranked(forms)) for forms in (noun.mass, noun.many) if forms))
    return sequence(phrase(noun.measure, number, size - 2, definite=definite), "of", contents)


@cache
def target(kind: str, size: int, owner: str) -> Choice:
    """What a verb is done to, in any number that the class has."""
    noun = lexicon().nouns[kind]
    options: list[tuple[float, Expression]] = []
    if noun.one:
        options.append((0.6, phrase(kind, "one", size, owner)))
    if noun.many:
        options.append((0.2, phrase(kind, "many", size, owner)))
        options.append((0.1, nominal(kind, "many", size)))
    if noun.mass:
        options.append((0.2, phrase(kind, "mass", size, owner)))
        options.append((0.15, nominal(kind, "mass", size)))
    if noun.measure and size >= 4:
        options.append((0.15, measured(kind, "one", size)))
        options.append((0.05, measured(kind, "many", size)))
    if noun.bare:
        options.append((1.0, ranked(noun.bare)))
    return choice(*options)


@cache
def beside() -> Words:
    """A preposition that goes with anything that stands somewhere."""
    return ranked(lexicon().places["landmark"].prepositions)


@cache
def somewhere(setting: str, motion: bool, size: int) -> Choice:
    """A place of the setting after a preposition that suits it, and suits the kind of verb."""
    adjective = ranked(lexicon().adjectives["spot"])
    options = []
    for name in lexicon().settings[setting]:
        place = lexicon().places[name]
        noun: Expression = ranked(place.nouns)
        if size >= 4:
            noun = choice((0.6, noun), (0.4, sequence(adjective, noun)))
        where: Expression = ranked(place.prepositions)
        if motion:
            where = choice((0.5, where), (0.5, ranked(place.motion)))
        options.append(
            sequence(where, choice((0.7, sequence("the", noun)), (0.3, with_article(noun))))
        )
    return spread(options)
