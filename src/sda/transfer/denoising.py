"""Stage I of style transfer: sentences of each style restored from what noise left of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from sda.sampling import Decoding
from sda.text.context import Context
from sda.text.corpus import POOL, batches
from sda.text.sentences import Sentences
from sda.training.progress import Meter, Progress
from sda.transfer.noise import NoiseSettings, noisy, with_unknown
from sda.transfer.rewriting import RewritingModel
from sda.transfer.transfer_settings import DenoisingSettings
from sda.transfer.transfer_state import TransferState

BACK = Decoding(temperature=0.7)  # how a rewriting is written that the source is restored from


def denoise(
    state: TransferState,
    model: RewritingModel,
    train: Sentences,
    noise: NoiseSettings,
    settings: DenoisingSettings,
    tick: Callable[[], None],
) -> Iterator[Progress]:
    """Maximum likelihood of sentences given their style and a noisy form of them.

    Yields after each epoch; enters where the state stands.
    """
    while state.epoch < settings.epochs:
        meter = Meter()
        for batch in walk(train, settings.walk, settings.batch_size, state.rng):
            loss = denoising_loss(state, model, batch, noise, settings)
            meter.add(g_loss=state.update("denoising", loss, settings.clip))
            tick()
        for group in state.optimizers["denoising"].param_groups:
            group["lr"] *= settings.rate_factor
        state.epoch += 1
        yield Progress("mle", state.epoch, meter.means())


def walk(train: Sentences, count: int, size: int, rng: torch.Generator) -> Iterator[Sentences]:
    """So many sentences in batches, in random order; none twice before all have come once."""
    while count > 0:
        some = min(count, len(train))
        yield from batches(train, size, rng, POOL, some)
        count -= some


def denoising_loss(
    state: TransferState,
    model: RewritingModel,
    batch: Sentences,
    noise: NoiseSettings,
    settings: DenoisingSettings,
) -> Tensor:
    """Minus the log-likelihood of labelled sentences given what is left of them."""
    context = batch.context
    assert context is not None and context.labels is not None
    styles, slots = context.labels, model.slots
    plain = with_unknown(batch.about(None), slots.known, noise.unknown, state.rng)
    is_back = settings.back_translation > 0 and (
        float(torch.rand(1, generator=state.rng)) < settings.back_translation
    )
    if is_back:
        others = other_styles(styles, state.bins.styles, state.rng)
        thresholds = drawn_thresholds(len(plain), noise, state.rng)
        seen = model.write(model.read(plain, others, thresholds), others, BACK, state.rng)
        state.written += len(seen)
    else:
        seen = noisy(plain, styles, model.masks, noise, state.rng)
    return state.generator.loss(plain.about(Context(styles, seen)))


def other_styles(styles: Tensor, count: int, rng: torch.Generator) -> Tensor:
    """(B,) for each style another one, all of them equally likely."""
    return (styles + torch.randint(1, count, styles.shape, generator=rng)) % count


def drawn_thresholds(rows: int, noise: NoiseSettings, rng: torch.Generator) -> Tensor:
    """(rows, 1) how much a word has to be of a style to be masked, as in Stage I."""
    height = torch.rand(rows, 1, generator=rng)
    return noise.lowest + (noise.highest - noise.lowest) * height
