"""Style transfer: an epoch of denoising and rewriting in one pass, against a textbook's."""

from __future__ import annotations

import torch

from benchmarks import textbook_transfer as textbook
from benchmarks.harness import Row, compare
from sda.models.generator import Frame
from sda.models.rewriter import Rewriter
from sda.text.context import Context
from sda.text.corpus import POOL, batches
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer
from sda.transfer.noise import Masks
from sda.transfer.rewriting import LONGER, Reading, RewritingModel
from sda.transfer.style_words import StyleWords
from sda.transfer.transfer_settings import RewriterSettings
from sda.transfer.word_slots import WordSlots

VOCABULARY = 9000  # about what 200,000 reviews have
WRITABLE = 2000
SENTENCES = 2048
BATCH = 64
# What is timed of the textbook's job: whole batches, which all cost about the same.
PART = 2 * BATCH
LONGEST = 15


def rows() -> list[Row]:
    rng = torch.Generator().manual_seed(0)
    ours = _rewriter(WRITABLE + 1)
    theirs = _rewriter(None)
    pairs = _pairs(SENTENCES, rng)
    part = pairs[torch.arange(PART)]
    note = (
        f"{SENTENCES:,} sentences of 4 to {LONGEST} words, {VOCABULARY:,} words, of which ours"
        f" writes {WRITABLE:,} and copies the others; textbook timed on {PART}"
    )
    training = compare(
        lambda: _learn(ours, pairs, POOL, rng), lambda: _learn_textbook(theirs, part, rng)
    )
    context = pairs.context
    assert context is not None and context.labels is not None and context.source is not None
    model = _model(ours)
    source, labels = context.source, context.labels
    # Untrained models seldom end a sentence: both write as far as they may.
    applying = compare(
        lambda: model.once(source, labels, Reading(), rng),
        lambda: textbook.rewrite(theirs, context[torch.arange(PART)], LONGEST + 1 + LONGER),
    )
    scale = SENTENCES / PART
    return [
        Row("style transfer, training", training[0], training[1] * scale, 2.0, note),
        Row("style transfer, one pass", applying[0], applying[1] * scale, 5.0, note),
    ]


def _rewriter(writable: int | None) -> Rewriter:
    frame = Frame(VOCABULARY, 0, LONGEST + 1)
    rng, usual = torch.Generator().manual_seed(1), RewriterSettings()
    return Rewriter(frame, rng, 2, writable, usual.embedding, usual.reading, usual.hidden)


def _model(generator: Rewriter) -> RewritingModel:
    """The rewriter with style words that mask nothing."""
    none = StyleWords(
        torch.zeros(2, VOCABULARY), torch.zeros(0, dtype=torch.int64), torch.zeros(2, 0)
    )
    slots = WordSlots.of(["a"], 1, tokenizer("whitespace"))
    return RewritingModel(generator, slots, Masks(none, generator.mask))


def _pairs(count: int, rng: torch.Generator) -> Sentences:
    """Random sentences about themselves, frequent words as frequent as in a text."""
    lengths = torch.randint(5, LONGEST + 2, (count,), generator=rng)
    uniform = torch.rand(count, LONGEST + 1, generator=rng)
    tokens = (VOCABULARY**uniform).long().clamp(1, VOCABULARY - 1)
    mask = torch.arange(LONGEST + 1) < lengths[:, None] - 1
    sentences = Sentences(tokens * mask, lengths)
    return sentences.about(Context(torch.randint(2, (count,), generator=rng), sentences))


def _learn(generator: Rewriter, pairs: Sentences, pool: int, rng: torch.Generator) -> None:
    optimizer = torch.optim.Adam(generator.parameters(), 1e-3, fused=True)
    for batch in batches(pairs, BATCH, rng, pool):
        optimizer.zero_grad(set_to_none=True)
        generator.loss(batch).backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def _learn_textbook(generator: Rewriter, pairs: Sentences, rng: torch.Generator) -> None:
    optimizer = torch.optim.Adam(generator.parameters(), 1e-3)
    for batch in batches(pairs, BATCH, rng):
        optimizer.zero_grad()
        textbook.loss(generator, batch).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
