"""Opinions about things, good and bad: a grammar that can check every rewriting.

A sentence is a skeleton with a place for every opinion. The noun decides which opinions fit: soup
may be bland and a waiter rude. About one opinion in eight is a negated one, as in "not bland". A
rewriting is right if its skeleton is that of the source and all its opinions are of the other
style and fit; which of the fitting ones it takes is free.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import torch

from sda.text.captions.automaton import Automaton
from sda.text.captions.expressions import Choice, Expression, choice, sequence, words
from sda.transfer.grammar_texts import are_sentences, joined, spelled

STYLES = ("negative", "positive")
NEGATED = 0.12
_PLACE = "<"  # before the names of places for opinions; no word begins so

NOUNS = {
    "food": "pizza steak soup salad burger pasta chicken dessert sandwich coffee",
    "staff": "waiter waitress manager chef cashier hostess bartender owner",
    "place": "room patio kitchen lobby bathroom hotel bar",
    "service": "service delivery repair reservation checkout",
    "price": "price bill fee rate",
}
# Where or when, which is no opinion.
TAILS = {
    "food": ("for lunch", "at dinner", "on the menu", "from the grill"),
    "staff": ("at the counter", "on the phone", "at the door"),
    "place": ("on the second floor", "near the entrance", "in the back"),
    "service": ("on monday", "last night", "this morning"),
    "price": ("for two people", "at the end", "of the meal"),
}
OPENINGS = ("honestly ,", "overall ,", "again ,", "as usual ,", "this week")
STRESS = {"very": 3.0, "so": 2.0, "really": 2.0, "quite": 1.0}
DETERMINERS = {"the": 6.0, "our": 2.0, "their": 2.0, "this": 1.0}

# For each class of nouns, by style.
ADJECTIVES = {
    "food": (
        "bland soggy stale greasy tasteless overcooked burnt",
        "delicious tasty fresh flavorful juicy yummy crispy",
    ),
    "staff": (
        "rude careless arrogant lazy unhelpful impatient",
        "friendly polite helpful attentive kind welcoming",
    ),
    "place": (
        "dirty cramped noisy filthy shabby uncomfortable",
        "clean cozy spacious charming elegant comfortable",
    ),
    "service": (
        "slow sloppy chaotic late unreliable",
        "fast prompt efficient smooth quick",
    ),
    "price": (
        "outrageous excessive ridiculous unfair",
        "reasonable fair affordable modest",
    ),
}
ANY_ADJECTIVES = (
    "terrible awful horrible bad disappointing poor",
    "great good wonderful amazing excellent perfect",
)
VERBS = {
    "food": (
        ("made me sick", "tasted like cardboard", "fell apart"),
        ("melted in my mouth", "tasted like heaven", "won me over"),
    ),
    "staff": (
        ("ignored us", "insulted us", "rushed us", "yelled at us"),
        ("greeted us", "helped us", "thanked us", "smiled at us"),
    ),
    "place": (
        ("disgusted us", "smelled of smoke", "needed a mop"),
        ("delighted us", "smelled of roses", "felt like home"),
    ),
    "service": (
        ("ruined our evening", "wasted our time", "failed us"),
        ("saved our evening", "made our day", "impressed us"),
    ),
    "price": (("shocked us", "scared us away"), ("pleased us", "drew us in")),
}
# What somebody thinks of anything: plain, and the verbs whose negation is of that style.
LIKING = (
    "hated disliked regretted despised",
    "loved enjoyed adored liked",
)
NOT_LIKING = ("like enjoy love", "mind regret hate")
CLOSINGS = (
    ("stay away", "never again", "what a waste", "i want a refund", "we left angry"),
    ("highly recommended", "worth every penny", "what a treat", "i will return", "we left happy"),
)

Phrases = dict[str, float]
"""Opinions with their weights."""


@cache
def opinions(slot: str, style: int) -> Phrases:
    """What may stand in a place for opinions; its name is a form, and the class of its noun."""
    form, _, kind = slot.partition(" ")
    if form == "verb":
        return dict.fromkeys(VERBS[kind][style], 1.0)
    if form == "closing":
        return dict.fromkeys(CLOSINGS[style], 1.0)
    if form == "liking":
        plain, negated = LIKING[style].split(), NOT_LIKING[style].split()
        return _mixed(plain, [f"did not {verb}" for verb in negated])
    plain, others = (_adjectives(kind, number) for number in (style, 1 - style))
    return _mixed(
        plain, [f"not {adjective}" for adjective in others] if form == "adjective" else []
    )


def _adjectives(kind: str, style: int) -> list[str]:
    return [*ADJECTIVES[kind][style].split(), *ANY_ADJECTIVES[style].split()]


def _mixed(plain: Sequence[str], negated: Sequence[str]) -> Phrases:
    share = NEGATED if negated else 0.0
    found = dict.fromkeys(plain, (1 - share) / len(plain))
    return found | {phrase: share / len(negated) for phrase in negated}


def _review(fill: Callable[[str], Expression]) -> Choice:
    """Every sentence, with what `fill` gives for the places of opinions."""
    clause = choice((0.8, _about(fill)), (0.2, _liked(fill)))
    body = choice((0.6, clause), (0.4, sequence(clause, "and", clause)))
    opened = choice((0.75, body), (0.25, sequence(_one_of(OPENINGS), body)))
    closed = sequence(opened, ",", fill("closing"), ".")
    return choice((0.8, sequence(opened, ".")), (0.2, closed))


def _about(fill: Callable[[str], Expression]) -> Choice:
    """A thing, and how it is or what it did."""
    options = []
    for kind, nouns in NOUNS.items():
        copula = words({"was": 3.0, "is": 1.0})
        plain = sequence(copula, fill(f"adjective {kind}"))
        stressed = sequence(copula, words(STRESS), fill(f"stressed {kind}"))
        said = choice((0.5, plain), (0.25, stressed), (0.25, fill(f"verb {kind}")))
        options.append((float(len(nouns.split())), sequence(_thing(kind), said)))
    return choice(*options)


def _liked(fill: Callable[[str], Expression]) -> Expression:
    things = choice(*((float(len(nouns.split())), _thing(kind)) for kind, nouns in NOUNS.items()))
    return sequence(words({"i": 2.0, "we": 1.0}), fill("liking"), things)


@cache
def _thing(kind: str) -> Choice:
    named = sequence(words(DETERMINERS), words(dict.fromkeys(NOUNS[kind].split(), 1.0)))
    return choice((0.7, named), (0.3, sequence(named, _one_of(TAILS[kind]))))


def _one_of(phrases: Sequence[str]) -> Choice:
    return choice(*((1.0, sequence(phrase)) for phrase in phrases))


@cache
def review_automaton(style: int) -> Automaton:
    """All sentences of the style with their probabilities."""

    def fill(slot: str) -> Expression:
        found = opinions(slot, style).items()
        return choice(*((weight, sequence(phrase)) for phrase, weight in found))

    return Automaton(_review(fill))


@cache
def _skeletons() -> Automaton:
    """The same with the names of places where opinions stand."""
    return Automaton(_review(lambda slot: words({f"{_PLACE}{slot}": 1.0})))


@cache
def _opinion_forms() -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds opinions in a text, and the form of each."""
    places = [word for word in _skeletons().words if word.startswith(_PLACE)]
    forms = {
        phrase: "adjective" if form == "stressed" else form
        for place in places
        for form in [place.removeprefix(_PLACE).partition(" ")[0]]
        for style in range(len(STYLES))
        for phrase in opinions(place.removeprefix(_PLACE), style)
    }
    # Longer ones come first, so that "not bland" is found before "bland".
    found = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    return re.compile(rf"(?<!\S)(?:{found})(?!\S)"), forms


