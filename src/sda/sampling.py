"""Writing sentences with any generator: whole ones, and completions of given beginnings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from sda.devices import rows_at_once
from sda.models.branching import State, select
from sda.models.generator import Frame, Generator, without_dropout
from sda.text.context import Context
from sda.text.sentences import Sentences


class Write(Protocol):
    """Writes so many sentences, of which each `copies` in a row are about the same."""

    def __call__(self, n: int, copies: int = 1, /) -> Sentences: ...


MOST_DRAWS = 32  # of a word that the generator may refuse
LEAST_TEMPERATURE = 1e-6  # words are as good as certain long before; likelihoods overflow below


@dataclass(frozen=True)
class Decoding:
    """How the next word is chosen. The literature's logit factor alpha is 1 / temperature."""

    temperature: float = 1.0
    """Logits are divided by it: below 1 is sharper, above 1 is flatter."""
    top_k: int | None = None
    """Only the k likeliest words may be chosen."""
    top_p: float | None = None
    """Only the likeliest words that together reach this probability may be chosen."""
    never: int | None = None
    """This word may not be chosen: the unknown word, in sentences for people."""

    def __post_init__(self) -> None:
        if not self.temperature >= LEAST_TEMPERATURE:
            raise ValueError(
                f"temperature must be at least {LEAST_TEMPERATURE}, not {self.temperature}"
            )
        if self.top_k is not None and self.top_k < 1:
            raise ValueError(f"top_k must be at least 1, not {self.top_k}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p}")

    def adjust(self, logits: Tensor) -> Tensor:
        """Logits (B, V) with the temperature applied and excluded words at minus infinity."""
        if self.never is not None:
            forbidden = torch.tensor([self.never], device=logits.device)
            logits = logits.index_fill(1, forbidden, float("-inf"))
        if self.temperature != 1.0:
            # Taken from the largest, quotients are numbers where the temperature is near zero; and
            # above, with a divisor that the logits' type can hold, since inf / inf is none.
            divisor = min(self.temperature, torch.finfo(logits.dtype).max)
            logits = (logits - logits.amax(1, keepdim=True)) / divisor
        if self.top_k is not None and self.top_k < logits.shape[1]:
            least = logits.topk(self.top_k, 1).values[:, -1:]
            logits = logits.masked_fill(logits < least, float("-inf"))
        if self.top_p is not None and self.top_p < 1:
            ordered, order = logits.sort(1, descending=True)
            before = ordered.softmax(1).cumsum(1) - ordered.softmax(1)
            # The likeliest word stays whatever its probability.
            excluded = (before >= self.top_p).scatter(1, order, before >= self.top_p)
            logits = logits.masked_fill(excluded, float("-inf"))
        return logits


PLAIN = Decoding()


