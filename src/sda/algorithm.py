"""Algorithm 1 of the paper, and nothing else.

Departures: what the listing leaves open (phases of the discriminator, first fill, rescoring) is
decided in docs/decisions 0009 to 0012 and 0036. Likelihood steps in Stage II are LeakGAN's and off
unless asked for (decision 0037).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from sda.models.generator import without_dropout
from sda.reference.metric import WeightedSum
from sda.rewards import rescale, rollout_rewards, subtract_baseline
from sda.sampling import sample
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.training.diagnosis import diagnose
from sda.training.plateau import check_validation, follow_plateau
from sda.training.progress import Meter, Progress
from sda.training.schedule import Phase, Step, next_phase
from sda.training.settings import TrainingSettings
from sda.training.state import TrainState
from sda.training.steps import Objective, discriminator_phase, nll, update_generator


def self_data_augmentation(
    state: TrainState,
    corpus: Corpus,
    metric: WeightedSum,
    phases: Sequence[Phase],
    schedule: Sequence[Sequence[Step]],
    settings: TrainingSettings,
    objective: Objective = nll,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[Progress]:
    """Train by maximum likelihood, then imitate the data and the buffer in turn.

    Yields once for each entry of the two schedules. Position lives in the state, so a state that
    was saved between two yields goes on where it stood. `tick` is called after every update of the
    generator and every round of the discriminator, to show that there is life.
    """
    generator, buffer, rng = state.generator, state.buffer, state.rng

    def write(n: int) -> Sentences:
        return sample(generator, n, rng)

    def maximise_likelihood(meter: Meter, most: int | None = None) -> None:
        for real in islice(corpus.batches(settings.mle.batch_size, rng), most):
            loss = objective(generator, real)  # Eq. 5
            update_generator(state, state.mle_optimizer, loss, settings.mle.clip, meter)
            tick()

    # Stage I: MLE training (lines 2-6).
    while state.phase < len(phases):
        meter = Meter()
        if phases[state.phase] is Phase.GENERATOR:
            maximise_likelihood(meter)
            state.mle_epoch += 1
            nll_valid = check_validation(state, corpus.valid, meter)
            is_last = Phase.GENERATOR not in phases[state.phase + 1 :]
            follow_plateau(state, nll_valid, settings.mle, is_last)
            progress = Progress("mle", state.mle_epoch, meter.means())
        else:
            d = settings.discriminator_phase
            discriminator_phase(
                state, corpus, write, d.first_sentences, d.first_passes, d.batch_size, meter
            )  # Eq. 6
            tick()
            state.discriminator_round += 1
            progress = Progress("discriminator", state.discriminator_round, meter.means())
        state.phase = next_phase(phases, state.phase + 1, state.stopped_early)
        yield progress

    # Stage II: self data augmentation (lines 7-19).
    for steps in schedule[state.sda_epoch :]:
        meter = Meter()
        epoch = state.sda_epoch + 1
        if epoch == 1:
            written = write(settings.buffer.first_fill)
            buffer.add(written, metric(written), 0, rng)
        elif metric.depends_on_generator:
            buffer.rescore(metric(buffer.entries.sentences))
        buffer.expire(epoch)
        for step in steps:
            if step is Step.LIKELIHOOD:
                maximise_likelihood(Meter(), settings.stage2.mle_batches)
                continue
            written = write(settings.buffer.candidates)
            accepted = buffer.add(written, metric(written), epoch, rng)  # line 9
            source = buffer if step is Step.AUGMENTED else corpus  # lines 10-16
            d = settings.discriminator_phase
            for _ in range(d.rounds):
                discriminator_phase(
                    state, source, write, d.sentences, d.passes, d.batch_size, meter
                )  # Eq. 6
                tick()
            fake = write(settings.stage2.batch_size)
            rewards = rollout_rewards(
                generator,
                state.discriminator,
                fake,
                settings.stage2.rollouts,
                rng,
                settings.stage2.rollout_every,
                settings.stage2.reward,
            )  # Eqs. 1-2
            rescaled = rescale(rewards, fake.mask, settings.stage2.rescale)
            weights = subtract_baseline(rescaled, fake.mask, settings.stage2.baseline)
            with without_dropout(generator):
                loss = generator.loss(fake, weights)  # Eq. 7
            update_generator(state, state.policy_optimizer, loss, settings.stage2.clip, meter)
            tick()
            diagnose(state, written, accepted, fake, rewards, meter)
        state.sda_epoch = epoch
        state.best_nll = min(state.best_nll, check_validation(state, corpus.valid, meter))
        yield Progress("imitation", epoch, meter.means() | buffer.figures(epoch))
