"""How often the metric will be asked, known before a run begins, and what fits into a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sda.baselines.selection import CANDIDATES
from sda.errors import UserError
from sda.runs.components import takes
from sda.settings.schema import Settings
from sda.text.corpus import Corpus
from sda.training.stages import BufferSettings, TrainingSettings
from sda.training.step_kinds import Loss, Step

TRIED = 16
"""Sentences that the metric is tried on before Stage I, half of them made worse."""
TRIAL_SHARE = 10
"""At most one call in so many is spent on that."""

CHECK_SHARE = 10
"""At most one call in so many is spent on checking what a judge taught."""
LEAST_ASKED = 50
"""Sentences that say anything of a metric: five of them are held out."""

Schedule = Sequence[Sequence[Step]]


@dataclass(frozen=True)
class CallCosts:
    """The most sentences that the metric can be asked in each part of Stage II.

    Another form of Stage II has other costs, and is cut to a limit in the same way.
    """

    first: int
    """Before the first epoch."""
    epoch: int
    """At the beginning of each epoch but the first."""
    steps: tuple[tuple[int, ...], ...]
    """In each step of each epoch."""

    @property
    def total(self) -> int:
        return self.first + self.epoch * max(0, len(self.steps) - 1) + self.in_steps

    @property
    def in_steps(self) -> int:
        return sum(map(sum, self.steps))


@dataclass(frozen=True)
class Budget:
    """What a run does within its limit: how many steps of each epoch, and what is written in them.

    `trial` are the sentences that the metric is tried on, `costs` those of the steps that fit,
    `selected` those among which a selection chooses at the end. `sentence` tells all that.
    """

    trial: int
    schedule: list[list[Step]]
    training: TrainingSettings
    costs: CallCosts
    selected: int
    sentence: str
    checked: int = 0
    """Sentences of what would be handed over that the metric is asked, where there is a judge."""

    @property
    def total(self) -> int:
        return self.trial + self.costs.total + self.selected + self.checked


def stage_two_costs(
    schedule: Schedule, training: TrainingSettings, corpus: Corpus, rescored: int = 0
) -> CallCosts:
    """The costs of the paper's Stage II, and of its rivals with the same steps.

    `rescored` sentences of the buffer are scored anew in each epoch, where the metric depends on
    the generator.
    """
    buffer, two = training.buffer, training.stage2

    def cost(step: Step) -> int:
        written = buffer.candidates if step.writes else 0
        is_rewarded = two.reward == "metric" and step.loss is Loss.IMITATION
        return written + (two.batch_size if is_rewarded else 0)

    first = len(corpus) if buffer.source == "training" else buffer.first_fill
    return CallCosts(
        first if schedule else 0, rescored, tuple(tuple(map(cost, steps)) for steps in schedule)
    )


def cut(schedule: Schedule, costs: CallCosts, calls: int) -> tuple[list[list[Step]], CallCosts]:
    """The first steps of the schedule that need so many calls at most, and what they cost.

    The last epoch may be cut in the middle. It has a step that asks the metric, or is not there.
    """
    left = calls - costs.first
    kept: list[list[Step]] = []
    for number, (steps, prices) in enumerate(zip(schedule, costs.steps, strict=True)):
        left -= costs.epoch if number else 0
        fitting = 0
        while fitting < len(steps) and prices[fitting] <= left:
            left -= prices[fitting]
            fitting += 1
        if left < 0 or (fitting < len(steps) and not any(prices[:fitting])):
            break
        kept.append(list(steps[:fitting]))
        if fitting < len(steps):
            break
    prices_kept = tuple(p[: len(k)] for k, p in zip(kept, costs.steps, strict=False))
    return kept, CallCosts(costs.first if kept else 0, costs.epoch, prices_kept)


def make_budget(
    settings: Settings,
    training: TrainingSettings,
    schedule: Schedule,
    corpus: Corpus,
    rescored: int = 0,
) -> Budget:
    """How often the metric will be asked at most; a limit that nothing fits into is refused.

    A buffer that cannot even be filled once within the limit is filled with less.
    """
    limit, before = settings.calls.limit, training
    kept = [list(steps) for steps in schedule]
    if not settings.metric and not settings.buffer.reject_copies:
        return Budget(0, kept, training, CallCosts(0, 0, ()), 0, "")
    if settings.discriminator_phase.negatives == "rejected":
        return _judged_budget(settings, training, kept, corpus)
    costs = stage_two_costs(schedule, training, corpus, rescored)
    selected = _selected(settings)
    trial = min(TRIED, 2 * len(corpus)) if costs.total + selected else 0
    if limit is not None:
        trial = min(trial, limit // TRIAL_SHARE)
        left = limit - trial - selected
        kept, fitting = cut(schedule, costs, left)
        if costs.in_steps and not fitting.in_steps:
            training = _smaller(training, costs, left)
            costs = stage_two_costs(schedule, training, corpus, rescored)
            kept, fitting = cut(schedule, costs, left)
        if left < 0 or (costs.in_steps and not fitting.in_steps):
            raise UserError(
                f"setting 'calls.limit': {limit:,} calls of the metric are too few: {trial} are for"
                f" trying it, and the rest of the run needs {_least(training, costs) + selected:,}"
                " at least"
            )
        costs = fitting
    sentence = _sentence(limit, trial, costs, selected, sum(map(len, schedule)))
    if training != before:
        sentence += _smaller_sentence(before.buffer, training.buffer)
    return Budget(trial, kept, training, costs, selected, sentence)


def _judged_budget(
    settings: Settings, training: TrainingSettings, schedule: list[list[Step]], corpus: Corpus
) -> Budget:
    """With a judge the metric is asked to teach it, and in the end to check what it taught."""
    limit, judge = settings.calls.limit, settings.judge
    trial = min(TRIED, 2 * len(corpus))
    checked = judge.checked if settings.hand_over.check else 0
    asked = judge.asked
    if limit is not None:
        trial, checked = min(trial, limit // TRIAL_SHARE), min(checked, limit // CHECK_SHARE)
        asked = limit - trial - checked
    if asked < LEAST_ASKED:
        raise UserError(
            f"setting 'calls.limit': {asked} calls of the metric are left to teach a judge, which"
            f" needs {LEAST_ASKED} at least: allow more, or choose another preset"
        )
    judge = judge.model_copy(update={"asked": asked})
    uses = {"to try it": trial, "to teach the judge": asked, "to check what it taught": checked}
    total = trial + asked + checked
    return Budget(
        trial,
        schedule,
        training.model_copy(update={"judge": judge}),
        CallCosts(asked, 0, tuple((0,) * len(steps) for steps in schedule)),
        0,
        _told(limit, total, uses),
        checked,
    )


def _selected(settings: Settings) -> int:
    """The sentences that a selection by the metric asks it about, if none are ruled out."""
    if not settings.selection or not takes(settings.selection, "selection", "metric"):
        return 0
    candidates = int(settings.selection.get("candidates", CANDIDATES))
    return candidates * settings.evaluation.final_samples


def _smaller(training: TrainingSettings, costs: CallCosts, calls: int) -> TrainingSettings:
    """Settings of which the first epoch fits, or a step of it: half of the calls, or what one step
    leaves, fill the buffer at first."""
    buffer = training.buffer
    if buffer.source == "training":
        return training
    steps = [price - buffer.candidates for price in costs.steps[0] if price]
    fill = min(buffer.first_fill, max(1, min(calls // 2, calls - steps[0] - 1)))
    candidates = min(buffer.candidates, max(1, (calls - fill - sum(steps)) // len(steps)))
    smaller = buffer.model_copy(update={"first_fill": fill, "candidates": candidates})
    return training.model_copy(update={"buffer": smaller})


def _smaller_sentence(before: BufferSettings, after: BufferSettings) -> str:
    return (
        f"; buffer.first_fill is {after.first_fill:,} in place of {before.first_fill:,}, and"
        f" buffer.candidates {after.candidates:,} in place of {before.candidates:,}"
    )


def _least(training: TrainingSettings, costs: CallCosts) -> int:
    """The calls that one step needs, with as little written as can be."""
    if not costs.in_steps:
        return 0
    buffer = training.buffer
    fill = costs.first if buffer.source == "training" else min(1, costs.first)
    price = next(price for prices in costs.steps for price in prices if price)
    return fill + price - max(0, buffer.candidates - 1)


def _sentence(
    limit: int | None, trial: int, costs: CallCosts, selected: int, all_steps: int
) -> str:
    """What the calls are for; empty where there are none."""
    steps = sum(map(len, costs.steps))
    part = "" if steps == all_steps else f", of the {all_steps} that the settings have"
    uses = {
        "to try it": trial,
        "to fill the buffer": costs.first,
        "to score the buffer anew": costs.total - costs.first - costs.in_steps,
        f"in {steps} steps of Stage II{part}": costs.in_steps,
        "to select among samples": selected,
    }
    return _told(limit, trial + costs.total + selected, uses)


def _told(limit: int | None, total: int, uses: Mapping[str, int]) -> str:
    told = ", ".join(f"{count:,} {use}" for use, count in uses.items() if count)
    if not total:
        return ""
    if limit is None:
        return f"the metric will be asked at most {total:,} times: {told}"
    return f"the metric may be asked {limit:,} times: {told}"