class Decoded(Generator):
    """A generator whose next word has the probabilities that a decoding draws it with."""

    def __init__(self, generator: Generator, decoding: Decoding) -> None:
        g = generator
        super().__init__(Frame(g.vocabulary_size, g.eos, g.max_length, g.bos))
        self.generator = generator
        self.decoding = decoding

    def start(self, n: int, context: Context | None = None) -> State:
        return self.generator.start(n, context)

    def step(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        logits, state = self.generator.step(state, tokens)
        return self.decoding.adjust(logits), state


def pick(logits: Tensor, rng: torch.Generator) -> Tensor:
    """(B,) one id per row, drawn from softmax(logits).

    Inversion in two levels: first a block of about sqrt(V) words by the block sums, then a word in
    it. One uniform number per row instead of one exponential per word makes this about ten times
    as fast as `torch.multinomial` at 5,000 words.
    """
    rows, words = logits.shape
    width = max(1, round(words**0.5))
    even = words // width * width  # where the last, shorter block begins; it may be empty
    weights = logits.softmax(1)
    blocks = weights[:, :even].view(rows, -1, width).sum(2)
    ends = torch.cat((blocks, weights[:, even:].sum(1, keepdim=True)), 1).cumsum(1)
    height = torch.rand(rows, 1, generator=rng, device=rng.device).to(logits.device) * ends[:, -1:]
    block = _first_above(ends, height)
    below = torch.where(block > 0, ends.gather(1, (block - 1).clamp(min=0)), 0.0)
    members = block * width + torch.arange(width, device=logits.device)
    inside = weights.gather(1, members.clamp(max=words - 1))
    inside = inside.masked_fill(members >= words, 0.0).cumsum(1)
    chosen: Tensor = block * width + _first_above(inside, height - below)
    return chosen[:, 0]


def _first_above(ends: Tensor, height: Tensor) -> Tensor:
    """(B, 1) the first index whose cumulative sum exceeds the height.

    Rounding can lift the height to the total; just below the total still falls on a word that has
    weight, never on one without.
    """
    total = ends[:, -1:]
    height = torch.minimum(height, torch.nextafter(total, torch.zeros_like(total)))
    return torch.searchsorted(ends, height, right=True)


def _choose(generator: Generator, state: State, logits: Tensor, rng: torch.Generator) -> Tensor:
    """(B,) one id per row, drawn until the generator lets one pass.

    Where it has refused `MOST_DRAWS`, the one that it would have let pass most readily stands.
    """
    chosen = pick(logits, rng)
    best = generator.passing(state, chosen)
    if best is None:
        return chosen
    rows = _is_refused(best, rng).nonzero()[:, 0]
    for _ in range(MOST_DRAWS - 1):
        if not len(rows):
            break
        drawn = pick(logits[rows], rng)
        passing = generator.passing(select(state, rows), drawn)
        assert passing is not None
        is_refused = _is_refused(passing, rng)
        stands = ((passing > best[rows]) | ~is_refused).nonzero()[:, 0]
        chosen[rows[stands]], best[rows[stands]] = drawn[stands], passing[stands]
        rows = rows[is_refused.nonzero()[:, 0]]
    return chosen


def _is_refused(passing: Tensor, rng: torch.Generator) -> Tensor:
    """(B,) whether chance refuses what passes with these log-probabilities."""
    height = torch.rand(len(passing), generator=rng, device=rng.device).to(passing.device)
    return height.log() >= passing


@torch.no_grad()
def sample(
    generator: Generator,
    n: int,
    rng: torch.Generator,
    decoding: Decoding = PLAIN,
    max_length: int | None = None,
    context: Context | None = None,
) -> Sentences:
    """n sentences written by the generator, cut at `max_length` tokens where none ended before.

    Each is about its row of the context, where there is one.
    """
    longest = generator.max_length if max_length is None else max_length
    chunk = rows_at_once(generator.device, generator.vocabulary_size)
    context = None if context is None else context.to(generator.device)
    parts = []
    with without_dropout(generator):
        for first in range(0, n, chunk):
            rows = min(chunk, n - first)
            tokens = torch.full((rows,), generator.bos, device=generator.device)
            about = None if context is None else context[first : first + rows]
            logits, state = generator.step(generator.start(rows, about), tokens)
            written = _continue(generator, logits, state, longest, rng, decoding)
            parts.append(written.about(about))
    return Sentences.join(parts) if parts else Sentences.empty(longest).to(generator.device)


@torch.no_grad()
def complete(
    generator: Generator,
    prefixes: Tensor,
    logits: Tensor,
    state: State,
    rng: torch.Generator,
    max_length: int | None = None,
    context: Context | None = None,
) -> Sentences:
    """Sentences that begin with the prefixes (B, t) and go on as the generator would.

    `logits` (B, V) and `state` are the generator's after reading the prefixes, none of which has
    ended; the state began with the context. The caller turns dropout off.
    """
    longest = (generator.max_length if max_length is None else max_length) - prefixes.shape[1]
    rest = _continue(generator, logits, state, longest, rng, PLAIN)
    tokens = torch.cat((prefixes, rest.tokens), 1)
    return Sentences(tokens, rest.lengths + prefixes.shape[1], context)


def _continue(
    generator: Generator,
    logits: Tensor,
    state: State,
    longest: int,
    rng: torch.Generator,
    decoding: Decoding,
) -> Sentences:
    """Up to `longest` further tokens for each row; rows that have ended leave the batch."""
    rows = len(logits)
    tokens = torch.zeros(rows, longest, dtype=torch.int64, device=logits.device)
    lengths = torch.full((rows,), longest, dtype=torch.int64, device=logits.device)
    active = torch.arange(rows, device=logits.device)
    for t in range(longest):
        chosen = _choose(generator, state, decoding.adjust(logits), rng)
        tokens[active, t] = chosen
        if generator.eos is not None:
            ended = chosen == generator.eos
            if bool(ended.any()):
                lengths[active[ended]] = t + 1
                going = (~ended).nonzero()[:, 0]
                active, chosen, state = active[going], chosen[going], select(state, going)
        if t + 1 == longest or not len(active):
            break
        logits, state = generator.step(state, chosen)
    return Sentences(tokens, lengths)
