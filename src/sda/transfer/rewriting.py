"""Sentences in another style: what the model reads of a source, writes, and the best of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from sda.models.copying import CopyingGenerator
from sda.sampling import Decoding, sample
from sda.text.context import Context
from sda.text.sentences import Sentences
from sda.transfer.noise import Masks
from sda.transfer.rewriting_metric import RewritingMetric
from sda.transfer.word_slots import Unknown, WordSlots

LONGER = 6  # words that a rewriting may have beyond those of its source
ROWS = 256  # sentences written together
GREEDY = Decoding(top_k=1)
RAW = float("inf")
"""The threshold at which nothing is masked."""


@dataclass(frozen=True)
class RewritingModel:
    """A generator with all that stands between it and texts."""

    generator: CopyingGenerator
    slots: WordSlots
    masks: Masks

    def read(self, sources: Sentences, styles: Tensor, thresholds: Tensor) -> Sentences:
        """What the model sees of sources that are to get these styles (B,): words of the other
        styles are masked where their log-odds are above the thresholds (B, 1)."""
        plain = sources.about(None)
        return self.masks.masked(plain, self.masks.words.of_others(plain, styles) > thresholds)

    def write(
        self, seen: Sentences, styles: Tensor, decoding: Decoding, rng: torch.Generator
    ) -> Sentences:
        """One rewriting of each, about nothing; those of like length are written together."""
        order = seen.lengths.argsort(stable=True)
        parts = []
        for rows in order.split(ROWS):  # type: ignore[no-untyped-call]
            some = seen[rows].trimmed()
            longest = int(some.lengths.max()) + LONGER if len(some) else 0
            about = Context(styles[rows], some)
            written = sample(self.generator, len(rows), rng, decoding, longest, about)
            # Each by its own source, whatever stands beside it.
            ends = torch.minimum(written.lengths, some.lengths + LONGER)
            parts.append(written.about(None).cut(ends))
        return Sentences.join(parts)[order.argsort()] if parts else Sentences.empty()

    def once(
        self, sources: Sentences, styles: Tensor, threshold: float, rng: torch.Generator
    ) -> Sentences:
        """The likeliest words one after the other, in one pass."""
        seen = self.read(sources, styles, torch.full((len(sources), 1), threshold))
        return self.write(seen, styles, GREEDY, rng)

    def best(
        self,
        sources: Sentences,
        unknown: Unknown,
        styles: Tensor,
        ways: Sequence[tuple[float, Decoding]],
        metric: RewritingMetric,
        rng: torch.Generator,
    ) -> list[str]:
        """The best text for each source by the metric, of one candidate for each way: a threshold,
        and how words are chosen."""
        original = self.slots.decode(sources.about(None), unknown)
        count = len(sources)
        seen = [
            self.read(sources, styles, torch.full((count, 1), threshold)) for threshold, _ in ways
        ]
        texts: list[str] = []
        # Those that are written alike go through the model together.
        for decoding in dict.fromkeys(decoding for _, decoding in ways):
            group = [part for part, (_, how) in zip(seen, ways, strict=True) if how == decoding]
            written = self.write(Sentences.join(group), styles.repeat(len(group)), decoding, rng)
            texts += self.slots.decode(written, list(unknown) * len(group))
        verdict = metric(texts, original * len(ways), styles.repeat(len(ways)))
        winners = verdict.total.view(len(ways), count).argmax(0).tolist()
        return [texts[way * count + row] for row, way in enumerate(winners)]


def candidate_ways(
    count: int, first: float, thresholds: Sequence[float], temperature: float
) -> list[tuple[float, Decoding]]:
    """So many different ways of rewriting: greedy at the first threshold, then at those next to it;
    where there are no more, samples at all of them in turn."""
    others = sorted({*thresholds, RAW} - {first}, key=lambda threshold: abs(threshold - first))
    inputs = [first, *others]
    ways = [(threshold, GREEDY) for threshold in inputs[:count]]
    sampled = Decoding(temperature=temperature)
    for number in range(count - len(ways)):
        ways.append((inputs[number % len(inputs)], sampled))
    return ways
