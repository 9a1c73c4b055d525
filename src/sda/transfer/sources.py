"""Styled sentences without any data, and the exact check of what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Protocol

import torch

from sda.errors import UserError
from sda.randomness import seeded
from sda.transfer import reviews, tense
from sda.transfer.styled import StyledTexts


class _Sampler(Protocol):
    def __call__(self, size: int, rng: torch.Generator) -> list[str]: ...


class _Pairs(Protocol):
    def __call__(self, size: int, rng: torch.Generator) -> tuple[list[str], list[str]]: ...


class _Check(Protocol):
    def __call__(self, sources: Sequence[str], outputs: Sequence[str], to: int) -> list[bool]: ...


class _Grammar(NamedTuple):
    styles: tuple[str, ...]
    samplers: tuple[_Sampler, ...]
    pairs: _Pairs
    check: _Check


def _past_captions(size: int, rng: torch.Generator) -> list[str]:
    return list(map(tense.in_past, tense.sample_captions(size, rng)))


def _tense_pairs(size: int, rng: torch.Generator) -> tuple[list[str], list[str]]:
    present = tense.sample_captions(size, rng)
    return present, list(map(tense.in_past, present))


GRAMMARS = {
    "reviews": _Grammar(
        reviews.STYLES,
        tuple(partial(reviews.sample_reviews, style) for style in range(len(reviews.STYLES))),
        reviews.sample_review_pairs,
        reviews.are_right_reviews,
    ),
    "tense": _Grammar(
        tense.STYLES,
        (tense.sample_captions, _past_captions),
        _tense_pairs,
        tense.are_right_tenses,
    ),
}
SOURCES = tuple(GRAMMARS)
"""The names of the sources."""


def styled_source(name: str, size: int, seed: int) -> StyledTexts:
    """So many sentences of each style; no sentence is drawn as the rewriting of another."""
    grammar = _grammar(name)
    texts = [
        tuple(draw(size, rng=seeded(seed, name, style)))
        for style, draw in zip(grammar.styles, grammar.samplers, strict=True)
    ]
    return StyledTexts(grammar.styles, tuple(texts))


def true_pairs(name: str, size: int, seed: int) -> tuple[list[str], list[str]]:
    """So many sentences of the first style, and one right rewriting of each in the second."""
    return _grammar(name).pairs(size, seeded(seed, name, "pairs"))


def is_right(name: str, sources: Sequence[str], outputs: Sequence[str], to: str) -> list[bool]:
    """Whether each output is a right rewriting of its source in the style `to`.

    A source that is no sentence of the other style has no right rewriting, and a copy is never one.
    """
    grammar = _grammar(name)
    if to not in grammar.styles:
        raise UserError(f"there is no style {to!r}: there are {', '.join(grammar.styles)}.")
    if len(sources) != len(outputs):
        raise ValueError(f"{len(outputs)} rewritings of {len(sources)} sentences")
    return grammar.check(sources, outputs, grammar.styles.index(to))


def _grammar(name: str) -> _Grammar:
    if name not in GRAMMARS:
        raise UserError(f"there is no source {name!r}: there are {', '.join(SOURCES)}.")
    return GRAMMARS[name]
