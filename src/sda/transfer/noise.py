"""What a model learns to undo: words of the style masked, words dropped, words shuffled."""

from __future__ import annotations

from typing import NamedTuple

import torch
from pydantic.fields import Field
from torch import Tensor

from sda.text.sentences import Sentences
from sda.training.stages import Section
from sda.transfer.style_words import StyleWords

FIRST_SLOTS = 8
"""The slots that sentences have in practice; no more of them need to be learned."""


class NoiseSettings(Section):
    """What is done to a sentence before the model restores it."""

    masked: float = Field(default=0.75, ge=0, le=1)
    """Share of the sentences whose style words are masked; the others are dropped from and
    shuffled alone. 0 is plain noise, from which a model learns to copy."""
    lowest: float = 0.6
    """A word is of the style if its log-odds are above a number drawn for its sentence from here"""
    highest: float = 2.2
    """to here."""
    random_masks: float = Field(default=0.05, ge=0, le=1)
    """Share of the other words of such a sentence that are masked too."""
    drops: float = Field(default=0.04, ge=0, le=1)
    """Share of the words of such a sentence that are left out."""
    plain_drops: float = Field(default=0.1, ge=0, le=1)
    """Share of the words of the other sentences that are left out."""
    shuffled: float = Field(default=3.0, ge=0)
    """How far words of the other sentences move, about."""
    unknown: float = Field(default=0.03, ge=0, le=1)
    """Share of the words that are unknown in the sentence and in what is left of it, so that the
    model learns to copy words that it does not know."""


class Masks(NamedTuple):
    """The words of styles, and the id that stands where some were."""

    words: StyleWords
    mask: int

    def masked(self, sentences: Sentences, is_masked: Tensor) -> Sentences:
        """The sentences with the mask in place of these words (B, T), one for neighbours."""
        tokens = sentences.tokens.masked_fill(is_masked & ~_ends(sentences), self.mask)
        return self.joined(Sentences(tokens, sentences.lengths))

    def joined(self, sentences: Sentences) -> Sentences:
        """The sentences with one mask where several stood in a row."""
        hidden = sentences.tokens == self.mask
        again = hidden & torch.cat((torch.zeros_like(hidden[:, :1]), hidden[:, :-1]), 1)
        return without(sentences, again)


def noisy(
    sentences: Sentences,
    styles: Tensor,
    masks: Masks,
    settings: NoiseSettings,
    rng: torch.Generator,
) -> Sentences:
    """The sentences, of these styles (B,), as the model gets to see them; their ends stay."""
    rows, columns = sentences.tokens.shape
    chance = torch.rand(3, rows, columns, generator=rng)
    lot, height = torch.rand(2, rows, 1, generator=rng)
    is_masked = lot < settings.masked
    least = settings.lowest + (settings.highest - settings.lowest) * height
    of_style = masks.words.of_style(sentences, styles) > least
    hidden = is_masked & (of_style | (chance[0] < settings.random_masks)) & ~_ends(sentences)
    # Kept first, then put into another order: near places may change, masked sentences stay.
    drops = torch.where(is_masked, settings.drops, settings.plain_drops)
    dropped = (chance[1] < drops) & ~hidden & ~_ends(sentences)
    tokens = sentences.tokens.masked_fill(hidden, masks.mask)
    places = torch.arange(columns) + chance[2] * settings.shuffled * ~is_masked
    # Ends and padding stay behind the words.
    last = columns + settings.shuffled + torch.arange(columns)
    order = places.where(torch.arange(columns) < sentences.lengths[:, None] - 1, last).argsort(1)
    moved = Sentences(tokens.gather(1, order), sentences.lengths)
    return masks.joined(without(moved, dropped.gather(1, order)))


def with_unknown(sentences: Sentences, known: int, share: float, rng: torch.Generator) -> Sentences:
    """The sentences with slots in place of this share of their words; slots begin at `known`."""
    tokens = sentences.tokens
    chosen = torch.rand(tokens.shape, generator=rng) < share
    slots = known + torch.randint(FIRST_SLOTS, tokens.shape, generator=rng)
    return Sentences(tokens.where(~chosen | _ends(sentences), slots), sentences.lengths)


def without(sentences: Sentences, dropped: Tensor) -> Sentences:
    """The sentences without these words (B, T)."""
    kept = sentences.mask & ~dropped
    order = (~kept).byte().argsort(dim=1, stable=True)
    lengths = kept.sum(1)
    tokens = sentences.tokens.gather(1, order)
    return Sentences(tokens, lengths).cut(lengths).trimmed()


def _ends(sentences: Sentences) -> Tensor:
    """(B, T) true where a sentence ends, and on padding."""
    return torch.arange(sentences.tokens.shape[1]) >= sentences.lengths[:, None] - 1
