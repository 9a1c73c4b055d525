"""What a run will do: the entries of both stages, and the loop that walks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sda.algorithm import self_data_augmentation
from sda.baselines.two_policy import imitate_with_two_policies
from sda.errors import UserError
from sda.reference.metric import WeightedSum
from sda.runs.components import takes
from sda.sampling import Write
from sda.settings.schema import Settings
from sda.text.corpus import Corpus
from sda.training.progress import Progress
from sda.training.schedule import (
    Phase,
    Step,
    paper_schedule,
    same_number,
    stage_one,
    with_likelihood,
)
from sda.training.stages import StageTwoSettings, TrainingSettings
from sda.training.state import TrainState
from sda.training.steps import Objective, nll

ONE_KIND = {
    "training": Step.TRAINING,
    "likelihood": Step.CONTINUED,
    "buffer": Step.RANKED,
    "blended": Step.BLENDED,
}


Loop = Callable[..., Iterator[Progress]]


def choose_loop(settings: Settings) -> Loop:
    """Algorithm 1, or the form with two policies; both are called in the same way."""
    return two_policies if settings.stage2.two_policy else self_data_augmentation


def two_policies(
    state: TrainState,
    corpus: Corpus,
    metric: WeightedSum,
    phases: Sequence[Phase],
    schedule: Sequence[Sequence[Step]],
    settings: TrainingSettings,
    objective: Objective = nll,
    tick: Callable[[], None] = lambda: None,
    *_: object,
) -> Iterator[Progress]:
    """Stage I of Algorithm 1, then Stage II with two policies; yields what Algorithm 1 yields.

    Its rewards and the first fill of its buffer are its own.
    """
    yield from self_data_augmentation(state, corpus, metric, phases, [], settings, objective, tick)
    yield from imitate_with_two_policies(state, corpus, metric, schedule, settings, tick)


def plan(settings: Settings) -> tuple[list[Phase], list[list[Step]], TrainingSettings]:
    """Both schedules, and the training settings with what no step needs switched off."""
    mle, two, judge = settings.mle, settings.stage2, settings.discriminator_phase
    schedule = _schedule(two)
    if two.reward == "metric" and not settings.metric:
        raise UserError("setting 'stage2.reward': 'metric' needs a metric, and there is none")
    imitates = two.steps in ("alternating", "training")
    is_judged = imitates and two.reward in ("prob", "gail")
    selects = settings.selection and takes(settings.selection, "selection", "discriminator")
    is_read = takes(settings.generator, "generator", "discriminator")
    first_rounds = judge.first_rounds if is_judged or selects or is_read else 0
    buffer = settings.buffer
    if buffer.source == "training":
        if buffer.reject_copies:
            raise UserError("setting 'buffer.source': 'training' leaves nothing to reject_copies")
        buffer = buffer.model_copy(update={"candidates": 0})
    if two.steps in ("training", "likelihood"):
        buffer = buffer.model_copy(update={"candidates": 0, "first_fill": 0, "source": "generator"})
    _check_policies(settings)
    training = TrainingSettings(
        mle=mle,
        discriminator_phase=judge if is_judged else judge.model_copy(update={"rounds": 0}),
        buffer=buffer,
        stage2=two,
    )
    return stage_one(mle.epochs, first_rounds, mle.alternations), schedule, training


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
    if two.kl or two.reward not in ("prob", "gail") or settings.buffer.source != "generator":
        raise UserError(
            "setting 'stage2.two_policy': two policies learn from the discriminator and their own"
            " sentences, without stage2.kl, another stage2.reward or another buffer.source"
        )


def _schedule(two: StageTwoSettings) -> list[list[Step]]:
    """What the steps of Stage II are; none for plain maximum likelihood."""
    if two.steps == "none":
        return []
    if two.steps == "mixed":
        return [[Step.MIXED]] * two.epochs
    if two.steps == "alternating":
        schedule = paper_schedule(two.epochs, two.first_steps, two.fewer_every)
    else:
        schedule = same_number(ONE_KIND[two.steps], two.epochs, two.first_steps, two.fewer_every)
    return with_likelihood(schedule, two.mle_every) if two.mle_every else schedule


def first_writer(training: TrainingSettings, corpus: Corpus) -> Write | None:
    """What fills the buffer at first in place of the generator: the training sentences, or None."""
    return (lambda _: corpus.train) if training.buffer.source == "training" else None
