"""Stage II with the two policies of the theory (Eqs. 12-14 and 28-32) in place of one.

Augmented steps teach pi_1, training-data steps teach pi; the policies are kept together by a
Wasserstein penalty. One discriminator serves both, because the theory demands r_1 = r. Candidates
for the buffer are pi's, and pi is the model that a run ends with. Departures: decisions 0003 to
0007.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from torch import Tensor

from sda.models.generator import without_dropout
from sda.reference.metric import WeightedSum
from sda.rewards import rescale, subtract_baseline
from sda.sampling import sample
from sda.text.corpus import Corpus, Source
from sda.text.sentences import Sentences
from sda.training.diagnosis import diagnose
from sda.training.entropy import add_entropy
from sda.training.plateau import check_validation
from sda.training.progress import Meter, Progress
from sda.training.reward import rollout_reward
from sda.training.schedule import Step
from sda.training.stages import TrainingSettings
from sda.training.state import SecondPolicy, TrainState
from sda.training.steps import discriminator_phase, update_generator
from sda.training.wasserstein import UPDATES, criticise, read_features, update_critic


def imitate_with_two_policies(
    state: TrainState,
    corpus: Corpus,
    metric: WeightedSum,
    schedule: Sequence[Sequence[Step]],
    settings: TrainingSettings,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[Progress]:
    """Train pi on the data and pi_1 on the buffer in turn, starting from one generator.

    Yields once for each entry of the schedule, with the figures of Algorithm 1 over both policies
    and `w1`, the distance that the critic found. Position lives in the state. Without penalty and
    entropy, and with the hand-over, every update is one of Algorithm 1.
    """
    second = state.second
    if second is None:
        raise ValueError("the state has no second policy")
    buffer, rng = state.buffer, state.rng
    if not state.sda_epoch:
        second.generator.load_state_dict(state.generator.state_dict())
    partner = replace(
        state,
        generator=second.generator,
        policy_optimizer=second.optimizer,
        updates=0,
        written=0,
    )

    def write(policy: TrainState, n: int) -> Sentences:
        sentences = sample(policy.generator, n, rng)
        policy.written += int(sentences.lengths.sum())
        return sentences

    # The critic is high on pi, which comes nearer where it is low, and pi_1 where it is high.
    turns = {
        Step.TRAINING: _Turn(state, partner, corpus.real, -settings.stage2.lambda_w),  # Eq. 14
        Step.AUGMENTED: _Turn(partner, state, buffer, settings.stage2.lambda_w),  # Eq. 13
    }
    # Stage I has left pi.
    last = schedule[state.sda_epoch - 1][-1] if state.sda_epoch else Step.TRAINING

    for steps in schedule[state.sda_epoch :]:
        meter = Meter()
        epoch = state.sda_epoch + 1
        if epoch == 1:
            written = write(state, settings.buffer.first_fill)
            buffer.add(written, metric(written), 0, rng)
        elif metric.depends_on_generator:
            buffer.rescore(metric(buffer.entries.sentences))
        buffer.expire(epoch)
        for step in steps:
            active, other, source, pull = turns[step]
            if settings.stage2.hand_over and step is not last:
                active.generator.load_state_dict(other.generator.state_dict())
            last = step
            written = write(state, settings.buffer.candidates)
            accepted = buffer.add(written, metric(written), epoch, rng)
            writer = partial(write, active)
            d = settings.discriminator_phase
            for _ in range(d.rounds):
                discriminator_phase(
                    active, source, writer, d.sentences, d.passes, d.batch_size, meter
                )  # Eqs. 30-31
                tick()
            fake = writer(settings.stage2.batch_size)
            rewards = rollout_reward(active, settings.stage2)(fake)
            rescaled = rescale(rewards, fake.mask, settings.stage2.rescale)
            weights = subtract_baseline(rescaled, fake.mask, settings.stage2.baseline)
            weights = add_entropy(weights, active.generator, fake, settings.stage2.entropy)
            if pull:
                excess = _excess(state, second, fake, settings.stage2.batch_size, meter)
                weights = weights + pull * excess[:, None] * fake.mask  # Eq. 28
            with without_dropout(active.generator):
                loss = active.generator.loss(fake, weights)  # Eq. 32
            update_generator(active, active.policy_optimizer, loss, settings.stage2.clip, meter)
            tick()
            diagnose(active, written, accepted, fake, rewards, meter)
        # What the second policy did is part of what the run cost.
        state.updates, partner.updates = state.updates + partner.updates, 0
        state.written, partner.written = state.written + partner.written, 0
        state.sda_epoch = epoch
        state.best_nll = min(state.best_nll, check_validation(state, corpus.valid, meter))
        yield Progress("imitation", epoch, meter.means() | buffer.figures(epoch))


class _Turn(NamedTuple):
    """Who learns in a step, from whom it stays near, what is real, and the pull of the critic."""

    active: TrainState
    other: TrainState
    source: Source
    pull: float


def _excess(
    state: TrainState, second: SecondPolicy, fake: Sentences, batch_size: int, meter: Meter
) -> Tensor:
    """(B,) what a critic, taught with fresh sentences of both policies, says of the fake ones."""
    pair = [
        sample(policy, UPDATES * batch_size, state.rng)
        for policy in (state.generator, second.generator)
    ]
    state.written += sum(int(sentences.lengths.sum()) for sentences in pair)
    ours, theirs = (read_features(state.discriminator, sentences) for sentences in pair)
    meter.add(w1=update_critic(second.critic, second.critic_optimizer, ours, theirs))
    return criticise(second.critic, read_features(state.discriminator, fake))
