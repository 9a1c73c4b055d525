"""Every sign is said in one sentence, and values near those of real text raise none."""

import inspect
import re

import pytest

from sda.commands.sampler import sample
from sda.evaluation.alarms import ADVICE, Alarm, find_alarms
from sda.evaluation.score import Score
from sda.settings.schema import Settings

REAL = {
    "bleu-2": 0.9,
    "bleu-5": 0.4,
    "self-bleu-5": 0.3,
    "duplicate-share": 0.01,
    "copy-share": 0.02,
    "order-gain": 3.0,
}


def scores(**changes: float) -> list[Score]:
    values = REAL | {name.replace("_", "-"): value for name, value in changes.items()}
    return [Score(name, value, True, "", 0.005) for name, value in values.items()]


@pytest.mark.parametrize(
    ("changes", "name", "words"),
    [
        ({"bleu_5": 0.43}, "better-than-real", "BLEU-5 is 0.430, above the 0.400 of real text"),
        ({"duplicate_share": 0.15}, "duplicates", "15.0% of the sentences repeat another one"),
        ({"self_bleu_5": 0.45}, "self-bleu", "self-BLEU-5 is 0.450, far above the 0.300"),
        ({"order_gain": 0.2}, "word-order", "costs 0.20 nats a token"),
        ({"copy_share": 0.045}, "copies", "4.5% of the sentences are training sentences"),
    ],
)
def test_each_sign_by_itself(changes: dict[str, float], name: str, words: str) -> None:
    (alarm,) = find_alarms(scores(**changes), scores())

    assert alarm.name == name
    assert words in alarm.message
    assert set(alarm.scores) == {key.replace("_", "-") for key in changes}
    assert alarm.as_dict().keys() == {"name", "scores", "message"}
    assert alarm.advice.endswith(".")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"bleu_2": 0.912, "bleu_5": 0.412},
        {"duplicate_share": 0.025},
        {"self_bleu_5": 0.38},
        {"order_gain": 1.5},
        {"copy_share": 0.028},
        {"bleu_5": 0.1, "self_bleu_5": 0.1, "duplicate_share": 0.0},
    ],
)
def test_what_real_text_could_have_raises_none(changes: dict[str, float]) -> None:
    assert find_alarms(scores(**changes), scores()) == []


def test_a_difference_within_chance_is_no_alarm() -> None:
    unsure = [Score("bleu-5", 0.46, True, "", 0.03)]
    assert find_alarms(unsure, [Score("bleu-5", 0.4, True, "", 0.03)]) == []
    assert find_alarms([Score("bleu-5", 0.46, True, "", 0.005)], scores()) != []


def test_an_interval_tells_of_chance_too() -> None:
    few = [Score("duplicate-share", 0.1, False, "", None, (0.0, 0.2))]
    many = [Score("duplicate-share", 0.1, False, "", None, (0.09, 0.11))]
    real = [Score("duplicate-share", 0.0, False, "", None, (0.0, 0.0))]
    assert find_alarms(few, real) == []
    assert find_alarms(many, real) != []


def test_without_real_text_there_is_nothing_to_say() -> None:
    assert find_alarms(scores(duplicate_share=1.0), []) == []


def test_an_alarm_of_your_own_has_no_advice() -> None:
    assert Alarm("mine", (), "words").advice == ""


def test_advice_names_commands_options_and_settings_that_there_are() -> None:
    text = " ".join(ADVICE.values())

    assert set(re.findall(r"sda (\w+) RUN", text)) == {"curve", "sample"}
    for option in set(re.findall(r"--[a-z-]+", text)):
        assert option.removeprefix("--").replace("-", "_") in inspect.signature(sample).parameters
    for section, key in re.findall(r"(stage2|mle)\.(\w+)", text):
        assert key in Settings.model_fields[section].annotation.model_fields
