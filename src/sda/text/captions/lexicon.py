"""The words of the caption grammar, read from `captions.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Noun:
    """The nouns of one class, by number, and the groups of adjectives for each slot before them."""

    one: tuple[str, ...]
    many: tuple[str, ...]
    mass: tuple[str, ...]
    bare: tuple[str, ...]
    measure: str
    adjectives: tuple[str, ...]

    def forms(self, number: str) -> tuple[str, ...]:
        return {"one": self.one, "many": self.many, "mass": self.mass}[number]


@dataclass(frozen=True)
class Verb:
    """A verb, with what it selects."""

    base: str
    third: str
    participle: str
    objects: tuple[str, ...]
    setting: str
    motion: bool
    reflexive: bool


@dataclass(frozen=True)
class Place:
    """Nouns for places that share their prepositions, some of which need a verb of motion."""

    prepositions: tuple[str, ...]
    motion: tuple[str, ...]
    nouns: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Everything in `captions.toml`; verbs by the class of their subjects."""

    adjectives: dict[str, tuple[str, ...]]
    nouns: dict[str, Noun]
    places: dict[str, Place]
    settings: dict[str, tuple[str, ...]]
    verbs: dict[str, tuple[Verb, ...]]


@cache
def lexicon() -> Lexicon:
    """The words of `captions.toml`."""
    text = resources.files("sda.text.captions").joinpath("captions.toml").read_text("utf-8")
    tables = tomllib.loads(text)
    return Lexicon(
        {name: tuple(group.split()) for name, group in tables["adjectives"].items()},
        {name: _noun(**entry) for name, entry in tables["nouns"].items()},
        {
            name: Place(*(tuple(entry[k].split()) for k in ("prepositions", "motion", "nouns")))
            for name, entry in tables["places"].items()
        },
        {name: tuple(places.split()) for name, places in tables["settings"].items()},
        {
            who: tuple(_verb(**entry) for entry in entries.values())
            for who, entries in tables["verbs"].items()
        },
    )


def _noun(
    adjectives: list[str],
    count: str = "",
    plural: str = "",
    mass: str = "",
    bare: str = "",
    measure: str = "",
) -> Noun:
    return Noun(
        tuple(noun.split("/")[0] for noun in count.split()),
        tuple(_plural(noun) for noun in count.split()) + tuple(plural.split()),
        tuple(mass.split()),
        tuple(bare.split()),
        measure,
        tuple(adjectives),
    )


def _verb(
    forms: str, objects: str = "", setting: str = "", motion: bool = False, reflexive: bool = False
) -> Verb:
    base, third, participle = forms.split()
    return Verb(base, third, participle, tuple(objects.split()), setting, motion, reflexive)


def _plural(noun: str) -> str:
    """The part after the slash of "man/men"; "dogs" for "dog"."""
    return noun.split("/")[1] if "/" in noun else noun + "s"
