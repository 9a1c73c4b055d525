"""One warning for each sign of collapse."""

from typing import Any

import pytest

from sda.runs.collapse import CollapseAlarm


def line(epoch: int = 1, stage: str = "imitation", **figures: Any) -> dict[str, Any]:
    return {"stage": stage, "epoch": epoch, **figures}


@pytest.mark.parametrize("name", ["duplicates", "duplicate_share"])
def test_many_duplicates(name: str) -> None:
    alarm = CollapseAlarm()

    assert alarm.look(line(1) | {name: 0.1}) == []
    assert alarm.look(line(2) | {name: 0.25}) == [
        "collapse? 25% of the sentences written in epoch 2 of the imitation stage are duplicates"
    ]
    assert alarm.look(line(3) | {name: 0.9}) == []


def test_the_larger_share_of_duplicates_counts() -> None:
    (text,) = CollapseAlarm().look(line(duplicates=0.2, duplicate_share=0.5))

    assert "50%" in text


def test_a_fall_of_the_entropy() -> None:
    alarm = CollapseAlarm()

    assert alarm.look(line(1, entropy=4.0)) == []
    assert alarm.look(line(2, entropy=6.0)) == []
    assert alarm.look(line(3, entropy=2.0)) == []
    assert alarm.look(line(4, entropy=1.99)) == [
        "collapse? the entropy fell from 4.00 to 1.99 nats a token in epoch 4 of the imitation"
        " stage"
    ]
    assert alarm.look(line(5, entropy=0.1)) == []


def test_both_signs_at_once() -> None:
    alarm = CollapseAlarm()
    alarm.look(line(1, entropy=4.0))

    assert len(alarm.look(line(2, entropy=1.0, duplicates=0.9))) == 2


def test_figures_that_are_not_there() -> None:
    assert CollapseAlarm().look(line(1, "discriminator", d_loss=0.1)) == []


def test_an_alarm_that_saw_the_past_does_not_repeat_itself() -> None:
    past = [line(1, entropy=4.0), line(2, entropy=1.0)]
    resumed = CollapseAlarm()
    for old in past:
        resumed.look(old)

    assert resumed.look(line(3, entropy=1.0)) == []
