"""Stage II of style transfer by self-imitation: likelihood of the best that the model wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from sda.sampling import Decoding
from sda.text.context import Context
from sda.training.progress import Meter, Progress
from sda.transfer.bins import RewrittenPairs
from sda.transfer.denoising import denoising_loss, drawn_thresholds, other_styles, walk
from sda.transfer.rewriting import RAW, RewritingModel
from sda.transfer.rewriting_metric import RewritingMetric
from sda.transfer.transfer_settings import TransferSettings
from sda.transfer.transfer_state import TransferState
from sda.transfer.transfer_texts import LearnedTexts

MASKED_ROUNDS = 2  # at first nothing is written from raw sources: the model would copy them
RANDOM_MASKS = 0.05  # of the words of a source that a candidate is written from


@dataclass(frozen=True)
class SecondStage:
    """All that the rounds of Stage II work with, in either form."""

    state: TransferState
    model: RewritingModel
    learned: LearnedTexts
    metric: RewritingMetric
    settings: TransferSettings


def imitate(stage: SecondStage, tick: Callable[[], None]) -> Iterator[Progress]:
    """Each round writes candidates, keeps the best of each source, and learns pairs both ways.

    Yields after each round; enters where the state stands.
    """
    state, model, settings = stage.state, stage.model, stage.settings
    stage2, batch_size = settings.stage2, settings.denoising.batch_size
    while state.round < stage2.rounds:
        meter = Meter()
        explore(stage, meter, tick)
        pairs = state.bins.pairs
        known = (
            []
            if pairs is None
            else walk(pairs.both_ways(), min(stage2.learned, 2 * len(pairs)), batch_size, state.rng)
        )
        for number, batch in enumerate(known, 1):
            context = batch.context
            assert context is not None and context.labels is not None
            assert context.source is not None
            thresholds = drawn_thresholds(len(batch), settings.noise, state.rng)
            is_raw = torch.rand(len(batch), 1, generator=state.rng) >= stage2.masked
            seen = model.read(context.source, context.labels, thresholds.masked_fill(is_raw, RAW))
            loss = state.generator.loss(batch.about(Context(context.labels, seen)))
            meter.add(g_loss=state.update("stage2", loss, settings.denoising.clip))
            if stage2.denoising and number % stage2.denoising == 0:
                real = next(walk(stage.learned.sentences, batch_size, batch_size, state.rng))
                loss = denoising_loss(state, model, real, settings.noise, settings.denoising)
                state.update("stage2", loss, settings.denoising.clip)
            tick()
        state.round += 1
        yield Progress("imitation", state.round, meter.means())


def explore(stage: SecondStage, meter: Meter, tick: Callable[[], None]) -> None:
    """Candidates for sources drawn at random are written; the best of each is in its bin."""
    state, model, learned = stage.state, stage.model, stage.learned
    stage2, noise, rng = stage.settings.stage2, stage.settings.noise, state.rng
    copies = stage2.candidates
    rows = torch.randperm(len(learned), generator=rng)[: stage2.sources]
    drawn = learned[rows]
    styles = other_styles(drawn.styles, state.bins.styles, rng)
    every = torch.arange(len(rows)).repeat_interleave(copies)
    sources, targets = drawn.sentences[every].about(None), styles[every]
    thresholds = drawn_thresholds(len(every), noise, rng)
    is_raw = torch.rand(len(every), 1, generator=rng) < stage2.raw
    if state.round >= MASKED_ROUNDS:
        thresholds = thresholds.masked_fill(is_raw, RAW)
    chance = torch.rand(sources.tokens.shape, generator=rng)
    odds = model.masks.words.of_others(sources, targets)
    is_random = (chance < RANDOM_MASKS) & (thresholds < RAW)
    seen = model.masks.masked(sources, (odds > thresholds) | is_random)
    written = model.write(seen, targets, Decoding(temperature=stage2.temperature), rng)
    tick()
    state.written += len(written)
    unknown = [drawn.unknown[row] for row in every.tolist()]
    texts = model.slots.decode(written, unknown)
    verdict = stage.metric(texts, model.slots.decode(sources, unknown), targets)
    best = verdict.total.view(-1, copies).argmax(1) + torch.arange(len(rows)) * copies
    is_good = (verdict.style[best] >= stage2.least_style) & (written.lengths[best] > 1)
    kept = best[is_good]
    rewritings = written[kept].about(Context(targets[kept], sources[kept]))
    state.bins.add(RewrittenPairs(rewritings, drawn.styles[is_good], verdict.total[kept]))
    meter.add(
        style=float(verdict.style[best].mean()),
        metric=float(verdict.total[best].mean()),
        kept=float(is_good.double().mean()),
    )
    tick()
