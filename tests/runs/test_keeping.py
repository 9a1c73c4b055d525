"""Which offer is handed over, worked out by hand."""

from collections.abc import Callable

import pytest
import torch
from fakes import sentences_of
from tiny import tiny_settings
from torch import Tensor

from sda.archive import Answered, Archive, Question
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.runs.hand_over import LAST, MLE, HandedOver
from sda.runs.keeping import Offer, decide
from sda.scoring.comparison import Change, Quality
from sda.settings.schema import Settings
from sda.text.sentences import Sentences
from sda.training.fitting import Fit
from sda.training.judging import Judge

GOOD, BAD, FAIR = 1, 2, 3
START = sentences_of(*[[GOOD], [BAD]] * 10)
"""Half of what the start wrote is good."""
CHECKED = 4


class FirstWord(ReferenceMetric):
    """1 for a sentence whose first word is good, 0.9 if it is fair; counts what it is asked."""

    name = "first-word"

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, sentences: Sentences) -> Tensor:
        self.asked += len(sentences)
        first = sentences.tokens[:, 0]
        return (first == GOOD).double() + 0.9 * (first == FAIR).double()


class Knowing(Judge):
    """Has said `verdicts` of what the start wrote before it was told, in that order."""

    def __init__(self, settings: Settings, verdicts: Tensor) -> None:
        super().__init__({}, settings.judge)
        self.name, self.fits = "knowing", {"knowing": Fit(0.1, 1.0, 50)}
        self._said = verdicts

    def unseen(self, answered: Answered) -> tuple[Tensor, Tensor]:
        return torch.arange(len(self._said)), self._said


def offer(stage: str, word: int, verdict: float, keep: float = 0.5, guide: float = 0.0) -> Offer:
    """Eight sentences of that word."""
    changes = (Change("self-bleu-5", 0.2, 0.21, 0.04),)
    return Offer(stage, keep, guide, sentences_of(*[[word]] * 8), verdict, changes)


@pytest.fixture
def settings() -> Settings:
    return tiny_settings("captions", "hand_over.quality=1")[0]


@pytest.fixture
def metric() -> WeightedSum:
    return WeightedSum([(1.0, FirstWord())])


def asked_of(metric: WeightedSum) -> int:
    part = metric.parts[0][1]
    assert isinstance(part, FirstWord)
    return part.asked


@pytest.fixture
def archive(metric: WeightedSum) -> Archive:
    """What the metric said of the start; asking it for that is not counted."""
    archive = Archive(parts=metric.names, keeps=True)
    archive.epoch = 0
    questions = [Question(f"sentence {number}") for number in range(len(START))]
    archive.add(questions, WeightedSum([(1.0, FirstWord())])(START))
    archive.take(questions, START)
    return archive


def knows(settings: Settings) -> Judge:
    """All that it keeps of the start is good."""
    return Knowing(settings, (START.tokens[:, 0] == GOOD).double())


def guesses(settings: Settings) -> Judge:
    """Half of what it keeps of the start is good."""
    return Knowing(settings, torch.arange(len(START)).double() // 2)


Decided = Callable[..., HandedOver]


@pytest.fixture
def decided(settings: Settings, metric: WeightedSum, archive: Archive) -> Decided:
    """Called with what makes the judge, and with offers: what is handed over."""

    def handed(judge: Callable[[Settings], Judge], *offers: Offer) -> HandedOver:
        return decide(settings, offers, judge(settings), metric, archive, CHECKED, 7)

    return handed


def quality_of(handed: HandedOver) -> Quality:
    """What the metric said of what is handed over, and of the start."""
    assert handed.comparison is not None and handed.comparison.quality is not None
    return handed.comparison.quality


def test_what_was_trained_is_handed_over_where_the_metric_confirms_it(decided: Decided) -> None:
    handed = decided(knows, offer(LAST, GOOD, 0.9), offer(MLE, GOOD, 0.8))

    assert (handed.stage, handed.keep) == (LAST, 0.5)
    quality = quality_of(handed)
    assert (quality.start, quality.result, quality.scored) == (0.5, 1, CHECKED)
    assert "20 metric calls and 7 updates" in handed.sentence


def test_else_a_judge_that_chooses_is_tried_by_the_answers_that_there_are(
    metric: WeightedSum, decided: Decided
) -> None:
    handed = decided(knows, offer(LAST, BAD, 0.9), offer(MLE, GOOD, 0.8, keep=0.625))

    assert asked_of(metric) == CHECKED  # about what was trained, and nothing more
    assert (handed.stage, handed.keep) == (MLE, 0.625)
    # 13 of the 20 are kept, among them the 10 good ones.
    assert quality_of(handed).result == pytest.approx(10 / 13)
    assert handed.sentence.startswith("The judge, choosing among sentences of the start, bought")


@pytest.mark.parametrize(
    ("against", "word", "stage"),
    [("start", FAIR, LAST), ("choice", FAIR, MLE), ("choice", GOOD, MLE), ("choice", BAD, MLE)],
)
def test_what_was_trained_is_held_against_what_would_be_chosen(
    against: str, word: int, stage: str, metric: WeightedSum, archive: Archive
) -> None:
    settings, _ = tiny_settings("captions", "hand_over.quality=1", f"judge.holds_against={against}")
    offers = [offer(LAST, word, 0.9), offer(MLE, GOOD, 0.8)]
    handed = decide(settings, offers, knows(settings), metric, archive, CHECKED, 7)

    # What would be chosen of the start is good throughout, by answers that are there already.
    assert handed.stage == stage and asked_of(metric) == CHECKED


def test_what_was_trained_comes_before_a_choice_that_is_shown_to_be_worse(
    metric: WeightedSum, archive: Archive
) -> None:
    settings, _ = tiny_settings("captions", "hand_over.quality=1", "judge.holds_against=choice")
    offers = [offer(LAST, GOOD, 0.9), offer(MLE, GOOD, 0.8, keep=0.75)]
    handed = decide(settings, offers, knows(settings), metric, archive, CHECKED, 7)

    # The choice would keep 15, of which 10 are good.
    assert handed.stage == LAST


def test_a_judge_that_guesses_does_not_come_after_what_was_refused(
    metric: WeightedSum, decided: Decided
) -> None:
    handed = decided(guesses, offer(LAST, BAD, 0.9), offer(MLE, GOOD, 0.8))

    assert handed.is_start and asked_of(metric) == CHECKED
    assert quality_of(handed).result == 0  # of what was refused first
    assert "the metric did not rise: first-word 0.5 to 0" in handed.sentence


def test_a_guide_is_tried_by_what_the_metric_is_asked_alone(decided: Decided) -> None:
    handed = decided(knows, offer(LAST, BAD, 0.9), offer(MLE, GOOD, 0.8, keep=1.0, guide=4.0))

    assert handed.is_start


def test_the_choice_that_the_judge_likes_best_counts_both(decided: Decided) -> None:
    handed = decided(knows, offer(LAST, GOOD, 0.7), offer(MLE, BAD, 0.8))

    assert (handed.stage, handed.keep) == (MLE, 0.5)
    assert quality_of(handed).result == pytest.approx(10 / (10 + CHECKED))
