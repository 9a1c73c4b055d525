"""The two policies of the theory (Eqs. 12-14 and 28-32) in place of Stage II's one.

Augmented steps teach pi_1, training-data steps teach pi; the policies are kept together by a
Wasserstein penalty. One discriminator serves both, because the theory demands r_1 = r. Candidates
for the buffer are pi's, and pi is the model that a run ends with. Departures: decisions 0003 to
0007.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from sda.sampling import sample
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.training.progress import Meter
from sda.training.stages import StageTwoSettings
from sda.training.state import Learner, SecondPolicy, TrainState
from sda.training.step_kinds import AUGMENTED, TRAINING, Step
from sda.training.wasserstein import UPDATES, criticise, read_features, update_critic


class TwoPolicies:
    """pi learns from the data and pi_1 from the buffer in turn, starting from one generator.

    Each turn begins with what the other policy left, if so asked. Figures have `w1`, the distance
    that the critic found. Without penalty and entropy, and with the hand-over, every update is one
    of Algorithm 1.
    """

    def __init__(
        self,
        state: TrainState,
        corpus: Corpus,
        schedule: Sequence[Sequence[Step]],
        settings: StageTwoSettings,
    ) -> None:
        if state.second is None:
            raise ValueError("the state has no second policy")
        self._state = state
        self._second: SecondPolicy = state.second
        self._corpus = corpus
        self._schedule = schedule
        self._settings = settings
        self._last: Step | None = None

    def learner(self, step: Step) -> Learner:
        state, second = self._state, self._second
        if self._last is None:
            self._last = self._begin()
        if self._settings.hand_over and step is not self._last:
            one, other = state.generator, second.generator
            active, left = (other, one) if step is AUGMENTED else (one, other)
            active.load_state_dict(left.state_dict())
        self._last = step
        if step is AUGMENTED:
            return Learner(second.generator, second.optimizer)  # Eq. 13
        return Learner(state.generator, state.policy_optimizer)  # Eq. 14

    def _begin(self) -> Step:
        """The step before the first one of this process; pi_1 begins as the pi of Stage I."""
        done = self._state.sda_epoch
        if done:
            return self._schedule[done - 1][-1]
        self._second.generator.load_state_dict(self._state.generator.state_dict())
        return TRAINING

    def pull(self, step: Step, fake: Sentences, weights: Tensor, meter: Meter) -> Tensor:
        """Weights with the critic's excess (Eq. 28).

        It is high on pi, which comes nearer where it is low, and pi_1 where it is high.
        """
        weight = self._settings.lambda_w
        if not weight:
            return weights
        sign = 1.0 if step is AUGMENTED else -1.0
        return weights + sign * weight * self._excess(fake, meter)[:, None] * fake.mask

    def _excess(self, fake: Sentences, meter: Meter) -> Tensor:
        """(B,) what a critic, taught with fresh sentences of both, says of the fake ones."""
        state, second = self._state, self._second
        count = UPDATES * self._settings.batch_size
        pair = [
            sample(policy, count, state.rng, context=self._corpus.contexts(count, state.rng))
            for policy in (state.generator, second.generator)
        ]
        state.written += sum(int(sentences.lengths.sum()) for sentences in pair)
        ours, theirs = (read_features(state.discriminator, sentences) for sentences in pair)
        meter.add(w1=update_critic(second.critic, second.critic_optimizer, ours, theirs))
        return criticise(second.critic, read_features(state.discriminator, fake))
