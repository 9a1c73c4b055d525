"""One gradient step each for the generator and the discriminator, and what is measured there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import softplus
from torch.nn.utils import get_total_norm

from sda.models.generator import CHUNK, Generator, without_dropout
from sda.ranks import ALONE, Shares, Values
from sda.text.context import Context
from sda.text.corpus import Source, batches
from sda.text.sentences import Sentences
from sda.training.gradients import LossOf, PartLoss, add_gradients
from sda.training.progress import Diverged, Meter, check_finite
from sda.training.state import Learner, TrainState

Objective = Callable[[Generator, Sentences], Tensor]


class WriteAbout(Protocol):
    """Writes so many sentences, each about its row of the context where one is given."""

    def __call__(self, n: int, context: Context | None = None, /) -> Sentences: ...


def nll(generator: Generator, sentences: Sentences) -> Tensor:
    """Minus the log-likelihood of a sentence, on average (Eq. 5)."""
    return generator.loss(sentences)


def update_generator(
    state: TrainState, learner: Learner, size: int, loss: LossOf, clip: float, meter: Meter
) -> None:
    """One step of the learner down the gradient of a batch's loss, whose norm is cut at `clip`.

    A step into weights that are no numbers raises `Diverged`: nothing can be sampled from them.
    """
    generator, optimizer = learner
    value, _ = add_gradients(state, optimizer, size, loss, "the generator's loss")
    torch.nn.utils.clip_grad_norm_(generator.parameters(), clip)
    optimizer.step()
    state.updates += 1
    weights = [value.detach() for value in generator.parameters() if value.requires_grad]
    check_finite("the norm of the generator's weights", get_total_norm(weights).item())
    meter.add(g_loss=value)


def discriminator_loss(real_logits: Tensor, fake_logits: Tensor) -> Tensor:
    """Minus Eq. 6: the cross-entropy of calling the first real and the second fake."""
    return softplus(-real_logits).mean() + softplus(fake_logits).mean()


def update_discriminator(
    state: TrainState, real: Sentences, fake: Sentences, label: str, meter: Meter
) -> None:
    """One step of Eq. 6: `real` has label 1, `fake` label 0; figures of the first are `label`'s.

    There are as many of both.
    """

    def loss(rows: slice) -> PartLoss:
        some_real, some_fake = real[rows], fake[rows]
        logits = state.discriminator.real_logit(Sentences.join([some_real, some_fake]))
        real_logits, fake_logits = logits[: len(some_real)], logits[len(some_real) :]
        share = len(some_real) / len(real)
        right = torch.stack(((real_logits > 0).sum(), (fake_logits <= 0).sum()))
        return PartLoss(discriminator_loss(real_logits, fake_logits) * share, right)

    optimizer, model = state.discriminator_optimizer, state.discriminator
    value, right = add_gradients(
        state, optimizer, len(real), loss, "the discriminator's loss", model.penalty
    )
    optimizer.step()
    real_right, fake_right = right.tolist()
    accuracy = {
        f"d_accuracy_{label}": real_right / len(real),
        "d_accuracy_fake": fake_right / len(fake),
    }
    meter.add(d_loss=value, **accuracy)


def discriminator_phase(
    state: TrainState,
    source: Source,
    write: WriteAbout,
    sentences: int,
    passes: int,
    batch_size: int,
    meter: Meter,
) -> None:
    """One round: as many fresh fakes as sentences drawn from the source, walked `passes` times.

    No more are drawn than the source holds, so that a small buffer is not learned by heart. Fakes
    are about what the real ones are about, which therefore tells nothing.
    """
    if not len(source):
        raise Diverged("the buffer is empty: nothing written so far passes the metric's filters")
    count = min(sentences, len(source))
    real = source.draw(count, state.rng).to(state.generator.device)
    fake = write(count, real.context)
    label = "buffer" if source is state.buffer else "real"
    half = max(1, batch_size // 2)
    state.discriminator.expect(real, fake)
    for _ in range(passes):
        pairs = zip(batches(real, half, state.rng), batches(fake, half, state.rng), strict=True)
        for some_real, some_fake in pairs:
            update_discriminator(state, some_real, some_fake, label, meter)


@torch.no_grad()
def mean_nll(generator: Generator, sentences: Sentences, shares: Shares = ALONE) -> float:
    """Minus the log-likelihood per token, the end symbol counted.

    Chunks are the same whoever reads them, so processes may share them.
    """
    starts = range(0, len(sentences), CHUNK)

    def work(rows: slice, _: int) -> Values:
        sums = []
        for start in starts[rows]:
            part = sentences[start : start + CHUNK].to(generator.device)
            sums.append(generator.log_probs(part).cpu().double().sum())
        return {"sums": torch.stack(sums) if sums else torch.zeros(0, dtype=torch.float64)}

    with without_dropout(generator):
        found = torch.cat([part["sums"] for part in shares.each(len(starts), work)])
    total: float = sum(found.tolist())
    return -total / int(sentences.lengths.sum())
