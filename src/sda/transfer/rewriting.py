"""Sentences in another style: what the model reads of a source, writes, and the best of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
LEAST_ODDS = 0.6  # words with less are of no style


@dataclass(frozen=True)
class Reading:
    """Which words of a source are hidden from the model: those of other styles with log-odds above
    `threshold`, and those above `share` of the highest in their sentence, so that one that has only
    weak words of its style is not read as it is."""

    threshold: float = RAW
    share: float = 1.0

    def cuts(self, odds: Tensor) -> Tensor:
        """(B, 1) above which log-odds (B, T) are hidden."""
        relative = (self.share * odds.amax(1, keepdim=True)).clamp(min=LEAST_ODDS)
        return relative.clamp(max=self.threshold)

    def as_dict(self) -> dict[str, Any]:
        # JSON has no infinity.
        threshold = None if self.threshold == RAW else self.threshold
        return {"threshold": threshold, "share": self.share}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Reading:
        found = data["threshold"]
        # Runs that were made before have no share.
        return Reading(RAW if found is None else float(found), float(data.get("share", 1.0)))


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

    def read_as(self, sources: Sentences, styles: Tensor, reading: Reading) -> Sentences:
        """What the model sees of sources in one way of reading."""
        plain = sources.about(None)
        odds = self.masks.words.of_others(plain, styles)
        return self.masks.masked(plain, odds > reading.cuts(odds))

    def once(
        self, sources: Sentences, styles: Tensor, reading: Reading, rng: torch.Generator
    ) -> Sentences:
        """The likeliest words one after the other, in one pass."""
        return self.write(self.read_as(sources, styles, reading), styles, GREEDY, rng)

    def best(
        self,
        sources: Sentences,
        unknown: Unknown,
        styles: Tensor,
        ways: Sequence[tuple[Reading, Decoding]],
        metric: RewritingMetric,
        rng: torch.Generator,
    ) -> list[str]:
        """The best text for each source by the metric, of one candidate for each way: how the
        source is read, and how words are chosen."""
        original = self.slots.decode(sources.about(None), unknown)
        count = len(sources)
        seen = [self.read_as(sources, styles, reading) for reading, _ in ways]
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
    count: int, first: Reading, thresholds: Sequence[float], temperature: float
) -> list[tuple[Reading, Decoding]]:
    """So many different ways of rewriting: the likeliest words in the first way of reading, then at
    the thresholds next to it; where there are no more, samples with all of them in turn."""
    others = sorted({*thresholds, RAW} - {first.threshold}, key=lambda t: abs(t - first.threshold))
    inputs = [first, *map(Reading, others)]
    ways = [(reading, GREEDY) for reading in inputs[:count]]
    sampled = Decoding(temperature=temperature)
    for number in range(count - len(ways)):
        ways.append((inputs[number % len(inputs)], sampled))
    return ways
