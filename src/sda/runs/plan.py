"""What a run will do: the entries of both stages, and the loop that walks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from sda.algorithm import self_data_augmentation
from sda.baselines.two_policy import TwoPolicies
from sda.errors import UserError
from sda.reference.metric import WeightedSum
from sda.rewards import BY_DISCRIMINATOR
from sda.runs.components import build, takes
from sda.settings.schema import Settings
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.training.policies import Policies
from sda.training.progress import Progress
from sda.training.reward import Reward
from sda.training.schedule import Phase, paper_schedule, same_number, stage_one, with_likelihood
from sda.training.stages import StageTwoSettings, TrainingSettings
from sda.training.state import TrainState
from sda.training.step_kinds import AUGMENTED, KINDS, TRAINING, Loss, Step
from sda.training.steps import Objective, nll


class Loop(Protocol):
    """Walks both stages: yields once for each entry of the two schedules.

    Its place is kept in the state. `sda.algorithm.self_data_augmentation` runs unless settings name
    another loop.
    """

    def __call__(
        self,
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
    ) -> Iterator[Progress]: ...


def choose_loop(settings: Settings) -> Loop:
    """Algorithm 1, or the loop that the settings name."""
    if not settings.loop:
        return self_data_augmentation
    made: Loop = build(settings.loop, "loop")
    return made


def choose_policies(
    state: TrainState,
    corpus: Corpus,
    schedule: Sequence[Sequence[Step]],
    settings: StageTwoSettings,
) -> Policies | None:
    """The two policies of the theory where settings ask for them; None for the paper's one."""
    return TwoPolicies(state, corpus, schedule, settings) if settings.two_policy else None


def plan(settings: Settings) -> tuple[list[Phase], list[list[Step]], TrainingSettings]:
    """Both schedules, and the training settings with what no step needs switched off."""
    mle, two, phase = settings.mle, settings.stage2, settings.discriminator_phase
    is_fitted = phase.negatives == "rejected"
    schedule = stage_two(settings)
    if two.reward == "metric" and not settings.metric:
        raise UserError("setting 'stage2.reward': 'metric' needs a metric, and there is none")
    if is_fitted and not settings.metric:
        raise UserError(
            "setting 'discriminator_phase.negatives': without a metric nothing is rejected, and"
            " there is none"
        )
    # Not those of the schedule: a Stage II of no epochs still has a Stage I with a discriminator.
    steps = _kinds(two)
    imitates = any(step.loss is Loss.IMITATION for step in steps)
    is_judged = imitates and two.reward in BY_DISCRIMINATOR and not is_fitted
    selects = settings.selection and takes(settings.selection, "selection", "discriminator")
    is_read = takes(settings.generator, "generator", "discriminator")
    is_chosen_by = selects and not is_fitted
    first_rounds = phase.first_rounds if is_judged or is_chosen_by or is_read else 0
    buffer = settings.buffer
    if buffer.source == "training":
        if buffer.reject_copies:
            raise UserError("setting 'buffer.source': 'training' leaves nothing to reject_copies")
        buffer = buffer.model_copy(update={"candidates": 0})
    if is_fitted:
        # What the metric is asked for the judge is what the buffer keeps the best of.
        buffer = buffer.model_copy(update={"candidates": 0, "first_fill": 0})
    if steps and not any(step.reads_buffer for step in steps):
        buffer = buffer.model_copy(update={"candidates": 0, "first_fill": 0, "source": "generator"})
    _check_policies(settings)
    training = TrainingSettings(
        mle=mle,
        discriminator_phase=phase if is_judged else phase.model_copy(update={"rounds": 0}),
        judge=settings.judge,
        buffer=buffer,
        stage2=two,
    )
    return stage_one(mle.epochs, first_rounds, mle.alternations), schedule, training


def stage_two(settings: Settings) -> list[list[Step]]:
    """The steps of each epoch of Stage II; none for plain maximum likelihood."""
    is_fitted = settings.discriminator_phase.negatives == "rejected"
    # Without a step of training a judge is still fitted, at the beginning of an epoch.
    return _schedule(settings.stage2) or ([[]] if is_fitted else [])


def _check_policies(settings: Settings) -> None:
    """Two policies are told what they do not know, rather than to pass over it."""
    two = settings.stage2
    if two.lambda_w and not two.two_policy:
        raise UserError(
            "setting 'stage2.lambda_w': the distance is that of two policies, so"
            " stage2.two_policy must be true"
        )
    if not two.two_policy:
        return
    if two.steps != "alternating" or two.mle_every:
        raise UserError(
            "setting 'stage2.two_policy': two policies need stage2.steps = \"alternating\" and"
            " stage2.mle_every = 0"
        )
    if two.kl or two.reward not in BY_DISCRIMINATOR or settings.buffer.source != "generator":
        raise UserError(
            "setting 'stage2.two_policy': two policies learn from the discriminator and their own"
            " sentences, without stage2.kl, another stage2.reward or another buffer.source"
        )


def _kinds(two: StageTwoSettings) -> tuple[Step, ...]:
    """The kinds of steps that Stage II is made of."""
    several = {"alternating": (TRAINING, AUGMENTED), "none": ()}
    if two.steps in several:
        return several[two.steps]
    if two.steps not in KINDS:
        known = ", ".join((*several, *KINDS))
        raise UserError(f"setting 'stage2.steps': {two.steps!r} is unknown (known: {known})")
    return (KINDS[two.steps],)


def _schedule(two: StageTwoSettings) -> list[list[Step]]:
    """What the steps of Stage II are; none for plain maximum likelihood."""
    if two.steps == "none":
        return []
    if two.steps == "alternating":
        schedule = paper_schedule(two.epochs, two.first_steps, two.fewer_every)
    else:
        (step,) = _kinds(two)
        schedule = same_number(step, two.epochs, two.first_steps, two.fewer_every)
        schedule = [epoch[:1] for epoch in schedule] if step.once else schedule
    return with_likelihood(schedule, two.mle_every) if two.mle_every else schedule


def first_writer(training: TrainingSettings, corpus: Corpus) -> Callable[[int], Sentences] | None:
    """What fills the buffer at first in place of the generator: the training sentences, or None."""
    return (lambda _: corpus.train) if training.buffer.source == "training" else None
