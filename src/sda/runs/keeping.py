"""What a run with a judge hands over: which generator, and how much of what it writes is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from sda.archive import Answered, Archive
from sda.baselines.selection import kept_rows
from sda.models.generator import Generator
from sda.models.guided import Guided, can_guide
from sda.randomness import seeded
from sda.reference.metric import WeightedSum
from sda.runs.hand_over import LAST, MLE, HandedOver
from sda.sampling import Decoding
from sda.scoring.comparison import (
    Change,
    Comparison,
    Diversity,
    Quality,
    compare_quality,
    find_changes,
    nothing_bought,
)
from sda.scoring.writing import writer
from sda.settings.schema import Settings
from sda.source import Loaded
from sda.text.sentences import Sentences
from sda.training.judging import Judge

STRENGTHS = 4
"""Of the guide: that of the settings, and halves of the one before."""


@dataclass(frozen=True)
class Offer:
    """One generator with one share kept, or one guide: what it would write, how that compares."""

    stage: str
    keep: float
    guide: float
    sentences: Sentences
    verdict: float
    """The judge's mean opinion of these sentences."""
    changes: tuple[Change, ...]

    @property
    def is_choice(self) -> bool:
        """Whether the judge chooses among finished sentences of the start."""
        return self.stage == MLE and not self.guide


def decide(
    settings: Settings,
    offers: Sequence[Offer],
    judge: Judge,
    metric: WeightedSum,
    archive: Archive,
    checked: int,
    updates: int,
) -> HandedOver:
    """The offer that the judge likes best, where the metric confirms it, or the start.

    The metric is asked about `checked` sentences of that offer, which stand beside all that the
    start wrote for it: the judge may think too well of what it taught. What a judge that chooses
    among sentences of the start would have chosen of those, had it not been told of them, counts
    too. Where the metric does not confirm the best offer, such a judge is tried by that alone,
    without a further call. With `judge.holds_against = "choice"` it comes first, unless the metric
    shows that the best offer is better than that too.
    """
    if not offers:
        reason = "whatever is kept, diversity is lower than its limits allow"
        if not judge.is_fitted:
            calls = f"{archive.calls:,}"
            reason = f"the metric said the same of all {calls} sentences that it was asked"
        return HandedOver(MLE, nothing_bought("Stage II", reason))
    best = max(offers, key=lambda offer: offer.verdict)
    order = torch.randperm(len(best.sentences), generator=seeded(settings.seed, "check"))
    asked = metric(best.sentences[order[:checked]]).total.numpy()
    known = archive.entries
    before = known.scores[known.epochs == 0].numpy()

    def quality(before: NDArray[np.float64], after: NDArray[np.float64]) -> Quality | None:
        name, needed = " + ".join(metric.names), settings.hand_over.quality
        return compare_quality(name, before, after, needed)

    def compared(offer: Offer, *after: NDArray[np.float64]) -> Comparison:
        if offer.is_choice:
            after = (*after, _would_be_kept(judge, known, offer.keep))
        return Comparison(offer.changes, quality(before, np.concatenate(after)))

    choice = next((offer for offer in offers if offer.is_choice and offer is not best), None)
    tried = [(best, compared(best, asked))]
    if choice is not None:
        tried.append((choice, compared(choice)))
        if settings.judge.holds_against == "choice":
            shown = quality(_would_be_kept(judge, known, choice.keep), asked)
            if shown is None or not shown.has_risen:
                tried.reverse()
    for offer, found in tried:
        if found.is_bought:
            return _bought(offer, found, judge, archive.paid, updates)
    refused = next(found for offer, found in tried if offer is best)
    return HandedOver(MLE, refused.sentence("Stage II", ""), refused)


