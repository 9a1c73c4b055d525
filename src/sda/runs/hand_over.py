"""What a run hands over: what became of its start, or the start itself where that is no better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sda.doors import check
from sda.files import read_marked
from sda.models.generator import Generator
from sda.randomness import seeded
from sda.reference.metric import WeightedSum
from sda.runs.shapes import HandedOverShape
from sda.sampling import Decoding
from sda.scoring.comparison import Comparison, compare, compare_quality, nothing_bought
from sda.scoring.row_scorer import Selection
from sda.scoring.writing import writer
from sda.settings.schema import Settings
from sda.source import Loaded
from sda.text.sentences import Sentences

HAS_HANDED_OVER = "has_handed_over"  # in finished.json: there is a file that says which
HANDED = "handed"  # asks for whichever of the two a run hands over
LAST = "last"
MLE = "mle"
STAGES = (HANDED, LAST, MLE)


@dataclass(frozen=True)
class HandedOver:
    """Which state a run hands over, one sentence on why, and what was compared for it.

    Nothing was compared where Stage II was taken back to its start.
    """

    stage: str
    sentence: str
    comparison: Comparison | None = None
    keep: float = 1.0
    """The share of what it writes that is kept, by the run's judge; 1 keeps all."""
    guide: float = 0.0
    """How strongly the run's judge weighs each word as it is written; 0 not at all."""

    @property
    def is_start(self) -> bool:
        """Whether the start is handed over as it is."""
        return self.stage == MLE and not self.is_judged

    @property
    def is_judged(self) -> bool:
        """Whether the run's judge has a say in what is written."""
        return self.keep < 1 or self.guide > 0

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        compared = None if self.comparison is None else self.comparison.as_dict()
        return {
            "stage": self.stage,
            "keep": self.keep,
            "guide": self.guide,
            "sentence": self.sentence,
            "comparison": compared,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> HandedOver:
        """What `as_dict` wrote down."""
        compared = data["comparison"]
        compared = None if compared is None else Comparison.from_dict(compared)
        keep, guide = float(data.get("keep", 1.0)), float(data.get("guide", 0.0))
        return cls(data["stage"], data["sentence"], compared, keep, guide)


def read_handed_over(path: Path) -> HandedOver | None:
    """What the file says; None without one, as in runs that were not checked."""
    if not path.exists():
        return None
    return HandedOver.from_dict(check(HandedOverShape, read_marked(path), str(path)))


def taken_back(reason: str) -> HandedOver:
    """The start, which Stage II was taken back to for that reason."""
    return HandedOver(MLE, nothing_bought("Stage II", reason))


def hand_over(
    settings: Settings,
    loaded: Loaded,
    start: Generator,
    last: Generator,
    selection: Selection | None,
    metric: WeightedSum,
    scored: int,
    what: str,
    cost: str,
) -> HandedOver:
    """The better of the start and the last generator, whose sentences a selection may choose.

    Both write as many sentences, from the same random numbers: a last state that is the start
    writes the same ones. The metric scores `scored` of each. `what` and `cost` are what was done to
    the start and what that took, for the sentence.
    """
    limits, held_out = settings.hand_over, loaded.held_out

    def written(generator: Generator, selection: Selection | None) -> Sentences:
        rng = seeded(settings.seed, "hand over")
        write = writer(generator, loaded.corpus.valid, Decoding(never=loaded.vocabulary.unk), rng)
        return write(limits.samples) if selection is None else selection(write, limits.samples)

    before, after = written(start, None), written(last, selection)
    quality = None
    if metric.parts:
        scores = [metric(side[:scored]).total.numpy() for side in (before, after)]
        quality = compare_quality(" + ".join(metric.names), scores[0], scores[1], limits.quality)
    words = loaded.vocabulary.words
    # The test sentences stay out of it: they are for the table.
    compared = compare(words(before), words(after), held_out.real, held_out.train, quality, limits)
    stage = LAST if compared.is_bought else MLE
    return HandedOver(stage, compared.sentence(what, cost), compared)
