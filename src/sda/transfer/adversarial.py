"""Stage II of style transfer in the paper's form: Algorithm 1 with the appendix's three changes.

The generator is conditional, the buffer has a bin for each style, and a reconstruction loss keeps
the mapping reversible. What is written for the bins is explored as in `imitation`, so that the two
forms can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from sda.models.generator import without_dropout
from sda.rewards import rollout_rewards, subtract_baseline
from sda.sampling import Decoding
from sda.text.context import Context
from sda.text.corpus import draw
from sda.text.sentences import Sentences
from sda.training.progress import Meter, Progress
from sda.training.schedule import paper_schedule
from sda.training.steps import discriminator_loss
from sda.transfer.denoising import drawn_thresholds, other_styles
from sda.transfer.imitation import SecondStage, explore
from sda.transfer.rewriting import RAW


def compete(stage: SecondStage, tick: Callable[[], None]) -> Iterator[Progress]:
    """Rounds of training-data steps and one augmented step, as the paper's schedule has them.

    Each step trains the discriminators on real sentences, or on those of the bins, against what the
    generator writes; then the generator by their reward and by reconstruction. Yields after each
    round; enters where the state stands.
    """
    state, stage2 = stage.state, stage.settings.stage2
    schedule = paper_schedule(stage2.rounds, stage2.first_steps, stage2.fewer_every)
    for steps in schedule[state.round :]:
        meter = Meter()
        explore(stage, meter, tick)
        for step in steps:
            for _ in range(stage2.discriminator_updates):
                _teach_discriminators(stage, step.reads_buffer, meter)
                tick()
            for _ in range(stage2.updates):
                _teach_generator(stage, meter)
                tick()
        state.round += 1
        yield Progress("imitation", state.round, meter.means())


def _rewritten(stage: SecondStage) -> tuple[Sentences, Sentences]:
    """A batch of sentences written anew in other styles, about what the model saw of their sources;
    and the sources, about their own styles."""
    state, model, settings, rng = stage.state, stage.model, stage.settings, stage.state.rng
    source = draw(stage.learned.sentences, settings.denoising.batch_size, rng)
    context = source.context
    assert context is not None and context.labels is not None
    targets = other_styles(context.labels, state.bins.styles, rng)
    thresholds = drawn_thresholds(len(source), settings.noise, rng)
    is_raw = torch.rand(len(source), 1, generator=rng) < settings.stage2.raw
    seen = model.read(source, targets, thresholds.masked_fill(is_raw, RAW))
    written = model.write(seen, targets, Decoding(), rng).trimmed()
    state.written += len(written)
    return written.about(Context(targets, seen)), source


def _teach_discriminators(stage: SecondStage, reads_bins: bool, meter: Meter) -> None:
    """One step of Eq. 6 for the discriminators of all styles."""
    state, learned = stage.state, stage.learned
    discriminators = state.discriminators
    assert discriminators is not None
    fake, _ = _rewritten(stage)
    assert fake.context is not None and fake.context.labels is not None
    targets = fake.context.labels
    real = []
    for style in range(state.bins.styles):
        wanted = int((targets == style).sum())
        pool = (
            state.bins.of_style(style)
            if reads_bins
            else learned.sentences[learned.styles == style].about(None)
        )
        if len(pool) and wanted:
            some = draw(pool, wanted, state.rng)
            real.append(some.about(Context(torch.full((wanted,), style))))
    if not real:
        return
    shown = Sentences.join([*real, fake.about(Context(targets))])
    logits = discriminators.real_logit(shown)
    count = len(shown) - len(fake)
    loss = discriminator_loss(logits[:count], logits[count:])
    optimizer = state.optimizers["discriminators"]
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    name = "buffer" if reads_bins else "real"
    meter.add(
        d_loss=loss.item(),
        d_accuracy_fake=float((logits[count:] <= 0).double().mean()),
        **{f"d_accuracy_{name}": float((logits[:count] > 0).double().mean())},
    )


def _teach_generator(stage: SecondStage, meter: Meter) -> None:
    """One step of Eq. 7 on rewritings, and of the reconstruction of their sources."""
    state, stage2, generator = stage.state, stage.settings.stage2, stage.state.generator
    assert state.discriminators is not None
    written, source = _rewritten(stage)
    rewards = rollout_rewards(generator, state.discriminators, written, stage2.rollouts, state.rng)
    # Without it a reward between 0 and 1 makes all that is written likelier.
    advantages = subtract_baseline(rewards, written.mask, "batch_mean")
    with without_dropout(generator):
        loss = generator.loss(written, advantages)
    context = source.context
    assert context is not None
    plain = source.about(None)
    if stage2.reconstruction:
        from_itself = plain.about(Context(context.labels, plain))
        from_other = plain.about(Context(context.labels, written.about(None)))
        both = generator.loss(from_itself) + generator.loss(from_other)
        loss = loss + stage2.reconstruction * both
    state.update("stage2", loss, stage.settings.denoising.clip)
    final = rewards.gather(1, (written.lengths - 1)[:, None])
    meter.add(g_loss=loss.item(), reward=float(final.mean()))
