"""Algorithm 1 of the paper, and nothing else.

Departures: what the listing leaves open (phases of the discriminator, first fill, rescoring) is
decided in docs/decisions 0009 to 0012 and 0036. A schedule may hold likelihood steps: LeakGAN's
(decision 0037), and those of rivals that learn without a discriminator (decision 0114). The entropy
is the theory's, and off unless asked for (decision 0006); so is a second policy. A judge that was
fitted on the metric's answers may take the discriminator's place, and then the metric is asked a
few times in all (decision 0151), about sentences without an unknown word (decision 0157).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from sda.models.generator import Generator, without_dropout
from sda.reference.metric import WeightedSum
from sda.rewards import rescale, subtract_baseline
from sda.sampling import PLAIN, Decoding
from sda.text.context import Context
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.training.diagnosis import diagnose
from sda.training.entropy import add_entropy
from sda.training.gradients import part_of
from sda.training.judging import asked_in
from sda.training.parted import write_in_parts
from sda.training.plateau import check_validation, follow_plateau
from sda.training.policies import OnePolicy, Policies
from sda.training.progress import Meter, Progress
from sda.training.reward import Reward, rollout_reward
from sda.training.schedule import Phase, next_phase
from sda.training.stages import TrainingSettings
from sda.training.state import Learner, TrainState
from sda.training.step_kinds import Loss, Step
from sda.training.steps import Objective, WriteAbout, discriminator_phase, nll, update_generator


def self_data_augmentation(
    *,
    state: TrainState,
    corpus: Corpus,
    metric: WeightedSum,
    phases: Sequence[Phase],
    schedule: Sequence[Sequence[Step]],
    settings: TrainingSettings,
    objective: Objective = nll,
    tick: Callable[[], None] = lambda: None,
    reward: Reward | None = None,
    fill: Callable[[int], Sentences] | None = None,
    policies: Policies | None = None,
) -> Iterator[Progress]:
    """Train by maximum likelihood, then imitate the data and the buffer in turn.

    Yields once for each entry of the two schedules. Position lives in the state, so a state that
    was saved between two yields goes on where it stood. `tick` is called after every update of the
    generator and every round of the discriminator, to show that there is life. `reward` is what
    sentences earn, by default the discriminator's judgement; `fill` writes the first sentences of
    the buffer, by default the generator; `policies` learn in Stage II, by default the generator.
    """
    generator, buffer, rng, judge = state.generator, state.buffer, state.rng, state.judge
    decoding = PLAIN if judge is None else Decoding(never=corpus.vocabulary.unk)

    def writer(policy: Generator) -> WriteAbout:
        def write(n: int, context: Context | None = None) -> Sentences:
            about = corpus.contexts(n, rng) if context is None else context
            sentences = write_in_parts(policy, n, rng, about, state.shares, decoding)
            state.written += int(sentences.lengths.sum())
            return sentences

        return write

    def maximise_likelihood(batches: Iterable[Sentences], learner: Learner, meter: Meter) -> None:
        for batch in batches:
            real = batch.to(learner.generator.device)
            loss = part_of(real, partial(objective, learner.generator))  # Eq. 5
            update_generator(state, learner, len(real), loss, settings.mle.clip, meter)
            tick()

    write = writer(generator)
    reward = reward or rollout_reward(state, settings.stage2)
    fill = fill or write
    policies = policies or OnePolicy(state)

    # Stage I: MLE training (lines 2-6).
    while state.phase < len(phases):
        meter = Meter()
        if phases[state.phase] is Phase.GENERATOR:
            walk = corpus.batches(settings.mle.batch_size, rng)
            maximise_likelihood(walk, Learner(generator, state.mle_optimizer), meter)
            state.mle_epoch += 1
            nll_valid = check_validation(state, corpus.valid, meter)
            is_last = Phase.GENERATOR not in phases[state.phase + 1 :]
            follow_plateau(state, nll_valid, settings.mle, is_last)
            progress = Progress("mle", state.mle_epoch, meter.means())
        else:
            d = settings.discriminator_phase
            discriminator_phase(
                state, corpus.real, write, d.first_sentences, d.first_passes, d.batch_size, meter
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
        state.archive.epoch = 0 if epoch == 1 else epoch
        asked = 0 if judge is None else asked_in(epoch, len(schedule), settings.judge)
        if epoch == 1:
            written = fill(settings.buffer.first_fill)
            buffer.add(written, metric(written), 0, rng)
        elif metric.depends_on_generator:
            buffer.rescore(metric(buffer.entries.sentences))
        if judge is not None and asked:
            written = write(asked)
            buffer.add(written, metric(written), state.archive.epoch, rng)
            if not judge.learn(state.archive.entries, rng):
                return  # the metric says the same of all sentences
        state.archive.epoch = epoch
        buffer.expire(epoch)
        for step in steps:
            learner = policies.learner(step)
            if not step.writes:
                maximise_likelihood(step.real_batches(state, corpus, settings), learner, Meter())
                continue
            written = write(settings.buffer.candidates)
            accepted = buffer.add(written, metric(written), epoch, rng)  # line 9
            if step.loss is Loss.LIKELIHOOD:
                maximise_likelihood(step.real_batches(state, corpus, settings), learner, meter)
                continue
            source = step.source(state, corpus)  # lines 10-16
            d = settings.discriminator_phase
            for _ in range(d.rounds):
                discriminator_phase(
                    state,
                    source,
                    writer(learner.generator),
                    d.sentences,
                    d.passes,
                    d.batch_size,
                    meter,
                )  # Eq. 6
                tick()
            fake = writer(learner.generator)(settings.stage2.batch_size)
            rewards = reward(learner.generator, fake)  # Eqs. 1-2
            rescaled = rescale(rewards, fake.mask, settings.stage2.rescale)
            weights = subtract_baseline(rescaled, fake.mask, settings.stage2.baseline)
            weights = add_entropy(weights, learner.generator, fake, settings.stage2.entropy)
            weights = policies.pull(step, fake, weights, meter)
            loss = part_of(fake, learner.generator.loss, weights)  # Eq. 7
            with without_dropout(learner.generator):
                update_generator(state, learner, len(fake), loss, settings.stage2.clip, meter)
            tick()
            diagnose(state, learner.generator, written, accepted, fake, rewards, meter)
        state.sda_epoch = epoch
        state.best_nll = min(state.best_nll, check_validation(state, corpus.valid, meter))
        figures = {} if judge is None else judge.figures()
        yield Progress("imitation", epoch, meter.means() | buffer.figures(epoch) | figures)
