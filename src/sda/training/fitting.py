"""A discriminator fitted on what the metric accepted and what it rejected, and the best of several.

Where the paper's discriminator tells a buffer from fresh samples, most of which are as good, this
one is told of every sentence which side of the metric it is on (decision 0151).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from sda.models.discriminator import Discriminator
from sda.models.generator import CHUNK, without_dropout
from sda.text.sentences import Sentences
from sda.training.progress import check_finite
from sda.training.stages import JudgeSettings

Logits = Callable[[Tensor], Tensor]
"""Of chosen rows of the sentences that are fitted on."""
Told = Callable[[int, int], None]
"""Is told how much of how much is done."""
LEAST_GAIN = 1e-4  # of the loss on the unseen part; less is noise
CLEARLY = 1.1  # times the lowest loss: worse than that is no chance


@dataclass(frozen=True)
class Fit:
    """What came of a fit: the loss and the AUC on the unseen part, and the updates it took."""

    loss: float
    auc: float
    updates: int


def accepted(scores: Tensor, share: float) -> Tensor:
    """(N,) whether each is on the better side of the cut that leaves nearest to `share` above it.

    A cut lies between two different scores, so that equal ones are on one side; where there is
    nothing to tell apart all are accepted. A metric that says yes or no has but one cut.
    """
    values, counts = torch.unique(scores, return_counts=True)
    if len(values) < 2:
        return torch.ones_like(scores, dtype=torch.bool)
    above = counts.flip(0).cumsum(0).flip(0)[1:] / len(scores)
    cut: Tensor = values[1:][(above - share).abs().argmin()]
    return scores >= cut


def auc(scores: Tensor, is_real: Tensor) -> float:
    """How often a real one scores higher than another, equal scores counting half; 0.5 is chance.

    Not a number where one side is empty.
    """
    real = int(is_real.sum())
    pairs = real * (len(scores) - real)
    if not pairs:
        return math.nan
    _, places, counts = torch.unique(scores.double(), return_inverse=True, return_counts=True)
    ranks = (counts.cumsum(0) - (counts.double() - 1) / 2)[places]
    return float((ranks[is_real].sum() - real * (real + 1) / 2) / pairs)


def fit(
    judge: Discriminator,
    sentences: Sentences,
    is_real: Tensor,
    settings: JudgeSettings,
    seed: int,
    member: int = 0,
) -> Fit:
    """Teach the judge which sentences are real, until an unseen part says that it is enough.

    The judge ends as it was when the loss on that part was lowest. Members of a panel have one
    seed, and each its own unseen part.
    """
    unseen, rest = parts(len(sentences), settings.unseen, seed, member)
    rng = torch.Generator().manual_seed(seed + member)
    logits = judge.begin_fit(sentences.to(judge.device))
    targets = is_real.float().to(judge.device)
    learned = [value for value in judge.parameters() if value.requires_grad]
    optimizer = torch.optim.AdamW(learned, judge.pace * settings.rate, weight_decay=settings.decay)
    best, since, updates = math.inf, 0, 0
    kept = [value.detach().clone() for value in learned]
    while updates < settings.updates and since < settings.patience:
        for _ in range(settings.check_every):
            rows = rest[torch.randint(len(rest), (settings.batch_size,), generator=rng)]
            loss = binary_cross_entropy_with_logits(logits(rows), targets[rows])
            check_finite("the judge's loss", loss.item())
            optimizer.zero_grad(set_to_none=True)
            (loss + judge.penalty()).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            updates += 1
        found = _of_many(judge, logits, unseen)
        now = binary_cross_entropy_with_logits(found, targets[unseen]).item()
        since += 1
        if now < best - LEAST_GAIN:
            best, since = now, 0
            kept = [value.detach().clone() for value in learned]
    with torch.no_grad():
        for value, was in zip(learned, kept, strict=True):
            value.copy_(was)
    found = _of_many(judge, logits, unseen)
    return Fit(best, auc(found.cpu(), is_real[unseen]), updates)


def parts(count: int, share: float, seed: int, member: int) -> tuple[Tensor, Tensor]:
    """Rows that a member does not learn from, and the others; the next member has the next part."""
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed))
    size = max(1, round(share * count))
    order = order.roll(-member * size)
    return order[:size], order[size:]


def race(
    candidates: Mapping[str, Callable[[int], Discriminator]],
    sentences: Sentences,
    is_real: Tensor,
    settings: JudgeSettings,
    seed: int,
    told: Told = lambda done, total: None,
) -> tuple[str, list[Discriminator], dict[str, Fit]]:
    """The name and the members of the best kind, and what came of each kind.

    One member of each is fitted, then a second one, and so on. A kind whose loss on what its
    members did not see is clearly above the lowest leaves the race: few answers tell a bad kind,
    and many are needed to tell two good ones apart.
    """
    judges: dict[str, list[Discriminator]] = {name: [] for name in candidates}
    fits: dict[str, list[Fit]] = {name: [] for name in candidates}
    means: dict[str, Fit] = {}
    left = list(candidates)
    done = 0
    for member in range(settings.members):
        total = done + len(left) * (settings.members - member)
        for name in left:
            told(done, total)
            judges[name].append(candidates[name](member))
            found = fit(judges[name][-1], sentences, is_real, settings, seed, member)
            fits[name].append(found)
            means[name] = mean_fit(fits[name])
            done += 1
        lowest = min(means[name].loss for name in left)
        left = [name for name in left if means[name].loss <= CLEARLY * lowest]
    told(done, done)
    best = min(left, key=lambda name: means[name].loss)
    return best, judges[best], means


def mean_fit(fits: Sequence[Fit]) -> Fit:
    """Of several that are asked together: means of their losses and AUCs, and all updates."""
    n = len(fits)
    loss, area = sum(one.loss for one in fits) / n, sum(one.auc for one in fits) / n
    return Fit(loss, area, sum(one.updates for one in fits))


@torch.no_grad()
def _of_many(judge: Discriminator, logits: Logits, rows: Tensor) -> Tensor:
    with without_dropout(judge):
        parts = rows.split(CHUNK)  # type: ignore[no-untyped-call]
        return torch.cat([logits(part) for part in parts])
