"""Sampling from a Transformer that remembers keys and values, against one that reads again."""

from __future__ import annotations

import torch

from benchmarks import textbook_transformer as textbook
from benchmarks.harness import Row, compare
from sda.models.generator import Frame
from sda.models.transformer import TransformerGenerator
from sda.sampling import sample

VOCABULARY = 2000
LENGTH = 40
SENTENCES = 1000
# What is timed of the textbook's job: whole batches, which all cost the same.
PART = 2 * textbook.BATCH


def rows() -> list[Row]:
    rng = torch.Generator().manual_seed(0)
    generator = TransformerGenerator(Frame(VOCABULARY, None, LENGTH), rng)
    ours_seconds, textbook_seconds = compare(
        lambda: sample(generator, SENTENCES, rng), lambda: textbook.sample(generator, PART, rng)
    )
    return [
        Row(
            "sampling, Transformer",
            ours_seconds,
            textbook_seconds * SENTENCES / PART,
            5.0,
            f"{SENTENCES:,} x {LENGTH} of {VOCABULARY:,} words, width 128, 2 layers; textbook"
            f" timed on {PART}",
        )
    ]