def _bought(
    offer: Offer, compared: Comparison, judge: Judge, calls: int, updates: int
) -> HandedOver:
    """The offer, and what was bought with it at what price."""
    cost = f"{calls:,} metric calls"
    if offer.stage == LAST:
        cost += f" and {updates:,} updates"
    if offer.keep < 1:
        cost += f", writing {1 / offer.keep:.2g} sentences for each one kept"
    sentence = f"{compared.sentence(_what(offer), cost)} {judge.sentence()}"
    return HandedOver(offer.stage, sentence, compared, offer.keep, offer.guide)


def _what(best: Offer) -> str:
    """Who bought it, for the sentence."""
    if best.stage == LAST:
        return "Stage II, the judge weighing every word," if best.guide else "Stage II"
    how = "weighing every word" if best.guide else "choosing among sentences"
    return f"The judge, {how} of the start,"


def _would_be_kept(judge: Judge, known: Answered, keep: float) -> NDArray[np.float64]:
    """Scores of the start's sentences that judges who did not learn from them keep."""
    rows, verdicts = judge.unseen(known)
    is_start = known.epochs[rows] == 0
    rows, verdicts = rows[is_start], verdicts[is_start]
    kept = rows[kept_rows(verdicts, known.sentences.lengths[rows], keep)]
    return known.scores[kept].numpy()


def find_offers(
    settings: Settings, loaded: Loaded, generators: Mapping[str, Generator], judge: Judge
) -> list[Offer]:
    """What each generator has to offer within the limits, if anything.

    Each has its words weighed by the strongest guide that breaks no limit of diversity; where the
    judge cannot guide, the smallest share that breaks none is kept. A judge that nothing taught has
    nothing to offer.
    """
    if not judge.is_fitted:
        return []
    limits, words = settings.hand_over, loaded.vocabulary.words
    figures = Diversity(loaded.held_out.real, loaded.held_out.train)
    decoding = Decoding(never=loaded.vocabulary.unk)

    def write(generator: Generator, n: int) -> Sentences:
        rng = seeded(settings.seed, "hand over")
        return writer(generator, loaded.corpus.valid, decoding, rng)(n).to("cpu")

    def changes(sentences: Sentences) -> tuple[Change, ...] | None:
        """From the start; None where one breaks a limit."""
        found = tuple(find_changes(start, figures(words(sentences)), limits))
        return None if any(change.is_broken for change in found) else found

    def guided(stage: str) -> Offer | None:
        """Its words weighed as strongly as the limits allow."""
        for guide in strengths(settings.judge.guide) if can_guide(judge.model) else ():
            written = write(Guided(generators[stage], judge.model, guide), limits.samples)
            found = changes(written)
            if found is not None:
                return Offer(stage, 1.0, guide, written, float(judge(written).mean()), found)
        return None

    def chosen(stage: str) -> Offer | None:
        """As little of what it writes as the limits allow."""
        written = write(generators[stage], math.ceil(limits.samples / settings.judge.keep))
        verdicts = judge(written)
        for keep in shares(settings.judge.keep, settings.judge.shares):
            if stage == MLE and keep == 1:
                continue
            # As many sentences of each share, since diversity depends on their number.
            count = min(len(written), math.ceil(limits.samples / keep))
            rows = kept_rows(verdicts[:count], written.lengths[:count], keep)
            kept = rows[: limits.samples]
            found = changes(written[kept])
            if found is not None:
                verdict = float(verdicts[kept].mean())
                return Offer(stage, keep, 0.0, written[kept], verdict, found)
        return None

    start = figures(words(write(generators[MLE], limits.samples)))
    found = [guided(stage) or chosen(stage) for stage in generators]
    return [offer for offer in found if offer is not None]


def shares(least: float, steps: int) -> list[float]:
    """The shares that may be kept, from the least up to all in even steps."""
    found = [least + (1 - least) * number / steps for number in range(steps)]
    return sorted({*(round(share, 3) for share in found), 1.0})


def strengths(most: float) -> list[float]:
    """How strong a guide may be, from the strongest down; none where there is to be none."""
    return [most / 2**number for number in range(STRENGTHS)] if most else []
