"""The rules of the caption grammar, from its phrases to whole captions.

What makes it hard for a model with a short memory: the verb agrees with a subject that a phrase or
a clause may separate from it, pronouns at the end agree with the subject at the beginning, verbs
select their objects, places and prepositions, and adjectives stand between words that select each
other. No caption has two derivations.

`agree` names the pronoun of the subject: he, she, it or they. `who` is its class of verbs: person,
animal, vehicle or thing. The lengths that docstrings state make `about` keep to 5 to 20 words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sda.text.captions.expressions import Choice, Expression, Sequence, choice, sequence, words
from sda.text.captions.lexicon import Verb, lexicon
from sda.text.captions.phrases import (
    POSSESSIVE,
    beside,
    either_number,
    measured,
    nominal,
    phrase,
    ranked,
    somewhere,
    spread,
    target,
    with_article,
)

BE = {"he": "is", "she": "is", "it": "is", "they": "are"}
OBJECTIVE = {"he": "him", "she": "her", "it": "it", "they": "them"}
REFLEXIVE = {"he": "himself", "she": "herself", "it": "itself", "they": "themselves"}
SUBJECTS = (
    (0.20, "person", "he"),
    (0.20, "person", "she"),
    (0.22, "person", "they"),
    (0.14, "animal", "it"),
    (0.10, "animal", "they"),
    (0.04, "vehicle", "it"),
    (0.03, "vehicle", "they"),
    (0.04, "thing", "it"),
    (0.03, "thing", "they"),
)
# People besides the subject: weight, class, number, pronoun.
OTHERS = (
    (0.35, "man", "one", "he"),
    (0.35, "woman", "one", "she"),
    (0.30, "person", "many", "they"),
)


def noun_class(who: str, agree: str) -> str:
    """The class of the nouns that are such a subject."""
    return {"he": "man", "she": "woman"}.get(agree, who)


def simple(verb: Verb, agree: str) -> str:
    return verb.base if agree == "they" else verb.third


@cache
def finite(verb: Verb, agree: str) -> Choice:
    """The verb in the present tense, as in "runs" or "is running"."""
    return choice((0.4, sequence(simple(verb, agree))), (0.6, progressive(verb, agree)))


@cache
def progressive(verb: Verb, agree: str) -> Sequence:
    return sequence(BE[agree], verb.participle)


def remark(agree: str) -> Expression:
    """One verb that says by itself what somebody does meanwhile."""
    return ranked(simple(verb, agree) for verb in lexicon().verbs["aside"])


@cache
def complement(verb: Verb, agree: str, size: int) -> Choice | Sequence:
    """The object of the verb, with up to `size` words; nothing for an intransitive verb."""
    if not verb.objects:
        return sequence()
    objects = spread(target(kind, size, agree) for kind in verb.objects)
    return choice((0.8, objects), (0.2 if verb.reflexive else 0.0, sequence(REFLEXIVE[agree])))


@cache
def company(who: str, agree: str) -> Choice:
    """Who is there with the subject, or nobody, in 2 to 4 words."""
    alone = sequence("by", REFLEXIVE[agree])
    options: list[tuple[float, Expression]] = [(0.2, alone), (0.1, sequence("all", alone))]
    if who != "thing":
        kind = {"person": "relative", "animal": "keeper", "vehicle": "driver"}[who]
        own = choice((0.6, nominal(kind, "one", 2)), (0.4, nominal(kind, "many", 2)))
        options.append((0.7, sequence("with", POSSESSIVE[agree], own)))
    return choice(*options)


def noticing(said: Callable[[tuple[Verb, ...], str], Expression]) -> Choice:
    """Somebody besides the subject who notices it, in the form that `said` gives to the verbs."""
    verbs = lexicon().verbs["notice"]
    return choice(
        *(
            (weight, sequence(phrase(kind, number, 3), said(verbs, they)))
            for weight, kind, number, they in OTHERS
        )
    )


@cache
def aside(who: str, agree: str) -> Choice:
    """What else is there or happens, in 3 to 6 words, one of which agrees with the subject."""
    meanwhile = words({"while": 0.6, "as": 0.4})
    noticed = noticing(lambda verbs, they: ranked(simple(verb, they) for verb in verbs))
    nearby = spread(
        phrase(kind, number, 3)
        for kind, number in (
            ("animal", "one"),
            ("luggage", "one"),
            ("person", "many"),
            ("animal", "many"),
        )
    )
    options: list[tuple[float, Expression]] = [
        (0.4, sequence(meanwhile, noticed, OBJECTIVE[agree])),
        (0.25, sequence("with", nearby, beside(), OBJECTIVE[agree])),
    ]
    if who == "person":
        relatives = choice(
            (0.6, sequence(nominal("relative", "one", 2), remark("it"))),
            (0.4, sequence(nominal("relative", "many", 2), remark("they"))),
        )
        options.append((0.2, sequence(meanwhile, agree, remark(agree))))
        options.append((0.25, sequence(meanwhile, POSSESSIVE[agree], relatives)))
    return choice(*options)


@cache
def subject(who: str, agree: str, size: int, definite: bool = True) -> Choice:
    """A subject of 2 to `size` words."""
    number = "many" if agree == "they" else "one"
    plain = phrase(noun_class(who, agree), number, size, definite=definite)
    if who != "thing" or size < 4:
        return plain
    meals = spread(measured(kind, number, size, definite) for kind in ("food", "drink"))
    return choice((0.5, plain), (0.5, meals))


@cache
def group(who: str, agree: str) -> Choice | Sequence:
    """A subject of 4 to 6 words that names one of several, or several one by one."""
    if agree != "they":
        several = nominal(noun_class(who, agree), "many", 2)
        return sequence(words({"one": 0.7, "each": 0.3}), "of the", several)
    if who != "person":
        one = phrase(who, "one", 2)
        noun = nominal(who, "one", 1)
        pair = sequence(one, "and", one)
    else:
        noun = choice((0.5, nominal("man", "one", 1)), (0.5, nominal("woman", "one", 1)))
        relatives = choice(
            (0.6, nominal("relative", "one", 2)), (0.4, nominal("relative", "many", 2))
        )
        pair = sequence(
            choice(
                (0.5, sequence(phrase("man", "one", 2), "and his")),
                (0.5, sequence(phrase("woman", "one", 2), "and her")),
            ),
            relatives,
        )
    return choice((0.4, sequence("both the", noun, "and the", noun)), (0.6, pair))


@cache
def modifier(who: str, agree: str) -> Choice:
    """What tells the subject from others, in 2 to 4 words after it."""
    options: list[tuple[float, Expression]] = [
        (0.4, sequence(beside(), either_number("landmark", 3)))
    ]
    if who == "person":
        clothes = nominal("clothing", "many", 3)
        if agree != "they":
            clothes = with_article(nominal("clothing", "one", 2))
        options.append((0.35, sequence("in", clothes)))
        options.append((0.25, sequence("with", either_number("luggage", 3))))
    return choice(*options)


@cache
def clause(who: str, agree: str) -> Choice:
    """A relative clause of 3 to 6 words: what the subject does, or who looks at it."""
    looking = noticing(lambda verbs, they: spread(finite(verb, they) for verb in verbs))
    if who == "thing":
        return choice((1.0, sequence("that", looking)))
    doing = predicate(who, agree, "finite", 3, "near?")
    if who == "person":
        return choice((1.0, sequence("who", doing)))
    return choice((0.7, sequence("that", doing)), (0.3, sequence("that", looking)))


@cache
def predicate(who: str, agree: str, form: str, size: int, ending: str) -> Choice:
    """A verb, its object of up to `size` words, and the ending.

    The form is finite, progressive or participle. The ending is a sequence of place, company and
    aside; with a question mark the place (4 words, or 3 if near) follows intransitive verbs only.
    """
    options = []
    for verb in lexicon().verbs[who]:
        heads: dict[str, Expression] = {
            "finite": finite(verb, agree),
            "progressive": progressive(verb, agree),
            "participle": sequence(verb.participle),
        }
        parts = [heads[form], complement(verb, agree, size)]
        for part in ending.split():
            if part == "company":
                parts.append(company(who, agree))
            elif part == "aside":
                parts.append(aside(who, agree))
            elif part == "place" or not verb.objects:
                parts.append(somewhere(verb.setting, verb.motion, 3 if part == "near?" else 4))
        options.append(sequence(*parts))
    return spread(options)


@cache
def fronted(who: str, agree: str) -> Choice:
    """A caption that begins with the place, of 6 to 20 words."""
    ending = choice((0.4, sequence()), (0.4, aside(who, agree)), (0.2, company(who, agree)))
    return spread(
        sequence(
            somewhere(verb.setting, verb.motion, 4),
            subject(who, agree, 4),
            finite(verb, agree),
            complement(verb, agree, 4),
            ending,
        )
        for verb in lexicon().verbs[who]
    )


@cache
def about(who: str, agree: str) -> Choice:
    """A caption about such a subject, of 5 to 20 words."""

    def does(form: str, size: int, endings: dict[str, float]) -> Choice:
        return choice(
            *((weight, predicate(who, agree, form, size, end)) for end, weight in endings.items())
        )

    # A finite verb without an ending could leave four words: "the boys eat apples".
    brief = does("progressive", 4, {"place?": 1.0})
    tails = {"place": 3.0, "aside": 3.0, "company": 1.0, "place company": 1.0}
    plain = does("finite", 4, tails | {"place aside": 2.0})
    grouped = does("finite", 4, tails | {"place?": 2.0})
    modified = does("finite", 3, tails | {"place?": 2.0})
    qualified = does("finite", 3, {"place?": 2.0, "place": 3.0, "aside": 3.0, "company": 1.0})
    present = does("participle", 4, tails | {"place?": 2.0})
    short, full = subject(who, agree, 3), subject(who, agree, 4)
    return choice(
        # One sequence, not two: what both say in the same words then has a single path.
        (0.34, sequence(full, choice((0.2, brief), (0.8, plain)))),
        (0.10, sequence(group(who, agree), grouped)),
        (0.22, sequence(short, modifier(who, agree), modified)),
        (0.14, sequence(short, clause(who, agree), qualified)),
        (0.10, fronted(who, agree)),
        (0.10, sequence("there", BE[agree], subject(who, agree, 4, definite=False), present)),
    )


def caption() -> Choice:
    """Every caption, with its probability."""
    return choice(*((weight, about(who, agree)) for weight, who, agree in SUBJECTS))
