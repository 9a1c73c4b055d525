"""Sentences of a generator as they are scored: about what validation sentences are about."""

from __future__ import annotations

import torch

from sda.models.generator import Generator
from sda.sampling import Decoding, Write, sample
from sda.text.corpus import draw_contexts
from sda.text.sentences import Sentences


def writer(
    generator: Generator, valid: Sentences, decoding: Decoding, rng: torch.Generator
) -> Write:
    """What writes with the generator, for a selection too."""

    def write(n: int, copies: int = 1, /) -> Sentences:
        about = draw_contexts(valid, n, rng, copies)
        return sample(generator, n, rng, decoding, context=about)

    return write
