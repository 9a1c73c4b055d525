"""What the paper states in numbers."""

import pytest
import torch
from fakes import sentences_of

from sda.reference.rare_words import RareWords
from sda.reference.repetition import Repetition
from sda.text.sentences import Sentences
from sda.text.vocabulary import NumberVocabulary
from sda.training.schedule import paper_schedule, same_number, stage_one
from sda.training.stages import MleSettings, StageTwoSettings
from sda.training.step_kinds import AUGMENTED, TRAINING


def test_six_steps_on_training_data_and_one_fewer_every_ten_epochs() -> None:
    schedule = paper_schedule(100)
    training = [steps.count(TRAINING) for steps in schedule]

    assert [training[epoch] for epoch in (0, 10, 20, 30, 40, 50)] == [6, 5, 4, 3, 2, 1]
    assert [training[epoch] for epoch in (9, 19, 49, 59, 99)] == [6, 5, 2, 1, 1]
    assert sum(training) == 250


def test_one_augmented_step_closes_each_epoch() -> None:
    schedule = paper_schedule(100)

    assert all(steps[-1] is AUGMENTED for steps in schedule)
    assert sum(steps.count(AUGMENTED) for steps in schedule) == 100


def test_the_reinforcement_baseline_has_as_many_updates() -> None:
    baseline = same_number(TRAINING, 100)

    assert sum(map(len, baseline)) == sum(map(len, paper_schedule(100))) == 350


def test_a_hundred_epochs_of_each_stage() -> None:
    assert MleSettings().epochs == StageTwoSettings().epochs == 100
    assert len(stage_one(MleSettings().epochs, rounds=0)) == 100


def test_a_word_seen_twenty_times_adds_a_fourhundredth() -> None:
    twenty_and_ten = Sentences(
        torch.cat((torch.full((20, 1), 1), torch.full((10, 1), 2))), torch.ones(30).long()
    )
    metric = RareWords(NumberVocabulary(4), twenty_and_ten, threshold=50)
    one, both = metric(sentences_of([1, 3], [1, 2, 3])).tolist()

    assert one == pytest.approx(0.0025)
    assert both == pytest.approx(0.0025 + 0.01)


def test_fifty_occurrences_are_not_rare() -> None:
    def bonus(count: int) -> float:
        train = Sentences(torch.ones(count, 1).long(), torch.ones(count).long())
        return RareWords(NumberVocabulary(2), train, threshold=50)(sentences_of([1])).item()

    assert bonus(49) == pytest.approx(1 / 49**2)
    assert bonus(50) == 0


def test_a_repeated_trigram_lowers_the_repetition_metric() -> None:
    once, twice = Repetition(NumberVocabulary(9))(
        sentences_of([1, 2, 3, 4, 5, 6], [1, 2, 3, 1, 2, 3])
    ).tolist()

    assert (once, twice) == (1, 0.25)