def skeleton(text: str) -> str:
    """The sentence with the forms of its opinions in their places."""
    pattern, forms = _opinion_forms()
    return pattern.sub(lambda match: f"{_PLACE}{forms[match[0]]}", text)


def sample_reviews(style: int, size: int, rng: torch.Generator) -> list[str]:
    """So many independent sentences of the style."""
    automaton = review_automaton(style)
    return spelled(automaton, automaton.sample(size, rng))


def sample_review_pairs(size: int, rng: torch.Generator) -> tuple[list[str], list[str]]:
    """Sentences of the first style, and a right rewriting of each in the second."""
    automaton = _skeletons()
    found = automaton.sample(size, rng)
    drawn = np.array(automaton.words, object)[found.ids]
    negative, positive = drawn.copy(), drawn.copy()
    for place in (word for word in automaton.words if word.startswith(_PLACE)):
        where = np.flatnonzero(drawn == place)
        if not len(where):
            continue
        for style, filled in enumerate((negative, positive)):
            phrases = opinions(place.removeprefix(_PLACE), style)
            weights = torch.tensor(list(phrases.values()), dtype=torch.float64)
            numbers = torch.multinomial(weights, len(where), replacement=True, generator=rng)
            filled[where] = np.array(list(phrases), object)[numbers.numpy()]
    return joined(negative, found), joined(positive, found)


def are_right_reviews(sources: Sequence[str], outputs: Sequence[str], to: int) -> list[bool]:
    """Whether each output is a right rewriting of its source in the style."""
    from_other = are_sentences(review_automaton(1 - to), sources)
    in_style = are_sentences(review_automaton(to), outputs)
    return [
        bool(start and end) and skeleton(source) == skeleton(output)
        for start, end, source, output in zip(from_other, in_style, sources, outputs, strict=True)
    ]
