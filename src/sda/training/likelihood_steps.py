"""Maximum likelihood in the place of imitation: what the rivals of Stage II learn from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import torch

from sda.buffer import Buffer
from sda.text.corpus import POOL, Corpus, batches
from sda.text.sentences import Sentences
from sda.training.progress import Diverged
from sda.training.schedule import Step
from sda.training.stages import TrainingSettings
from sda.training.state import TrainState

LIKELIHOOD_STEPS = frozenset(
    {Step.LIKELIHOOD, Step.CONTINUED, Step.RANKED, Step.BLENDED, Step.MIXED}
)


def real_batches(
    step: Step, state: TrainState, corpus: Corpus, settings: TrainingSettings
) -> Iterator[Sentences]:
    """The batches whose likelihood a step raises, one for each update."""
    two, rng = settings.stage2, state.rng
    if step in (Step.RANKED, Step.BLENDED) and not len(state.buffer):
        raise Diverged("the buffer is empty: nothing written so far passes the filters")
    if step is Step.RANKED:
        yield state.buffer.draw(two.batch_size, rng)
    elif step is Step.BLENDED:
        half = two.batch_size // 2
        parts = [corpus.draw(two.batch_size - half, rng), state.buffer.draw(half, rng)]
        yield Sentences.join(parts)
    elif step is Step.CONTINUED:
        yield corpus.draw(two.batch_size, rng)
    elif step is Step.MIXED:
        part = part_of_buffer(state.buffer, two.mixed_share, two.mixed_top, rng)
        yield from batches(Sentences.join([corpus.train, part]), settings.mle.batch_size, rng, POOL)
    else:
        yield from islice(corpus.batches(settings.mle.batch_size, rng), two.mle_batches)


def part_of_buffer(buffer: Buffer, share: float, top: bool, rng: torch.Generator) -> Sentences:
    """That share of the buffer, rounded: the best of it, or any."""
    count = round(share * len(buffer))
    return buffer.entries.sentences[:count] if top else buffer.draw(count, rng)


def optimizer_for(step: Step, state: TrainState) -> torch.optim.Optimizer:
    """The optimiser of a likelihood step.

    What continues Stage I continues its optimiser. Learning from the buffer begins with a fresh
    one at the rate of Stage II, as imitation does (decision 0114).
    """
    learns_from_buffer = step in (Step.RANKED, Step.BLENDED)
    return state.policy_optimizer if learns_from_buffer else state.mle_optimizer
