"""Sentences chosen after they were written: what can be had from a model without training it.

Each class is called with what writes sentences and the number wanted. A condition that nothing
meets ends after `MOST_TRIES` sentences for each one wanted, with an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

import numpy as np
import torch
from pydantic import Field, PositiveInt
from torch import Tensor

from sda.errors import UserError
from sda.models.discriminator import Discriminator
from sda.models.generator import CHUNK, without_dropout
from sda.reference.metric import WeightedSum
from sda.sampling import Write
from sda.text.ngrams import number_sentences
from sda.text.sentences import Flat, Sentences

MOST_TRIES = 1000
CANDIDATES = 4  # of which the best is taken
QUARTILES = (0.25, 0.5, 0.75)
LEAST_BATCH = 256  # sentences judged at a time: small batches cost as much as larger ones


class BestOf:
    """Each sentence is the best by the metric of `candidates` written ones."""

    def __init__(self, metric: WeightedSum, candidates: int = CANDIDATES) -> None:
        _require_parts(metric)
        if candidates < 1:
            raise ValueError(f"candidates must be at least 1, not {candidates}")
        self._metric = metric
        self._candidates = candidates

    def __call__(self, write: Write, n: int) -> Sentences:
        """n sentences. Where the metric rules out all candidates of one, others are written."""

        def best_of(left: int) -> tuple[Sentences, Tensor]:
            written = write(left * self._candidates, self._candidates)
            scores = self._metric(written).total.view(-1, self._candidates)
            best, place = scores.max(1)
            rows = torch.arange(len(best)) * self._candidates + place
            return written, rows[best > -torch.inf]

        return _until(n, "the metric's filters", best_of)


class Accepted:
    """Sentences that score more than `above` by the metric: the most that a metric can do, as long
    as it may be asked about every sentence that is written."""

    def __init__(self, metric: WeightedSum, above: float = 0.5) -> None:
        _require_parts(metric)
        self._metric = metric
        self._above = above

    def __call__(self, write: Write, n: int) -> Sentences:
        """n sentences, in the order in which they were written."""

        def accept(left: int) -> tuple[Sentences, Tensor]:
            written = write(max(LEAST_BATCH, left))
            return written, (self._metric(written).total > self._above).nonzero()[:left, 0]

        return _until(n, "the metric", accept)


class Rejection:
    """Sentences are accepted as likely as the discriminator holds them to be real.

    Azadi et al. (2018), in its simple form: with probability r / r_max, where r = D / (1 - D) and
    r_max is the largest r so far, over `first` sentences that are written for it and all after
    them. With an ideal discriminator the accepted sentences have the distribution of the data.
    """

    def __init__(
        self, discriminator: Discriminator, rng: torch.Generator, first: int = 1000
    ) -> None:
        if first < 1:
            raise ValueError(f"first must be at least 1, not {first}")
        self._discriminator = discriminator
        self._rng = rng
        self._first = first

    def __call__(self, write: Write, n: int) -> Sentences:
        """n sentences, in the order in which they were accepted."""
        largest = log_ratio(self._discriminator, write(self._first)).max()
        accepted: list[Sentences] = []
        found = tries = 0
        while found < n:
            _check_tries(tries, n, found, "the discriminator")
            written = write(max(LEAST_BATCH, n - found))
            tries += len(written)
            ratio = log_ratio(self._discriminator, written)
            # Each is held against the largest before it and itself.
            largest_yet = torch.cat((largest[None], ratio)).cummax(0).values[1:]
            lots = torch.rand(len(written), generator=self._rng, dtype=torch.float64)
            passed = (lots < (ratio - largest_yet).exp()).nonzero()[: n - found, 0]
            accepted.append(written[passed])
            found += len(passed)
            largest = largest_yet[-1]
        return Sentences.join(accepted)


class Kept:
    """The share `keep` of what is written is kept: what the discriminator holds to be best.

    At least `first` sentences are written, so that few are chosen as many would be.
    """

    def __init__(
        self,
        discriminator: Discriminator,
        keep: Annotated[float, Field(gt=0, le=1)] = 0.5,
        first: PositiveInt = 1000,
    ) -> None:
        self._discriminator = discriminator
        self._keep = keep
        self._first = first

    def __call__(self, write: Write, n: int) -> Sentences:
        """n sentences, in the order in which they were written."""
        written = write(max(self._first, math.ceil(n / self._keep)))
        logits = log_ratio(self._discriminator, written)
        return written[kept_rows(logits, written.lengths.cpu(), self._keep)[:n]]


def kept_rows(verdicts: Tensor, lengths: Tensor, keep: float) -> Tensor:
    """The rows of the best share by their verdicts, in order.

    The share is that of the shorter and of the longer sentences alike, in four parts: a long one
    has more places to be wrong, and without this what is kept would be short.
    """
    edges = lengths.double().quantile(torch.tensor(QUARTILES, dtype=torch.float64))
    parts = torch.bucketize(lengths.double(), edges)
    kept = []
    for part in torch.unique(parts):
        rows = (parts == part).nonzero()[:, 0]
        order = verdicts[rows].argsort(descending=True, stable=True)
        kept.append(rows[order[: math.ceil(keep * len(rows))]])
    return torch.cat(kept).sort().values


class Fresh:
    """Sentences that equal none of `known`, and with `unique` none of each other.

    They are chosen by another selection, or taken as they are written.
    """

    def __init__(
        self,
        words: Callable[[Sentences], Flat],
        choose: Callable[[Write, int], Sentences] | None = None,
        known: Flat | None = None,
        unique: bool = True,
    ) -> None:
        self._words = words
        self._choose = choose
        self._known = known if known is not None else Flat.from_lists([])
        self._unique = unique

    def __call__(self, write: Write, n: int) -> Sentences:
        found = Sentences.empty()
        tries = 0
        while len(found) < n:
            _check_tries(tries, n, len(found), "--unique and --no-copies")
            wanted = max(LEAST_BATCH, n - len(found))
            more = write(wanted) if self._choose is None else self._choose(write, wanted)
            tries += len(more)
            found = self._fresh(Sentences.join([found, more]) if len(found) else more)
        return found[:n]

    def _fresh(self, sentences: Sentences) -> Sentences:
        """Those of the sentences, in order, that are wanted."""
        numbers = number_sentences(Flat.join(self._known, self._words(sentences)))
        own = numbers[len(self._known) :]
        wanted = ~np.isin(own, numbers[: len(self._known)])
        if self._unique:
            first = np.zeros(len(own), dtype=bool)
            first[np.unique(own, return_index=True)[1]] = True
            wanted &= first
        return sentences[torch.from_numpy(wanted.nonzero()[0])]


@torch.no_grad()
def log_ratio(discriminator: Discriminator, sentences: Sentences) -> Tensor:
    """(B,) log D / (1 - D), which is the discriminator's logit, on the CPU."""
    with without_dropout(discriminator):
        parts = [
            discriminator.real_logit(sentences[first : first + CHUNK].to(discriminator.device))
            for first in range(0, len(sentences), CHUNK)
        ]
    return torch.cat([part.cpu().double() for part in parts])


def _require_parts(metric: WeightedSum) -> None:
    if not metric.parts:
        raise ValueError("a selection by the metric needs a metric")


def _until(n: int, by: str, choose: Callable[[int], tuple[Sentences, Tensor]]) -> Sentences:
    """n sentences; `choose` writes some, told how many are left to find, and says which pass."""
    passed: list[Sentences] = []
    found = tries = 0
    while found < n:
        _check_tries(tries, n, found, by)
        written, rows = choose(n - found)
        tries += len(written)
        passed.append(written[rows])
        found += len(rows)
    return Sentences.join(passed)


def _check_tries(tries: int, wanted: int, found: int, by: str) -> None:
    if tries >= MOST_TRIES * wanted:
        raise UserError(
            f"selection: {by} let {found} of {tries} sentences pass, and {wanted} are wanted"
        )
