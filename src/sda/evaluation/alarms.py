"""Signs that a set of sentences is not what its best score says, each in one plain sentence.

Every sign is held against real text that was scored in the same way: the same references and the
same number of sentences. Real held-out text raises none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sda.evaluation.catalogue import kind_of
from sda.evaluation.interval import NORMAL
from sda.evaluation.score import Score

ERRORS = 3.0  # standard errors of a difference that few sentences do not explain
BLEU_MARGIN = 0.01
DUPLICATE_MARGIN = 0.02
SELF_BLEU_MARGIN = 0.1
COPY_MARGIN = 0.01
ORDER_SHARE = 0.3

ByName = Mapping[str, Score]

ADVICE = {
    "better-than-real": "Do not report this score alone: sda curve RUN says whether quality is"
    " higher at equal diversity.",
    "duplicates": "Write with sda sample RUN --unique; a higher temperature or fewer epochs of"
    " Stage II (stage2.epochs) leave fewer.",
    "self-bleu": "Write at a higher temperature, or train with fewer epochs of Stage II"
    " (stage2.epochs); sda curve RUN says what is left at equal diversity.",
    "word-order": "Train longer by maximum likelihood (mle.epochs), or on more text, before"
    " anything else.",
    "copies": "Write with sda sample RUN --no-copies; more text, more dropout (generator.dropout)"
    " or a smaller generator copy less.",
}
"""What to do about each alarm, by its name."""


@dataclass(frozen=True)
class Alarm:
    """One sign: a short name, the scores that show it, and what it means."""

    name: str
    scores: tuple[str, ...]
    message: str

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Alarm:
        """The alarm that `as_dict` wrote down."""
        return cls(data["name"], tuple(data["scores"]), data["message"])

    @property
    def advice(self) -> str:
        """What to do about it, in one sentence; empty for an alarm of your own."""
        return ADVICE.get(self.name, "")

    def as_dict(self) -> dict[str, object]:
        return {"name": self.name, "scores": list(self.scores), "message": self.message}


def find_alarms(scores: Sequence[Score], ceiling: Sequence[Score]) -> list[Alarm]:
    """What the scores of samples show beside those of real text; needs both to have a score."""
    ours = {score.name: score for score in scores}
    real = {score.name: score for score in ceiling}
    found = [look(ours, real) for look in _SIGNS]
    return [alarm for alarm in found if alarm is not None]


def _better_than_real(ours: ByName, real: ByName) -> Alarm | None:
    names = [name for name in ours if name.startswith("bleu-") and name in real]
    above = [name for name in names if _exceeds(ours, real, name, BLEU_MARGIN)]
    says = (
        "{} is {:.3f}, above the {:.3f} of real text: such a score is bought with diversity or"
        " with copies, not with quality"
    )
    return _furthest(ours, real, "better-than-real", above, says)


def _duplicates(ours: ByName, real: ByName) -> Alarm | None:
    says = "{:.1%} of the sentences repeat another one, against {:.1%} of real text"
    return _too_many(ours, real, "duplicates", "duplicate-share", DUPLICATE_MARGIN, says)


def _sameness(ours: ByName, real: ByName) -> Alarm | None:
    names = [name for name in ours if name.startswith("self-bleu-")]
    far = [name for name in names if _exceeds(ours, real, name, SELF_BLEU_MARGIN)]
    says = "{} is {:.3f}, far above the {:.3f} of real text: the sentences are much alike"
    return _furthest(ours, real, "self-bleu", far, says)


def _word_order(ours: ByName, real: ByName) -> Alarm | None:
    name = "order-gain"
    if name not in ours or name not in real or real[name].value <= 0:
        return None
    share = ours[name].value / real[name].value
    if share >= ORDER_SHARE:
        return None
    return Alarm(
        "word-order",
        (name,),
        f"shuffling the words costs {ours[name].value:.2f} nats a token under a language model,"
        f" against {real[name].value:.2f} in real text: no language model believes this order",
    )


def _copies(ours: ByName, real: ByName) -> Alarm | None:
    says = (
        "{:.1%} of the sentences are training sentences word for word, against {:.1%} of real"
        " held-out text"
    )
    return _too_many(ours, real, "copies", "copy-share", COPY_MARGIN, says)


def _too_many(
    ours: ByName, real: ByName, alarm: str, name: str, margin: float, says: str
) -> Alarm | None:
    """The alarm where a share is above that of real text, both of which it says."""
    if not _exceeds(ours, real, name, margin):
        return None
    return Alarm(alarm, (name,), says.format(ours[name].value, real[name].value))


def _furthest(
    ours: ByName, real: ByName, alarm: str, names: Sequence[str], says: str
) -> Alarm | None:
    """The alarm about these scores, of which it says the one that is furthest above real text."""
    if not names:
        return None
    worst = max(names, key=lambda name: ours[name].value - real[name].value)
    message = says.format(kind_of(worst).title, ours[worst].value, real[worst].value)
    return Alarm(alarm, tuple(names), message)


def _exceeds(ours: ByName, real: ByName, name: str, margin: float) -> bool:
    """Whether the score is above that of real text by more than the margin and than chance."""
    if name not in ours or name not in real:
        return False
    chance = ERRORS * (_error(ours[name]) ** 2 + _error(real[name]) ** 2) ** 0.5
    return bool(ours[name].value - real[name].value > max(margin, chance))


def _error(score: Score) -> float:
    """The standard error, or what the interval says of it; 0 where neither is known."""
    if score.standard_error is not None:
        return score.standard_error
    if score.interval is None:
        return 0.0
    return (score.interval[1] - score.interval[0]) / (2 * NORMAL)


_SIGNS: tuple[Callable[[ByName, ByName], Alarm | None], ...] = (
    _better_than_real,
    _duplicates,
    _sameness,
    _word_order,
    _copies,
)
